"""The Gram matrix of a dendrogram's exact coordinates, as an operator of cost O(n)."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator


def branch_lengths(dendrogram, f):
    """Length (f(parent) - f(v)) / 2 of the branch above each node but the root, in node order."""
    return (f[dendrogram.parents[:-1]] - f[:-1]) / 2


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
