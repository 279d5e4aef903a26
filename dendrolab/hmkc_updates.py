"""The updates of HMKC (Eqs. 10 to 15): one chain of intermediary matrices a kernel, and their consensus."""

from dataclasses import dataclass
from itertools import repeat

import numpy as np
from tqdm import tqdm

from .eigenspace import fix_signs, leading_eigenvectors, leading_of_projections, product


class Chain:
    """The intermediary matrices H^(1), ..., H^(s) of one kernel.

    Parameters
    ----------
    kernel : ndarray or object with a product
    U, KU : ndarray of shape (n, r)
        Leading eigenvectors of the kernel, c_1 or some more where its rank allows, and the kernel times them.
    sizes : tuple of int
    """

    def __init__(self, kernel, U, KU, sizes):
        self.kernel, self.sizes = kernel, sizes
        self.matrices = [U[:, :size] for size in sizes]
        self.image = KU[:, : sizes[0]]
        self.space = (U, KU)

    def update(self, forward, gamma, beta, H):
        """Update all layers, from the kernel up or from the partition down (Eqs. 10 to 12)."""
        weights = [*gamma, beta]
        layers = range(len(self.sizes))
        for t in layers if forward else reversed(layers):
            above = (weights[t + 1], H if t + 1 == len(self.sizes) else self.matrices[t + 1])
            if t == 0:
                self._update_first(weights[0], *above)
            else:
                blocks = [(weights[t], self.matrices[t - 1]), above]
                self.matrices[t] = leading_of_projections(blocks, self.sizes[t], self._image_of)
        return self

    def _update_first(self, a, b, V):
        _, self.matrices[0], self.image = leading_eigenvectors(
            self.kernel, self.sizes[0], a, V, b, self.space
        )

    def _image_of(self, E):
        return product(self.kernel, E)

    def strengths(self, H):
        """Traces that the weights of the layers and of the partition multiply (Eqs. 14 and 15)."""
        above = [*self.matrices[1:], H]
        agreement = [np.square(U.T @ V).sum() for U, V in zip(self.matrices, above, strict=True)]
        return [max((self.matrices[0] * self.image).sum(), 0.0), *agreement]


@dataclass(frozen=True)
class Optimum:
    """Where the updates stopped.

    Attributes
    ----------
    partition : ndarray of shape (n, n_clusters)
    kernel_weights : ndarray of shape (m,)
    layer_weights : ndarray of shape (s, m)
    history : list of float
    converged : bool
    """

    partition: np.ndarray
    kernel_weights: np.ndarray
    layer_weights: np.ndarray
    history: list
    converged: bool


def optimise(chains, n_clusters, max_iter, tol, run=map, progress=None):
    """Alternate forward and backward rounds until the objective (Eq. 9) settles; changes the chains."""
    m, s = len(chains), len(chains[0].sizes)
    weights = np.full((s + 1, m), 1 / m)  # gamma^(1), ..., gamma^(s), beta
    history, converged = [], False
    hidden = None if progress is None else not progress
    for round_ in tqdm(range(max_iter), desc="HMKC rounds", delay=2, disable=hidden):
        H = consensus(chains, weights[-1], n_clusters)
        forward, gamma, beta = round_ % 2 == 0, weights[:-1].T, weights[-1]
        list(run(Chain.update, chains, repeat(forward), gamma, beta, repeat(H)))
        strengths = np.array([chain.strengths(H) for chain in chains]).T
        norms = np.linalg.norm(strengths, axis=1, keepdims=True)
        weights = strengths / norms
        history.append(float(norms.sum()))  # at its best weights, a layer's term is the norm of its traces
        converged = len(history) > 1 and abs(history[-1] - history[-2]) < tol * abs(history[-1])
        if converged:
            break
    return Optimum(fix_signs(H), weights[-1], weights[:-1], history, converged)


def consensus(chains, beta, n_clusters):
    """The partition that agrees most with the last layers (Eq. 13)."""
    blocks = [(weight, chain.matrices[-1]) for weight, chain in zip(beta, chains, strict=True)]

    def image_of(E):
        return sum(weight * product(chain.kernel, E) for weight, chain in zip(beta, chains, strict=True))

    return leading_of_projections(blocks, n_clusters, image_of)
