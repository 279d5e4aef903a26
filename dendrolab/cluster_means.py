"""Clusters as sizes, means and mean squared radii, and which clusters may be nearest to which.

For n clusters of d coordinates this takes O(n d) memory. Distances between all pairs are only screened,
by one product in single precision whose rounding error is bounded; what may be smallest is computed anew
from the difference of the two means in double precision, so that nothing is lost.
"""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

_FAR = np.float32(1e30)  # squared distance to a cluster that is no more; infinity in a product can give NaN


class DenseMeans:
    """Clusters of rows of a dense array.

    A mean is kept as its difference from one member of the cluster: the difference of two means near to
    each other then has all its digits, wherever they lie.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    """

    def __init__(self, X):
        X = np.asarray(X, dtype=np.float64)
        # A power of two, so that scaling is exact and nothing leaves single precision.
        self.unit = 2.0 ** np.ceil(np.log2(np.ptp(X, axis=0).max() or 1.0))
        self._X = X / self.unit
        self._centre = self._X.mean(axis=0)
        self._member, self._offset = np.arange(len(X)), np.zeros(X.shape)
        self._error = 2 * (X.shape[1] + 8) * np.finfo(np.float32).eps
        self._left = np.empty((len(X), X.shape[1] + 2), dtype=np.float32)
        self._right = np.empty_like(self._left)
        self._store(self._member)

    def _store(self, slots):
        """Rows whose product is at most the squared distance of two means, whatever the rounding."""
        means = self._X[self._member[slots]] - self._centre + self._offset[slots]
        norms = np.einsum("ij,ij->i", means, means) * (1 - self._error)
        self._left[slots] = np.column_stack([means, norms, np.ones(len(means))])
        self._right[slots] = np.column_stack([-2 * means, np.ones(len(means)), norms])

    def _difference(self, i, j):
        return (self._X[self._member[j]] - self._X[self._member[i]]) + (self._offset[j] - self._offset[i])

    def merge(self, a, b, share):
        """Move the means a by a share of the way to the means b, and give up the latter."""
        self._offset[a] += share[:, None] * self._difference(a, b)
        self._store(a)
        self._right[b, -1] = _FAR

    def keep(self, slots):
        """Renumber the clusters to those in these slots."""
        for name in ("_member", "_offset", "_left", "_right"):
            setattr(self, name, getattr(self, name)[slots])

    def lower_bounds(self, rows):
        """Squared distances from some clusters to all, or a little less."""
        return self._left[rows] @ self._right.T

    def squared(self, i, j):
        """Squared distances of pairs."""
        return np.square(self._difference(i, j)).sum(axis=1)

    def squared_rows(self, rows):
        """Squared distances from some clusters to all, entry by entry: slow, and exact."""
        exact = np.array([np.square(self._difference([row], slice(None))).sum(axis=1) for row in rows])
        exact[:, self._right[:, -1] == _FAR] = np.inf
        return exact


class SparseMeans:
    """Clusters whose means are rows of a sparse matrix, such as TF-IDF: not centred, to stay sparse.

    Parameters
    ----------
    X : csr_array of shape (n, d)
    """

    unit = 1.0

    def __init__(self, X):
        self.means = sparse.csr_array(X, dtype=np.float64)
        self._gone = np.zeros(X.shape[0])
        self._norms = self._squares(self.means)

    @staticmethod
    def _squares(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1)).ravel()

    def merge(self, a, b, share):
        n = self.means.shape[0]
        stay = np.ones(n)
        stay[a], stay[b] = 1 - share, 0
        mix = sparse.diags_array(stay) + sparse.coo_array((share, (a, b)), shape=(n, n))
        self.means = sparse.csr_array(mix.tocsr() @ self.means)
        self._norms[a] = self._squares(self.means[a])
        self._gone[b] = np.inf

    def keep(self, slots):
        self.means, self._norms, self._gone = self.means[slots], self._norms[slots], self._gone[slots]

    def lower_bounds(self, rows):
        products = (self.means[rows] @ self.means.T).toarray()
        scale = self._norms[rows, None] + self._norms
        products *= -2
        products += scale * (1 - 1e-12)
        products += self._gone
        return products

    def squared(self, i, j):
        return self._squares(self.means[i] - self.means[j])

    def squared_rows(self, rows):
        exact = cdist(self.means[rows].toarray(), self.means.toarray(), "sqeuclidean")
        return exact + self._gone
