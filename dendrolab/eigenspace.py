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
    if is_decomposed(n, count, warm=space is not None):
        values, U, KU = _dense(K, count, a, V, b)
    else:
        values, U, KU = _iterate(_start_space(K, count, a, V, b, space), count)
    rank = int((values[:count] > rank_tolerance(K) * max(values[0], 0)).sum())
    return values, U[:, :rank], KU[:, :rank]


def is_decomposed(n, count, warm=False):
    """Tell whether a whole decomposition beats iteration, which may have a space to start from (warm)."""
    return n <= max(_DENSE_WARM_UP_TO if warm else _DENSE_COLD_UP_TO, 4 * count)


def spare(n, count):
    """Eigenvectors of K to hold beyond the `count` wanted, for updates to start from."""
    return 0 if is_decomposed(n, count, warm=True) else max(10, count // 4)


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
        return values[::-1], U, blas.dgemm(1.0, K if K.flags.f_contiguous else K.T, U)
    return values[::-1], U, product(K, U)


class _GrowingSpace:
    """Orthonormal columns Q with K Q, and the Rayleigh-Ritz matrix on them of A = a K + b V V^T."""

    def __init__(self, K, a, V, b, most):
        self.K, self.a, self.V, self.b, self.size = K, a, V, b, 0
        # Room for all columns from the start: copies of a growing array would take twice the memory.
        self._Q, self._KQ = np.empty((2, most, K.shape[0])).transpose(0, 2, 1)
        self._VQ, self._T = np.empty((V.shape[1], most)), np.empty((most, most))

    Q = property(lambda self: self._Q[:, : self.size])
    KQ = property(lambda self: self._KQ[:, : self.size])
    VQ = property(lambda self: self._VQ[:, : self.size])
    room = property(lambda self: self._Q.shape[1] - self.size)

    def add(self, W, KW=None):
        """Take in orthonormal columns that are orthogonal to the space."""
        new = slice(self.size, self.size + W.shape[1])
        self._Q[:, new] = W
        self._KQ[:, new] = product(self.K, W) if KW is None else KW
        self._VQ[:, new] = self.V.T @ W
        self.size = new.stop
        T = self.a * (self.Q.T @ self._KQ[:, new]) + self.b * (self.VQ.T @ self._VQ[:, new])
        self._T[: self.size, new], self._T[new, : self.size] = T, T.T

    def ritz(self, count):
        """Leading eigenvalues of A on the space, and their vectors as combinations of its columns."""
        return _ritz(self._T[: self.size, : self.size], count)

    def shrink(self, values, Z):
        """Keep these Ritz vectors only."""
        count = len(values)
        for columns in (self._Q, self._KQ, self._VQ):
            columns[:, :count] = columns[:, : self.size] @ Z
        self.size = count
        self._T[:count, :count] = np.diag(values)

    def residuals(self, values, Z):
        """A U - U diag(values) for the Ritz vectors U."""
        R = self.KQ @ Z
        R *= self.a
        R += self.V @ (self.b * (self.VQ @ Z))
        R -= self.Q @ (Z * values)
        return R


def _iterate(space, count):
    """Block Lanczos with restarts: Rayleigh-Ritz on a space that grows by the residuals."""
    for step in range(_MOST_STEPS):
        values, Z = space.ritz(_kept(count))
        top = values[:count]
        residuals = space.residuals(top, Z[:, :count])
        norms = np.linalg.norm(residuals, axis=0)
        open_ = residuals[:, norms > _allowed_residuals(top)]
        if not open_.shape[1]:
            break
        if step == _MOST_STEPS - 1:
            left = f"{np.linalg.norm(norms):.2g} after {_MOST_STEPS} steps"
            warnings.warn(f"eigenvectors have a residual of {left}.", ConvergenceWarning, stacklevel=2)
            break
        if space.room < open_.shape[1]:
            space.shrink(values, Z)
        space.add(_beyond(space.Q, open_))
    return values[: count + 1], space.Q @ Z[:, :count], space.KQ @ Z[:, :count]


def _kept(count):
    """Ritz vectors that a restart keeps."""
    return count + max(10, count // 4)


def _allowed_residuals(values):
    """Small against the sum, and against each eigenvalue, so that a small one has its own vector too."""
    sizes = np.abs(values)
    of_sum = _RESIDUAL / np.sqrt(len(sizes)) * sizes.sum()
    return np.minimum(of_sum, np.maximum(1e-3 * sizes, 1e-11 * sizes[0]))


def _start_space(K, count, a, V, b, known):
    """A fixed block, so that runs repeat; or eigenvectors of K and a Krylov space of what V adds to them.

    The eigenvectors of a K + b V V^T lie nearly in the latter.
    """
    n, most = K.shape[0], _kept(count) + 2 * count
    if known is None:
        space = _GrowingSpace(K, a, V, b, most)
        space.add(np.linalg.qr(np.random.RandomState(0).normal(size=(n, _kept(count))))[0])
        return space
    width = known[0].shape[1] + _WARM_DEPTH * V.shape[1]
    space = _GrowingSpace(K, a, V, b, max(most, width + count))
    space.add(*known)
    block = V
    for _ in range(_WARM_DEPTH):
        block = _beyond(space.Q, block)
        image = product(K, block)
        space.add(block, image)
        block = image
    return space


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
