"""Kernel k-means by alternating means and assignments, all restarts side by side."""

import numpy as np

from .eigenspace import product

_MARGIN = 1e-12  # of the largest diagonal entry: a smaller gain is rounding, and no reason to move


def kernel_lloyd(K, n_clusters, n_init, max_iter, random_state):
    """Best of several runs: labels, objective, number of rounds, whether it settled.

    Every run keeps all its clusters: one that loses its last object takes the object that lies farthest from
    its own mean. The objective (Eq. 1) never rises for a positive semidefinite kernel.

    Parameters
    ----------
    K : ndarray or object with a product
    n_clusters, n_init, max_iter : int
    random_state : RandomState

    Returns
    -------
    tuple of ndarray, float, int, bool
    """
    diagonal = np.asarray(K.diagonal(), dtype=np.float64)
    labels = _plus_plus(K, diagonal, n_clusters, random_state.random_sample((n_init, n_clusters)))
    margin = _MARGIN * np.abs(diagonal).max()
    rounds, moving = np.full(n_init, max_iter), np.arange(n_init)
    for round_ in range(1, max_iter + 1):
        distances = _squared_distances(K, diagonal, labels[moving], n_clusters)
        moved = _assign(distances, labels[moving], margin)
        still = (moved != labels[moving]).any(axis=1)
        labels[moving], rounds[moving[~still]] = moved, round_
        moving = moving[still]
        if not moving.size:
            break
    objectives = _objectives(K, diagonal, labels, n_clusters)
    best = int(objectives.argmin())
    return labels[best], float(objectives[best]), int(rounds[best]), best not in moving


def kernel_objective(K, labels, n_clusters):
    """Sum of squared distances to the means of the clusters (Eq. 1)."""
    diagonal = np.asarray(K.diagonal(), dtype=np.float64)
    return float(_objectives(K, diagonal, np.asarray(labels, dtype=np.intp)[None], n_clusters)[0])


def _objectives(K, diagonal, labels, n_clusters):
    distances = _squared_distances(K, diagonal, labels, n_clusters)
    own = np.take_along_axis(distances, labels[..., None], axis=2)
    return np.maximum(own.sum(axis=(1, 2)), 0)


def _plus_plus(K, diagonal, n_clusters, draws):
    """Nearest of centres drawn one by one, with probability proportional to the squared distance."""
    n, run = len(diagonal), np.arange(len(draws))
    closest = np.ones((len(draws), n))
    labels = np.zeros((len(draws), n), dtype=np.intp)
    for j in range(n_clusters):
        reach = closest.cumsum(axis=1)
        flat = reach[:, -1] == 0  # all objects coincide with a centre
        reach[flat] = np.arange(1, n + 1)
        centre = np.minimum((reach <= draws[:, [j]] * reach[:, [-1]]).sum(axis=1), n - 1)
        distance = np.maximum(diagonal + diagonal[centre, None] - 2 * _columns(K, centre).T, 0)
        distance[run, centre] = 0
        nearer = (distance < closest) | (j == 0)
        labels[nearer], closest = j, np.where(nearer, distance, closest)
    return labels


def _columns(K, indices):
    if isinstance(K, np.ndarray):
        return K[:, indices].astype(np.float64)
    units = np.zeros((K.shape[0], len(indices)))
    units[indices, np.arange(len(indices))] = 1
    return product(K, units)


def _squared_distances(K, diagonal, labels, n_clusters):
    """Squared distances to the means, of shape (runs, n, n_clusters); inf to an empty cluster."""
    runs, n = labels.shape
    member = np.zeros((n, runs, n_clusters))
    np.put_along_axis(member, labels.T[..., None], 1.0, axis=2)
    sizes = member.sum(axis=0)
    similarity = product(K, member.reshape(n, -1)).reshape(member.shape) / np.maximum(sizes, 1)
    compactness = (member * similarity).sum(axis=0) / np.maximum(sizes, 1)
    distances = diagonal[:, None, None] - 2 * similarity + compactness
    return np.where(sizes > 0, distances, np.inf).transpose(1, 0, 2)


def _assign(distances, labels, margin):
    """Nearest means; an object stays where the gain is rounding, and no cluster is left empty."""
    own = np.take_along_axis(distances, labels[..., None], axis=2)[..., 0]
    moved = np.where(distances.min(axis=2) < own - margin, distances.argmin(axis=2), labels)
    for run, row in enumerate(moved):
        _fill_empty(row, distances[run], distances.shape[2])
    return moved


def _fill_empty(row, distances, n_clusters):
    sizes = np.bincount(row, minlength=n_clusters)
    if sizes.all():
        return
    own = distances[np.arange(len(row)), row]
    for empty in np.flatnonzero(sizes == 0):
        far = int(np.where(sizes[row] > 1, own, -np.inf).argmax())
        sizes[row[far]] -= 1
        row[far], sizes[empty], own[far] = empty, 1, -np.inf
