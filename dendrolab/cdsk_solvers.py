"""Descent on 1/2 Tr(Y' L Y) + n lam alpha' P alpha, with Y' D Y = I and alpha on the simplex."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from tqdm import tqdm

from .laplacian import SpectralEmbedding, cluster_rows, embed_similarity
from .simplex_qp import minimize_on_simplex

SOLVERS = ("reduced", "smo", "discrete")
_BACKTRACKS = 10


@dataclass(frozen=True)
class Solution:
    """Weights of the objects, and what they give.

    Attributes
    ----------
    weights : ndarray of shape (n,)
    similarity : ndarray or csr_array of shape (n, n)
    embedding : SpectralEmbedding
    history : ndarray
        The objective at the start and after each half-step.
    n_iter : int
    converged : bool
    """

    weights: np.ndarray
    similarity: np.ndarray | sparse.csr_array
    embedding: SpectralEmbedding
    history: np.ndarray
    n_iter: int
    converged: bool


def solve_reduced(pairs, alpha, n_clusters, max_iter, tol):
    """Descend on alpha alone: Y is solved for at each point, so that D follows alpha.

    The objective is half the sum of the smallest eigenvalues mu_k(alpha) plus the penalty. Steps are
    multiplicative, and 1 / max_iter long in the largest log weight: before the scaling to sum 1 no weight
    moves by more than a factor e in all rounds together, and so alpha cannot collapse onto a few objects. A
    step that does not lower the objective is halved.
    """
    point = _Reduced(pairs, alpha, n_clusters)
    history, converged = [point.objective], False
    for _ in _rounds(max_iter):
        lower = _lower_point(point, 1 / max_iter)
        converged = lower is None or point.objective - lower.objective <= tol * abs(point.objective)
        point = lower or point
        history.append(point.objective)
        if converged:
            break
    return Solution(
        point.alpha, point.similarity, point.embedding, np.array(history), len(history) - 1, converged
    )


class _Reduced:
    """One alpha with its embedding and objective."""

    def __init__(self, pairs, alpha, n_clusters, start=None):
        self.pairs, self.alpha = pairs, alpha
        self.similarity = pairs.similarity(alpha)
        self.embedding = embed_similarity(self.similarity, n_clusters, start)
        self.objective = self.embedding.eigenvalues.sum() / 2 + pairs.penalty(alpha)

    def gradient(self):
        """Gradient along the simplex: its mean under alpha is taken off."""
        trace = self.pairs.trace_gradient(self.alpha, self.embedding.coordinates, self.embedding.eigenvalues)
        gradient = trace + self.pairs.penalty_gradient(self.alpha)
        return gradient - self.alpha @ gradient, np.abs(gradient).max()

    def moved(self, log_step):
        """The point at alpha exp(log_step), scaled to sum 1."""
        alpha = self.alpha * np.exp(log_step)
        vectors = self.embedding.vectors
        return _Reduced(self.pairs, alpha / alpha.sum(), vectors.shape[1], vectors)


def _lower_point(point, step):
    """A point along the descent direction with a lower objective, or None where there is none."""
    gradient, size = point.gradient()
    steepest = np.abs(gradient[point.alpha > 0]).max()
    if steepest <= 1e-12 * size:
        return None
    for halvings in range(_BACKTRACKS):
        trial = point.moved(-gradient * (step / steepest / 2**halvings))
        if trial.objective < point.objective:
            return trial
    return None


def solve_alternating(pairs, alpha, n_clusters, max_iter, tol):
    """Coordinate descent (Algorithm 1): alpha by SMO with Y fixed, then Y by eigenvectors."""
    return _alternate(pairs, alpha, n_clusters, max_iter, tol, lambda embedding: embedding.coordinates)


def solve_discrete(pairs, alpha, n_clusters, max_iter, tol, random_state):
    """Coordinate descent with the labels' binary Y in the alpha-step, where the quadratic is convex."""

    def membership(embedding):
        labels = cluster_rows(embedding.vectors, n_clusters, random_state=random_state)
        return np.eye(n_clusters)[labels]

    return _alternate(pairs, alpha, n_clusters, max_iter, tol, membership)


def _alternate(pairs, alpha, n_clusters, max_iter, tol, membership):
    S = pairs.similarity(alpha)
    embedding = embed_similarity(S, n_clusters)
    Y = membership(embedding)
    history, converged = [_objective(S, Y) + pairs.penalty(alpha)], False
    for _ in _rounds(max_iter):
        column, diagonal, b = pairs.quadratic(Y)
        alpha = minimize_on_simplex(column, b, alpha, tol=1e-7, diagonal=diagonal).x
        S = pairs.similarity(alpha)
        history.append(_objective(S, Y) + pairs.penalty(alpha))
        embedding = embed_similarity(S, n_clusters, embedding.vectors)
        Y = membership(embedding)
        history.append(_objective(S, Y) + pairs.penalty(alpha))
        converged = abs(history[-1] - history[-3]) <= tol * abs(history[-3])
        if converged:
            break
    return Solution(alpha, S, embedding, np.array(history), len(history) // 2, converged)


def _objective(S, Y):
    """1/2 Tr(Y' L Y)."""
    degrees = np.asarray(S.sum(axis=1)).ravel()
    return float(degrees @ np.square(Y).sum(axis=1) - np.sum(Y * (S @ Y))) / 2


def _rounds(max_iter):
    return tqdm(range(max_iter), desc="CDSK", delay=2, disable=None, leave=False)
