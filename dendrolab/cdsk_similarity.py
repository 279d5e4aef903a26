"""The discriminative similarity S_ij = 2 (alpha_i + alpha_j) K_ij - 2 n lam alpha_i alpha_j P_ij, cut at 0.

K compares objects, P is the kernel whose norm the classifier's weights are charged for. Both forms below,
dense and of sparse pairs, offer the same operations, none of which makes more than one n x n matrix.
"""

import numpy as np
from scipy import linalg, sparse

_BLOCK_ROWS = 256
SIMILARITIES = ("kernel", "general", "density")


def penalty_kernel(K, similarity):
    """Kernel P of the penalty n lam alpha' P alpha, for each way to derive the similarity.

    Parameters
    ----------
    K : ndarray or csr_array of shape (n, n)
    similarity : {"kernel", "general", "density"}
        K is positive semidefinite and is its own penalty; or K is any symmetric similarity, the difference of
        two kernels, and P their sum |K|; or K is the Gaussian of a kernel density, and P the Gaussian
        of sqrt(2) times its bandwidth, the square root of K entry by entry.

    Returns
    -------
    ndarray or csr_array of shape (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.cdsk_similarity import penalty_kernel
    >>> penalty_kernel(np.array([[0.0, 1.0], [1.0, 0.0]]), "general").round(6)
    array([[1., 0.],
           [0., 1.]])
    """
    if similarity == "kernel":
        return K
    if similarity == "density":
        return np.sqrt(K)
    if sparse.issparse(K):
        raise ValueError(
            "similarity 'general' needs all eigenvectors: give a dense matrix, or leave n_neighbors out."
        )
    values, vectors = linalg.eigh(K, check_finite=False)
    return (vectors * np.abs(values)) @ vectors.T


def set_self_similarity(K):
    """Copy of K in which each object is as similar to itself as to the object most similar to it."""
    if sparse.issparse(K):
        K = K.copy()
        K.setdiag(0)
        K.setdiag(K.max(axis=1).toarray())
        return K.tocsr()
    K = K.copy()
    np.fill_diagonal(K, 0)
    np.fill_diagonal(K, K.max(axis=1))
    return K


def make_pairs(K, P, n_lam):
    """Pair operations for K, P and n lam."""
    return (SparsePairs if sparse.issparse(K) else DensePairs)(K, P, n_lam)


class _Pairs:
    """What dense and sparse pairs share."""

    def __init__(self, K, P, n_lam):
        self.K, self.P, self.n_lam = K, P, n_lam

    def penalty(self, alpha):
        """n lam alpha' P alpha."""
        return float(alpha @ self.penalty_gradient(alpha)) / 2

    def penalty_gradient(self, alpha):
        """Gradient of the penalty."""
        return 2 * self.n_lam * (self.P @ alpha)


class DensePairs(_Pairs):
    """Operations on all pairs."""

    def similarity(self, alpha):
        """S for the weights alpha."""
        S = np.empty_like(self.K)
        for start in range(0, len(S), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            a = alpha[rows, None]
            S[rows] = 2 * ((a + alpha) * self.K[rows] - self.n_lam * (a * alpha) * self.P[rows])
        return np.maximum(S, 0, out=S)

    def trace_gradient(self, alpha, Y, mu):
        """Gradient of half the sum of the eigenvalues mu of (L, D), with D-orthonormal vectors Y."""
        u = np.square(Y) @ (1 - mu)
        gradient = np.empty(len(alpha))
        for start in range(0, len(alpha), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            a, K, P = alpha[rows, None], self.K[rows], self.P[rows]
            slopes = 2 * (K - self.n_lam * alpha * P)
            slopes *= (a + alpha) * K > self.n_lam * (a * alpha) * P  # S is flat where it is cut
            gradient[rows] = _sum_of_slopes(slopes, u, Y, rows)
        return gradient

    def quadratic(self, Y):
        """Column function and diagonal of Q, and b: half the trace plus the penalty, S not cut."""
        half_norms = np.square(Y).sum(axis=1) / 2

        def column(i):
            return self.n_lam * self.P[i] * (1 - half_norms - half_norms[i] + Y @ Y[i])

        b = 2 * _sum_of_slopes(self.K, 2 * half_norms, Y, slice(None))
        return column, self.n_lam * np.diagonal(self.P), b


def _sum_of_slopes(slopes, u, Y, rows):
    """Sum over j of slopes_ij ((u_i + u_j) / 2 - Y_i . Y_j), for some rows i."""
    products = slopes @ np.column_stack([np.ones(len(u)), u, Y])
    within = np.einsum("ik,ik->i", Y[rows], products[:, 2:])
    return (u[rows] * products[:, 0] + products[:, 1]) / 2 - within


class SparsePairs(_Pairs):
    """Operations on the pairs that a sparse K stores; P has the same pattern off the diagonal."""

    def __init__(self, K, P, n_lam):
        super().__init__(_with_diagonal(K), _with_diagonal(P), n_lam)
        K = self.K
        self.rows = np.repeat(np.arange(K.shape[0]), np.diff(K.indptr))

    def similarity(self, alpha):
        """S for the weights alpha."""
        return self._with(np.maximum(self._uncut(alpha), 0))

    def trace_gradient(self, alpha, Y, mu):
        """Gradient of half the sum of the eigenvalues mu of (L, D), with D-orthonormal vectors Y."""
        slopes = 2 * (self.K.data - self.n_lam * alpha[self.K.indices] * self.P.data)
        slopes *= self._uncut(alpha) > 0
        return _sum_of_slopes(self._with(slopes), np.square(Y) @ (1 - mu), Y, slice(None))

    def quadratic(self, Y):
        """Column function and diagonal of Q, and b: half the trace plus the penalty, S not cut."""
        half_norms = np.square(Y).sum(axis=1) / 2
        i, j = self.rows, self.K.indices
        within = np.einsum("ik,ik->i", Y[i], Y[j])
        Q = self._with(self.n_lam * self.P.data * (1 - half_norms[i] - half_norms[j] + within))

        def column(i):
            dense = np.zeros(Q.shape[0])
            stored = slice(Q.indptr[i], Q.indptr[i + 1])
            dense[Q.indices[stored]] = Q.data[stored]
            return dense

        b = 2 * _sum_of_slopes(self.K, 2 * half_norms, Y, slice(None))
        return column, Q.diagonal(), b

    def _uncut(self, alpha):
        a, b = alpha[self.rows], alpha[self.K.indices]
        return 2 * ((a + b) * self.K.data - self.n_lam * (a * b) * self.P.data)

    def _with(self, data):
        return sparse.csr_array((data, self.K.indices, self.K.indptr), shape=self.K.shape)


def _with_diagonal(M):
    """Copy with sorted indices and all diagonal entries stored, so that entries of two matrices line up."""
    M = M.copy()
    M.setdiag(M.diagonal())
    M.sort_indices()
    return M
