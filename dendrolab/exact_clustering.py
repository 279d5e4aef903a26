"""The best clustering of a small signed graph: what other ways to it are measured by."""

from functools import cache
from operator import itemgetter

import numpy as np
from scipy import sparse

from .correlation import check_n_clusters
from .signed_graph import check_signed_matrix, inside_sums, positive_sum

_UP_TO = 12  # objects


def exact_clustering(S, n_clusters=None):
    """Best clustering of a small signed graph, over all of them.

    Parameters
    ----------
    S : array-like or sparse matrix of shape (n, n)
        Signed graph, as for `correlation_cost`, of at most 12 objects.
    n_clusters : int, optional
        The most clusters.

    Returns
    -------
    labels : ndarray of shape (n,)
    cost : float

    Notes
    -----
    Dynamic programming over sets: the best clustering of a set takes some part that holds its first object,
    and the best clustering of the rest.

    Examples
    --------
    >>> from dendrolab.exact_clustering import exact_clustering
    >>> exact_clustering([[0, 1, -1], [1, 0, -1], [-1, -1, 0]])
    (array([0, 0, 1]), 0.0)
    """
    S = check_signed_matrix(S)
    S = S.toarray() if sparse.issparse(S) else S
    n = len(S)
    if n > _UP_TO:
        raise ValueError(f"S has {n} objects: all clusterings are tried for at most {_UP_TO}.")
    check_n_clusters(n_clusters, n)
    members = np.arange(2**n)[:, None] >> np.arange(n) & 1
    inside = ((members @ S) * members).sum(axis=1) / 2
    best_part = _best_parts(inside.tolist())
    labels, left, parts = np.zeros(n, dtype=np.intp), 2**n - 1, n_clusters or np.inf
    for cluster in range(n):
        part = best_part(left, parts)[1]
        labels[members[part] == 1] = cluster
        left, parts = left ^ part, parts - 1
    return labels, positive_sum(S) - inside_sums(S, labels)


def _best_parts(inside):
    """Function of a set, as bits, and a number of parts: the best sum inside parts, and one of the parts."""

    @cache
    def best(objects, parts):
        if objects == 0 or parts == 0:
            return (0.0 if objects == 0 else -np.inf), 0
        rest = objects & (objects - 1)
        first, part, answer = objects ^ rest, rest, (-np.inf, objects)
        while part >= 0:
            value = inside[first | part] + best(rest ^ part, parts - 1)[0]
            answer = max(answer, (value, first | part), key=itemgetter(0))
            part = (part - 1) & rest if part else -1
        return answer

    return best
