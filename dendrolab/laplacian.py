"""Spectral embedding: the smallest eigenpairs of a graph's Laplacian against its degrees."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from .validation import as_numbers, check_finite, is_symmetric

_DENSE_UP_TO = 300  # objects; below this the dense eigendecomposition is as quick as Lanczos
_FALLBACK_UP_TO = 5000  # objects; a dense eigendecomposition within minutes


@dataclass(frozen=True)
class SpectralEmbedding:
    """Smallest eigenpairs of L y = mu D y.

    Attributes
    ----------
    eigenvalues : ndarray of shape (c,)
        Between 0 and 2, increasing.
    vectors : ndarray of shape (n, c)
        Orthonormal eigenvectors D^(1/2) y of the normalised Laplacian.
    coordinates : ndarray of shape (n, c)
        Y with Y' D Y = I; rows of objects without any similarity are 0.
    """

    eigenvalues: np.ndarray
    vectors: np.ndarray
    coordinates: np.ndarray


def check_similarity(S, name="X"):
    """Return a similarity matrix as float64, dense or CSR, exactly symmetric and not negative.

    Parameters
    ----------
    S : array-like or sparse matrix of shape (n, n)
        Asymmetry and negative entries within rounding are taken out; more is refused.
    name : str
        The argument's name, for the messages.

    Returns
    -------
    ndarray or csr_array of shape (n, n)

    Examples
    --------
    >>> from dendrolab.laplacian import check_similarity
    >>> check_similarity([[1, 0], [0, 1]])
    array([[1., 0.],
           [0., 1.]])
    """
    S = sparse.csr_array(S, dtype=np.float64) if sparse.issparse(S) else as_numbers(S, name)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or 0 in S.shape:
        raise ValueError(f"{name} has shape {S.shape}: a similarity matrix is square, n x n.")
    check_finite(S, name)
    largest, lowest = S.max(), S.min()
    if lowest < -1e-8 * largest or largest <= 0:
        raise ValueError(
            f"{name} has entries from {lowest:.6g} to {largest:.6g}: similarities are 0 or above, not all 0. "
            "For a kernel with negative entries, pass K - K.min(), or the data and a Gaussian kernel."
        )
    even = abs(S - S.T).max() <= 1e-8 * largest if sparse.issparse(S) else is_symmetric(S)
    if not even:
        raise ValueError(
            f"{name} is not symmetric: if both halves measure one similarity, pass (S + S.T) / 2."
        )
    S = ((S + S.T) / 2).astype(np.float64, copy=False)
    return S.maximum(0).tocsr() if sparse.issparse(S) else np.maximum(S, 0, out=S)


def embed_similarity(S, n_components, start=None):
    """Minimise Tr(Y' L Y) subject to Y' D Y = I, with D the row sums of S and L = D - S.

    Parameters
    ----------
    S : ndarray or sparse array of shape (n, n)
        Symmetric, not negative.
    n_components : int
    start : ndarray of shape (n, n_components), optional
        Vectors of a similar problem: a warm start.

    Returns
    -------
    SpectralEmbedding

    Notes
    -----
    The vectors of eigenvalue 0 are known, D^(1/2) on each connected component (dense S: on all objects), and
    are taken out, so that Lanczos iteration sees the rest of the spectrum on its own scale. Where more
    components than `n_components` exist the heaviest are kept. Each column's largest entry is positive.

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.laplacian import embed_similarity
    >>> S = np.kron(np.eye(2), np.ones((2, 2)))
    >>> embed_similarity(S, 2).eigenvalues.round(6) + 0.0
    array([0., 0.])
    """
    n = S.shape[0]
    degrees = np.asarray(S.sum(axis=1)).ravel()
    scale = np.zeros(n)
    np.divide(1, np.sqrt(degrees), out=scale, where=degrees > 0)
    if n <= _DENSE_UP_TO or n_components > n // 4:
        values, vectors = _dense_pairs(S, scale, n_components)
    else:
        values, vectors = _krylov_pairs(S, scale, degrees, n_components, start)
    vectors = vectors * _signs(vectors)
    return SpectralEmbedding(np.clip(1 - values, 0, 2), vectors, vectors * scale[:, None])


def _dense_pairs(S, scale, n_components):
    M = S.toarray() if sparse.issparse(S) else S
    M = M * scale[:, None] * scale
    n = len(M)
    values, vectors = linalg.eigh(
        M, subset_by_index=[n - n_components, n - 1], overwrite_a=True, check_finite=False
    )
    return values[::-1], vectors[:, ::-1]


def _krylov_pairs(S, scale, degrees, n_components, start):
    known = _null_vectors(S, degrees)[:, :n_components]
    k = n_components - known.shape[1]
    values, vectors = np.ones(known.shape[1]), known.toarray()
    if k == 0:
        return values, vectors
    try:
        rest_values, rest = _leading_rest(S, scale, known, k, start)
    except ArpackNoConvergence as error:
        if len(scale) <= _FALLBACK_UP_TO:
            return _dense_pairs(S, scale, n_components)
        raise ValueError(
            f"the {n_components} smallest eigenvectors did not converge: the similarity is nearly the same "
            "in all directions. Take another bandwidth or fewer clusters."
        ) from error
    return np.concatenate([values, rest_values]), np.hstack([vectors, rest])


def _null_vectors(S, degrees):
    """Unit vectors D^(1/2) on each connected component, the heaviest first, as a sparse matrix."""
    n = len(degrees)
    labels = connected_components(S, directed=False)[1] if sparse.issparse(S) else np.zeros(n, dtype=int)
    weight = np.bincount(labels, weights=degrees)
    order = np.argsort(-weight, kind="stable")[: np.count_nonzero(weight)]
    rank = np.full(len(weight), -1)
    rank[order] = np.arange(len(order))
    rows = np.flatnonzero(degrees > 0)
    values = np.sqrt(degrees[rows] / weight[labels[rows]])
    return sparse.csc_array((values, (rows, rank[labels[rows]])), shape=(n, len(order)))


def _leading_rest(S, scale, known, k, start):
    """Leading k eigenpairs of the normalised S orthogonal to the known ones."""
    n = len(scale)
    known_T = known.T.tocsr()

    def product(x):
        return scale * (S @ (scale * x)) - known @ (known_T @ x)

    operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
    noise = np.random.default_rng(0)  # the same at each call, so that runs repeat
    v0 = noise.standard_normal(n) if start is None else start[:, -k:].sum(axis=1)
    ncv = min(max(3 * k + 1, 40), n)
    restarts = 20 if n <= _FALLBACK_UP_TO else 1000  # 20 take as long as the dense route
    values, vectors = eigsh(operator, k, which="LA", v0=v0, ncv=ncv, tol=1e-10, maxiter=restarts, rng=noise)
    return values[::-1], vectors[:, ::-1]


def _signs(vectors):
    """Sign of each column's largest entry, the first of those that rounding cannot tell apart."""
    sizes = np.abs(vectors)
    largest = (sizes >= (1 - 1e-6) * sizes.max(axis=0)).argmax(axis=0)
    return np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def cluster_rows(vectors, n_clusters, n_init=10, random_state=None):
    """K-means on the rows of eigenvectors, scaled to unit length (Ng, Jordan and Weiss 2001).

    Parameters
    ----------
    vectors : ndarray of shape (n, c)
        Rows of zeros stay at the origin.
    n_clusters : int
    n_init : int
    random_state : int, RandomState or None

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.laplacian import cluster_rows
    >>> labels = cluster_rows(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]), 2, random_state=0)
    >>> bool(labels[0] == labels[1] != labels[2])
    True
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    n = len(vectors)
    if n_clusters in (1, n):
        return np.arange(n, dtype=np.int32) % n_clusters
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    with warnings.catch_warnings():
        # Fewer distinct rows than clusters, as duplicates give: the labels say so by themselves.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(n_clusters, n_init=n_init, random_state=random_state).fit_predict(rows)


def warn_cut_off(vectors):
    """Say which objects no eigenvector reaches, where clusters are looked for.

    Parameters
    ----------
    vectors : ndarray of shape (n, c)

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.laplacian import warn_cut_off
    >>> warn_cut_off(np.eye(3))
    """
    n, n_clusters = vectors.shape
    cut_off = np.flatnonzero(~vectors.any(axis=1))
    if cut_off.size and 1 < n_clusters < n:
        warnings.warn(
            f"{cut_off.size} objects, the first {cut_off[0]}, have no similarity to any other, or only "
            "within a part that is too small for a cluster of its own: their labels mean nothing. Raise the "
            "bandwidth or n_neighbors, lower lam, or leave them out.",
            stacklevel=3,
        )
