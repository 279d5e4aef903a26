"""Local search for correlation clustering: many starts side by side, each to a local optimum.

A graph gives the search its `Table`, which scores moves: ``signed_graph.py`` holds the entries of S,
``vote_graph.py`` only counts labels.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from tqdm import tqdm

_BYTES = 400e6  # for the tables of the starts that run together
_EXPECTED_CLUSTERS = (
    300  # where their number is free: most in a random start; tables grow as far as they must
)
_ROUNDING = 1e-12  # gains up to this share of the largest possible are none


@dataclass(frozen=True)
class SearchResult:
    """The local optimum of each start, and how it got there.

    Attributes
    ----------
    labels : ndarray of shape (n_starts, n_nodes)
    inside : ndarray of shape (n_starts, n_sweeps + 1)
        Sum of S inside clusters before the first sweep and after each; the last value repeats once a
        start is at its optimum.
    n_sweeps : ndarray of shape (n_starts,)
        Sweeps that each took, the last of them without a move.
    """

    labels: np.ndarray
    inside: np.ndarray
    n_sweeps: np.ndarray

    @property
    def best(self):
        """Row of the best optimum, the first of equally good ones."""
        return int(self.inside[:, -1].argmax())


def random_starts(n_nodes, n_clusters, n_init, rng):
    """Draw random clusterings, a row each; without a number of clusters also that is random.

    Parameters
    ----------
    n_nodes : int
    n_clusters : int or None
    n_init : int
    rng : RandomState

    Returns
    -------
    ndarray of shape (n_init, n_nodes)
        The first rows are the same for any `n_init`.
    """
    starts = np.empty((n_init, n_nodes), dtype=np.intp)
    for row in starts:
        most = n_clusters or int(min(n_nodes, _EXPECTED_CLUSTERS) ** rng.uniform()) + 1
        row[:] = rng.randint(most, size=n_nodes)
    return starts


def local_search(graph, starts, n_clusters=None, order=None, max_iter=1000, progress=None):
    """Move nodes to better clusters from each start until no single move is left that lowers the cost.

    Parameters
    ----------
    graph : SignedGraph or VoteGraph
    starts : ndarray of shape (n_starts, n_nodes)
        Labels from 0.
    n_clusters : int, optional
        The most clusters; None lets the cost choose.
    order : ndarray of shape (n_nodes,), optional
        The order in which nodes are looked at.
    max_iter : int
        Most sweeps over all nodes.
    progress : bool, optional
        Show a bar on work over two seconds; None shows it on a terminal only.

    Returns
    -------
    SearchResult

    Notes
    -----
    Starts don't affect each other: a start ends in the same optimum whichever run beside it. Starts whose
    tables would take more than some memory run after another.
    """
    n_starts, n_nodes = starts.shape
    order = np.arange(n_nodes) if order is None else order
    together = int(max(1, _BYTES // graph.bytes_per_start(n_clusters or min(n_nodes, _EXPECTED_CLUSTERS))))
    bar = tqdm(
        total=n_starts, desc="local search", delay=2, disable=None if progress is None else not progress
    )
    labels, histories = [], []
    with bar:
        for first in range(0, n_starts, together):
            search = _Search(graph, starts[first : first + together], n_clusters)
            search.run(order, max_iter, bar)
            labels.append(search.labels)
            histories += search.histories
    length = max(map(len, histories))
    inside = np.array([history + history[-1:] * (length - len(history)) for history in histories])
    return SearchResult(np.concatenate(labels), inside, np.array([len(history) - 1 for history in histories]))


class _Search:
    """Starts that run together."""

    def __init__(self, graph, starts, n_clusters):
        self.table = graph.table(starts.T.copy(order="C"), n_clusters or int(starts.max()) + 2)
        self.n_clusters_is_free = n_clusters is None
        self.tolerance = _ROUNDING * graph.largest_score
        self.running = np.arange(len(starts))
        self.labels = starts.copy()
        self.histories = [[value] for value in self.table.inside().tolist()]

    def run(self, order, max_iter, bar):
        blocks = np.array_split(order, -(-order.size // self.table.block_size))
        for _ in range(max_iter):
            moved = np.zeros(self.running.size, dtype=bool)
            for block in blocks:
                moved |= self._improve(block)
            for start, value in zip(self.running, self.table.inside().tolist(), strict=True):
                self.histories[start].append(value)
            self._retire(~moved)
            bar.update(np.count_nonzero(~moved))
            if self.running.size == 0:
                return
        warnings.warn(
            f"{self.running.size} starts are not at a local optimum after {max_iter} sweeps: raise max_iter.",
            ConvergenceWarning,
            stacklevel=4,
        )
        self._retire(np.ones(self.running.size, dtype=bool))

    def _retire(self, done):
        self.labels[self.running[done]] = self.table.labels[:, done].T
        self.running = self.running[~done]
        self.table.keep(~done)

    def _improve(self, block):
        """Move the nodes of a block where that pays; tell in which starts it did."""
        table = self.table
        if self.n_clusters_is_free and table.sizes.all(axis=0).any():
            table.widen()  # there always is an empty cluster to move to
        scores, old = table.scores(block), table.labels[block]
        gains = scores.max(axis=1) - np.take_along_axis(scores, old[:, None], axis=1)[:, 0]
        node, start = np.nonzero(gains > self.tolerance)
        new = scores[node, :, start].argmax(axis=1)
        if self.n_clusters_is_free and block.size > 1:
            new = self._apart(start, new)
        moves = _Moves(block[node], start, old[node, start], new)
        if block.size > 1 and node.size:
            self._move_together(moves, gains[node, start])
        else:
            table.move(moves)
        return np.bincount(start, minlength=self.running.size) > 0

    def _apart(self, start, new):
        """Give each node that goes to an empty cluster one of its own."""
        table = self.table
        alone = np.flatnonzero(table.sizes[new, start] == 0)
        alone = alone[np.argsort(start[alone], kind="stable")]
        rank = np.arange(alone.size) - np.searchsorted(start[alone], start[alone])
        while (table.sizes == 0).sum(axis=0).min() <= rank.max(initial=0):
            table.widen()
        empty_first = np.argsort(table.sizes > 0, axis=0, kind="stable")
        new[alone] = empty_first[rank, start[alone]]
        return new

    def _move_together(self, moves, gains):
        """Make all moves of a block; where that doesn't help, take them back and make only the best one."""
        table = self.table
        before = table.slopes(moves)
        table.move(moves)
        # The sum inside is quadratic: its change is the mean slope along the way.
        change = np.bincount(moves.start, (before + table.slopes(moves)) / 2, self.running.size)
        worse = (change <= self.tolerance)[moves.start]
        if worse.any():
            gains = (gains * table.graph.sizes[moves.node])[worse]
            moves = moves.where(worse)
            table.move(moves.back())
            table.move(moves.where(_first_best(moves.start, gains)))


@dataclass(frozen=True)
class _Moves:
    """Moves of node[k] from cluster old[k] to new[k] in start[k]."""

    node: np.ndarray
    start: np.ndarray
    old: np.ndarray
    new: np.ndarray

    def where(self, chosen):
        return _Moves(self.node[chosen], self.start[chosen], self.old[chosen], self.new[chosen])

    def rows(self):
        return zip(*(side.tolist() for side in (self.node, self.start, self.old, self.new)), strict=True)

    def back(self):
        return _Moves(self.node, self.start, self.new, self.old)


def _first_best(start, gains):
    """Position of each start's largest gain."""
    order = np.lexsort((-gains, start))
    return order[np.unique(start[order], return_index=True)[1]]


class Table:
    """Labels of several starts; subclasses keep what makes the score of a move quick.

    Attributes
    ----------
    labels : ndarray of shape (n_nodes, n_starts)
    sizes : ndarray of shape (n_clusters, n_starts)
        Number of nodes in each cluster.
    """

    block_size = 1

    def __init__(self, labels, n_clusters):
        self.labels = labels
        self.sizes = np.zeros((n_clusters, labels.shape[1]), dtype=np.intp)
        np.add.at(self.sizes, (labels, np.arange(labels.shape[1])), 1)

    def keep(self, starts):
        self.labels = np.compress(starts, self.labels, axis=1)
        self.sizes = np.compress(starts, self.sizes, axis=1)

    def widen(self):
        self.sizes = np.concatenate([self.sizes, np.zeros_like(self.sizes)])

    def move(self, moves):
        self.labels[moves.node, moves.start] = moves.new
        np.subtract.at(self.sizes, (moves.old, moves.start), 1)
        np.add.at(self.sizes, (moves.new, moves.start), 1)
