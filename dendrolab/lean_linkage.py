"""Ward and average linkage in O(n d) memory, by reciprocal nearest neighbours.

Both have closed forms over cluster sizes s, means m and mean squared radii r (the mean over members of
||x - m||^2):

- ward: d(A, B)^2 = 2 s_A s_B / (s_A + s_B) ||m_A - m_B||^2
- average of squared distances: d(A, B) = ||m_A - m_B||^2 + r_A + r_B

and both are reducible: a merged cluster is no nearer to another than the nearer of its two parts was. So
all pairs of clusters that are each other's nearest neighbours can merge in one round, and only clusters
whose neighbour was merged look again (Sumengen et al. 2021).
"""

import numpy as np
from scipy import sparse
from sklearn import get_config
from tqdm import tqdm

from .cluster_means import DenseMeans, SparseMeans
from .linkage_matrix import linkage_matrix_from_merges

_COMPACT_AT = 0.75  # share of slots still in use below which the rest are dropped
_DENSE_FROM = 0.2  # share of entries that are not zero from which a sparse table is treated as dense
_BLOCK_BYTES = 32e6  # larger blocks leave the processor's cache
_MANY = 32  # candidates a cluster above which single precision is no help


def lean_linkage(X, linkage):
    """Linkage matrix of the rows of a table, without their distances.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        Finite numbers.
    linkage : {"ward", "average"}
        Ward on Euclidean, average on squared Euclidean distances.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        SciPy's, to rounding, where no two distances are equal; ties go to the lower row number.

    Notes
    -----
    Blocks of distances take 32 MB, or a quarter of scikit-learn's ``working_memory`` (`sklearn.set_config`)
    where that is less. A bar shows the merges on work over two seconds at a terminal.

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.lean_linkage import lean_linkage
    >>> lean_linkage(np.array([[0.0], [1.0], [5.0]]), "average")
    array([[ 0. ,  1. ,  1. ,  2. ],
           [ 2. ,  3. , 20.5,  3. ]])
    """
    n = X.shape[0]
    if n == 1:
        return np.empty((0, 4))
    clusters = _Clusters(X, linkage)
    with tqdm(total=n - 1, desc=f"{linkage} linkage", delay=2, disable=None) as bar:
        while clusters.n_merges < n - 1:
            bar.update(clusters.merge_round())
    heights = clusters.heights[: n - 1]
    heights = np.sqrt(heights) * clusters.unit if linkage == "ward" else heights * clusters.unit**2
    return linkage_matrix_from_merges(clusters.children, heights)


class _Clusters:
    """The clusters of a round, in slots; a merged pair takes the lower slot."""

    def __init__(self, X, linkage):
        n = X.shape[0]
        if sparse.issparse(X) and X.nnz > _DENSE_FROM * X.shape[0] * X.shape[1]:
            X = X.toarray()
        self.store = SparseMeans(X) if sparse.issparse(X) else DenseMeans(X)
        self.unit, self.ward = self.store.unit, linkage == "ward"
        self.sizes, self.radii = np.ones(n), np.zeros(n)
        self.nodes, self.alive = np.arange(n), np.ones(n, dtype=bool)
        self.neighbour, self.distance = np.zeros(n, dtype=np.intp), np.zeros(n)
        self.children, self.heights, self.n_merges = np.empty((n - 1, 2)), np.empty(n - 1), 0
        self._look(np.arange(n))

    def merge_round(self):
        """Merge all reciprocal pairs, look for the neighbours that are lost, and count the merges."""
        a = np.flatnonzero(self.alive)
        b = self.neighbour[a]
        pairs = (self.neighbour[b] == a) & (a < b)
        a, b = a[pairs], b[pairs]
        if a.size == 0:  # equal distances can run in a circle: the nearest pair of all is right to merge
            nearest = np.where(self.alive, self.distance, np.inf).argmin()
            a, b = np.sort([nearest, self.neighbour[nearest]])[:, None]
        self._merge(a, b)
        if self.n_merges == len(self.heights):
            return a.size
        touched = np.zeros(len(self.alive), dtype=bool)
        touched[a] = touched[b] = True
        lost = self.alive & (touched | touched[self.neighbour])
        if self.alive.mean() < _COMPACT_AT:
            lost = self._compact(lost)
        self._look(np.flatnonzero(lost))
        return a.size

    def _merge(self, a, b):
        size = self.sizes[a] + self.sizes[b]
        share = self.sizes[b] / size
        squared = self.store.squared(a, b)
        rows = slice(self.n_merges, self.n_merges + a.size)
        self.children[rows] = np.column_stack([self.nodes[a], self.nodes[b]])
        self.heights[rows] = self._linkage(a, b, squared)
        self.radii[a] += share * (self.radii[b] - self.radii[a]) + share * (1 - share) * squared
        self.store.merge(a, b, share)
        self.sizes[a], self.alive[b] = size, False
        self.nodes[a] = len(self.heights) + 1 + np.arange(rows.start, rows.stop)
        self.n_merges += a.size

    def _linkage(self, a, b, squared):
        if self.ward:
            return squared * (2 / (1 / self.sizes[a] + 1 / self.sizes[b]))
        return squared + (self.radii[a] + self.radii[b])

    def _compact(self, marked):
        """Drop the slots that are no longer in use, and return the marks of the others."""
        kept = np.flatnonzero(self.alive)
        self.neighbour = (np.cumsum(self.alive) - 1)[self.neighbour]
        for name in ("neighbour", "distance", "sizes", "radii", "nodes", "alive"):
            setattr(self, name, getattr(self, name)[kept])
        self.store.keep(kept)
        return marked[kept]

    def _look(self, slots):
        """Find the nearest neighbour of these clusters among all, block by block."""
        budget = min(get_config()["working_memory"] * 2**20 / 4, _BLOCK_BYTES)
        step = max(1, int(budget) // (16 * len(self.alive)))
        for start in range(0, len(slots), step):
            rows = slots[start : start + step]
            self.neighbour[rows], self.distance[rows] = self._nearest(rows)

    def _nearest(self, rows):
        bounds = self._bounds(rows)
        guess = bounds.argmin(axis=1)
        enough = self._linkage(rows, guess, self.store.squared(rows, guess))
        # No more than the exact distance of the first guess, with room for single precision's rounding.
        maybe = bounds <= (enough * (1 + 1e-6)).astype(bounds.dtype)[:, None]
        candidates = np.flatnonzero(maybe)
        if candidates.size > _MANY * len(rows):
            return self._nearest_exact(rows)
        k, column = np.divmod(candidates, maybe.shape[1])
        exact = self._linkage(rows[k], column, self.store.squared(rows[k], column))
        order = np.lexsort((column, exact, k))
        first = order[np.unique(k[order], return_index=True)[1]]
        return column[first], exact[first]

    def _bounds(self, rows):
        """Lower bounds of the linkage from some clusters to all others."""
        bounds = self.store.lower_bounds(rows)
        kind = bounds.dtype
        if self.ward and self.n_merges:
            inverse = (0.5 / self.sizes).astype(kind)
            bounds /= inverse[rows, None] + inverse
        elif self.n_merges:
            radii = self.radii.astype(kind)
            bounds += radii[rows, None]
            bounds += radii
        bounds[np.arange(len(rows)), rows] = np.inf
        return bounds

    def _nearest_exact(self, rows):
        """For data whose distances single precision cannot tell apart."""
        exact = self._linkage(rows[:, None], np.arange(len(self.alive)), self.store.squared_rows(rows))
        exact[np.arange(len(rows)), rows] = np.inf
        nearest = exact.argmin(axis=1)
        return nearest, exact[np.arange(len(rows)), nearest]
