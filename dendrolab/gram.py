"""The exact coordinates of a dendrogram, one a node, and their Gram matrix as an operator of cost O(n)."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from .levels import level_function
from .memory import check_memory
from .validation import check_dendrogram


def branch_lengths(dendrogram, f):
    """Length (f(parent) - f(v)) / 2 of the branch above each node but the root, in node order."""
    return (f[dendrogram.parents[:-1]] - f[:-1]) / 2


def tree_coordinates(dendrogram, level="level"):
    """Exact coordinates with one column a node: sqrt of the node's branch length, for the objects under it.

    Parameters
    ----------
    dendrogram : Dendrogram
        With n objects.
    level : str, callable or array-like

    Returns
    -------
    csr_array of shape (n, 2 n - 2)
        Squared Euclidean distances of its rows are the dendrogram's distances. It has as many entries as
        all objects have ancestors: n log n for a balanced tree, n^2 / 2 for a chain.

    Examples
    --------
    >>> from dendrolab import Dendrogram, tree_coordinates
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
    >>> (tree_coordinates(tree, "linkage").toarray() ** 2).round(6)
    array([[0.5, 0. , 0. , 1.5],
           [0. , 0.5, 0. , 1.5],
           [0. , 0. , 2. , 0. ]])
    """
    check_dendrogram(dendrogram)
    dendrogram.check_connected()
    f = level_function(dendrogram, level)
    lengths = branch_lengths(dendrogram, f)
    sizes = np.where(lengths > 0, dendrogram.sizes[:-1], 0)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    check_memory(32 * starts[-1], f"the {starts[-1]} coordinates of all nodes", "Use embed_dendrogram.")
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
    rows = dendrogram.leaf_order[np.repeat(dendrogram.intervals[:-1, 0], sizes) + within]
    values = np.repeat(np.sqrt(lengths), sizes)
    shape = dendrogram.n_objects, 2 * dendrogram.n_objects - 2
    return sparse.csc_array((values, rows, starts), shape=shape).tocsr()


class TreeGram:
    """The Gram matrix G = sum over nodes v of length(v) 1_v 1_v^T as an operator in leaf order.

    With P the prefix sums of x, x^T G x = sum of length(v) (P[last] - P[first])^2: the Laplacian of the
    graph that joins the ends of each node's interval. So G x is prefix sums, one sparse product, and
    suffix sums: O(n).
    """

    def __init__(self, dendrogram, f):
        n = dendrogram.n_objects
        self.n, self.lengths, self.sizes = n, branch_lengths(dendrogram, f), dendrogram.sizes[:-1]
        self.positions = dendrogram.positions
        ends = dendrogram.intervals[:-1].T
        edges = sparse.coo_array((self.lengths, tuple(ends)), shape=(n + 1, n + 1)).tocsr()
        edges = edges + edges.T
        self.laplacian = (sparse.diags_array(edges.sum(axis=1)) - edges).tocsr()

    def __matmul__(self, x):
        prefix = np.concatenate([np.zeros((1, *x.shape[1:])), np.cumsum(x, axis=0)])
        return -np.cumsum((self.laplacian @ prefix)[:-1], axis=0)

    def centred(self):
        """The papers' W = A G A, in leaf order."""

        def product(x):
            x = x.reshape(self.n, -1)
            y = self @ (x - x.mean(axis=0))
            return y - y.mean(axis=0)

        return LinearOperator((self.n, self.n), matvec=product, matmat=product, dtype=np.float64)

    def centred_trace(self):
        """Sum of all eigenvalues of A G A."""
        return float(self.lengths @ (self.sizes * (1 - self.sizes / self.n)))
