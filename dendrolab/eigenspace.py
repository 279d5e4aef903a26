"""Leading eigenvectors of a kernel plus a low-rank part, and of sums of projections."""

import warnings

import numpy as np
from scipy.linalg import blas, eigh
from sklearn.exceptions import ConvergenceWarning

_DENSE_COLD_UP_TO = 1500  # objects; above, iteration from a seeded block beats the dense eigendecomposition
_DENSE_WARM_UP_TO = 600  # the same where the eigenvectors of a similar matrix are at hand
_RESIDUAL = 1e-7  # of the eigenvalues' sum; the sum itself is then right to about its square
_MOST_STEPS = 100
_WARM_DEPTH = 5  # one round of Rayleigh-Ritz is then enough, nearly always
_NEGLIGIBLE = 1e-8  # of the longest column: what is left of a column inside the span is rounding
_WELL_CONDITIONED = 1e-3  # A^T A loses the digits of 1 / this
_TIE = 1e-9  # eigenvalues that differ by less than this share of the largest are equal
_BLOCK_ROWS = 512


def product(K, X):
    """Return K X in float64; float32 kernels are widened a block of rows at a time."""
    if not isinstance(K, np.ndarray):
        return np.asarray(K @ X, dtype=np.float64)
    if K.dtype == np.float64:
        return K @ X
    out = np.empty((len(K), X.shape[1]))
    for start in range(0, len(K), _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        out[rows] = K[rows].astype(np.float64) @ X
    return out


def rank_tolerance(K):
    """Share of the largest eigenvalue up to which an eigenvalue is rounding or ridge."""
    return 1e-6 if K.dtype.itemsize <= 4 else 1e-10


def leading_eigenvectors(K, count, a=1.0, V=None, b=0.0, space=None):
    """Leading eigenvectors of a K + b V V^T whose eigenvalue is positive.

    Parameters
    ----------
    K : ndarray or object with a product, of shape (n, n)
    count : int
    a, b : float
    V : ndarray of shape (n, c), optional
    space : tuple of two ndarrays, optional
        Leading eigenvectors W of K, a few more than wanted (see `spare`), and K W.

    Returns
    -------
    values : ndarray
        Up to ``count + 1`` eigenvalues, in decreasing order: one more tells a tie.
    U : ndarray of shape (n, r)
        With r <= count; less where the matrix has a lower rank.
    KU : ndarray of shape (n, r)
    """
    n = K.shape[0]
    V = np.zeros((n, 0)) if V is None else V
    if is_dense_start(n, count) if space is None else n <= max(_DENSE_WARM_UP_TO, 4 * count):
        values, U, KU = _dense(K, count, a, V, b)
    else:
        start = _cold_start(K, count) if space is None else _warm_start(K, V, *space)
        values, U, KU = _iterate(K, count, a, V, b, *start)
    rank = int((values[:count] > rank_tolerance(K) * max(values[0], 0)).sum())
    return values, U[:, :rank], KU[:, :rank]


def is_dense_start(n, count):
    """Tell whether a kernel is decomposed as a whole where there is no space to start from."""
    return n <= max(_DENSE_COLD_UP_TO, 4 * count)


def spare(n, count):
    """Eigenvectors of K to hold beyond the `count` wanted, for updates to start from."""
    return 0 if n <= max(_DENSE_WARM_UP_TO, 4 * count) else max(10, count // 2)


def _dense(K, count, a, V, b):
    n = K.shape[0]
    B = np.multiply(K if isinstance(K, np.ndarray) else product(K, np.eye(n)), a, dtype=np.float64)
    if V.shape[1]:
        B += (b * V) @ V.T
    # The transpose is in LAPACK's order, so that it works in place.
    wanted = [n - min(count + 1, n), n - 1]
    values, U = eigh(B.T, subset_by_index=wanted, overwrite_a=True, check_finite=False)
    U = U[:, : -count - 1 : -1]
    if isinstance(K, np.ndarray) and K.dtype == np.float64:
        # SciPy's BLAS, which eigh has used too: threads of NumPy's would still wait for work, and in its way.
        return values[::-1], U, blas.dgemm(1.0, K.T, U)
    return values[::-1], U, product(K, U)


def _iterate(K, count, a, V, b, Q, KQ):
    """Block Lanczos with restarts: Rayleigh-Ritz on a space that grows by the residuals."""
    kept = count + max(10, count // 2)
    most = max(kept + 3 * count, Q.shape[1] + count)
    for _ in range(_MOST_STEPS):
        VQ = V.T @ Q
        values, Z = _ritz(a * (Q.T @ KQ) + b * (VQ.T @ VQ), kept)
        top, Ztop = values[:count], Z[:, :count]
        U, KU = Q @ Ztop, KQ @ Ztop
        residuals = a * KU + b * (V @ (VQ @ Ztop)) - U * top
        norms = np.linalg.norm(residuals, axis=0)
        open_ = residuals[:, norms > _allowed_residuals(top)]
        if not open_.shape[1]:
            break
        if Q.shape[1] + open_.shape[1] > most:
            Q, KQ = Q @ Z, KQ @ Z
        W = _beyond(Q, open_)
        Q, KQ = np.hstack([Q, W]), np.hstack([KQ, product(K, W)])
    else:
        warnings.warn(
            f"eigenvectors have a residual of {np.linalg.norm(norms):.2g} after {_MOST_STEPS} steps.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return values[: count + 1], U, KU


def _allowed_residuals(values):
    """Small against the sum, and against each eigenvalue, so that a small one has its own vector too."""
    sizes = np.abs(values)
    of_sum = _RESIDUAL / np.sqrt(len(sizes)) * sizes.sum()
    return np.minimum(of_sum, np.maximum(1e-3 * sizes, 1e-11 * sizes[0]))


def _cold_start(K, count):
    """A fixed block, so that runs repeat."""
    width = count + max(10, count // 2)
    Q = np.linalg.qr(np.random.RandomState(0).normal(size=(K.shape[0], width)))[0]
    return Q, product(K, Q)


def _warm_start(K, V, W, KW):
    """Eigenvectors of K and a Krylov space of what V adds: those of a K + b V V^T lie nearly there."""
    Q, KQ, block = [W], [KW], V
    for _ in range(_WARM_DEPTH):
        block = _beyond(np.hstack(Q), block)
        image = product(K, block)
        Q, KQ, block = [*Q, block], [*KQ, image], image
    return np.hstack(Q), np.hstack(KQ)


def _ritz(T, count):
    values, Z = np.linalg.eigh((T + T.T) / 2)
    return values[: -count - 1 : -1], Z[:, : -count - 1 : -1]


def _beyond(Q, W):
    """Orthonormal columns for the part of W outside the span of Q; twice, against rounding."""
    scale = np.linalg.norm(W, axis=0).max(initial=0)
    U, s, _ = np.linalg.svd(W - Q @ (Q.T @ W), full_matrices=False)
    U = U[:, s > _NEGLIGIBLE * scale]
    return np.linalg.qr(U - Q @ (Q.T @ U))[0]


def leading_of_projections(blocks, count, tie_break):
    """Leading eigenvectors of the sum of w U U^T, from a thin SVD of the stacked blocks.

    Parameters
    ----------
    blocks : list of tuple of float and ndarray
        Weights w >= 0 and matrices U of shape (n, c).
    count : int
    tie_break : callable
        Maps a matrix E of shape (n, r) to K E. Where eigenvalues around the last one wanted are equal, the
        directions with the largest Rayleigh quotient with K are taken.

    Returns
    -------
    ndarray of shape (n, r)
        With r <= count; less where the blocks span fewer directions.
    """
    values, U = _left_singular(np.hstack([np.sqrt(w) * U for w, U in blocks]), count)
    rank = int((values > 1e-10 * values[0]).sum())
    if rank <= count:
        return U[:, :rank]
    margin = _TIE * values[0]
    first, last = (int((values > values[count - 1] + shift).sum()) for shift in (margin, -margin))
    if last <= count:
        return U[:, :count]
    E = U[:, first:last]
    _, Z = _ritz(E.T @ tie_break(E), count - first)
    return np.hstack([U[:, :first], E @ Z])


def _left_singular(A, count):
    """Squared singular values, and left vectors up to ties with the last: by A^T A if large, else by SVD."""
    if count < A.shape[1] < A.shape[0]:
        values, Z = (part[..., ::-1] for part in np.linalg.eigh(A.T @ A))
        if values[count - 1] > _WELL_CONDITIONED * values[0]:
            needed = int((values > values[count - 1] - _TIE * values[0]).sum())
            return values, A @ (Z[:, :needed] / np.sqrt(values[:needed]))
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    return s**2, U


def is_tied(values, count):
    """Tell whether the eigenvalues around the last one wanted are equal."""
    return len(values) > count and values[count - 1] - values[count] <= _TIE * values[0]


def fix_signs(U):
    """Return the columns with their largest entry positive."""
    largest = U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])]
    return U * np.where(largest < 0, -1.0, 1.0)
