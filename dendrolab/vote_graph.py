"""The signed graph of an ensemble, known by counts of labels alone: S^e is never formed."""

import numpy as np

from .local_search import Table

_BLOCKS = 30  # steps of a sweep; with fewer, moves of a block get in each other's way


class VoteGraph:
    """An ensemble's signed graph over groups of objects with the same labels.

    Parameters
    ----------
    labelings : Labelings

    Notes
    -----
    A group moves as a whole. That loses nothing: its objects have positive weights between them, so that
    where moving one of them pays, moving all pays more.
    """

    def __init__(self, labelings):
        self.sizes, self.weights = labelings.sizes.astype(float), labelings.weights
        self.seen = (labelings.codes >= 0).astype(float)
        widths = labelings.codes.max(axis=1) + 1
        self.first = np.concatenate([[0], np.cumsum(widths)])
        # Row of each label in a table of all members' labels; a last row of zeros stands for gaps.
        self.rows = np.where(self.seen, labelings.codes + self.first[:-1, None], self.first[-1])
        self.own_votes = self.weights @ self.seen
        self.largest_score = float(self.weights.sum() * self.sizes.sum())
        self.block_size = -(-self.sizes.size // _BLOCKS)

    def bytes_per_start(self, n_clusters):
        return 24 * n_clusters * (self.first[-1] + self.block_size) + 16 * self.sizes.size

    def table(self, labels, n_clusters):
        return VoteTable(self, labels, n_clusters)


class VoteTable(Table):
    """Votes by label, cluster and start, kept up to date.

    Attributes
    ----------
    votes : ndarray of shape (n_labels + 1, n_clusters, n_starts)
        Twice the member's weight times the number of objects that have the label and are in the cluster; the
        last row, of gaps, stays zero.
    member_sizes : ndarray of shape (M, n_clusters, n_starts)
        The member's weight times the number of objects in the cluster that it has seen.
    """

    def __init__(self, graph, labels, n_clusters):
        super().__init__(labels, n_clusters)
        self.graph, self.block_size = graph, graph.block_size
        n_starts = labels.shape[1]
        self.votes = np.zeros((graph.first[-1] + 1, n_clusters, n_starts))
        self.member_sizes = np.zeros((len(graph.rows), n_clusters, n_starts))
        nodes = np.arange(len(labels))
        for start in range(n_starts):
            self._count(nodes, self._cells(labels[:, start], start), 1)

    def keep(self, starts):
        super().keep(starts)
        self.votes = np.compress(starts, self.votes, axis=2)
        self.member_sizes = np.compress(starts, self.member_sizes, axis=2)

    def widen(self):
        super().widen()
        self.votes = np.concatenate([self.votes, np.zeros_like(self.votes)], axis=1)
        self.member_sizes = np.concatenate([self.member_sizes, np.zeros_like(self.member_sizes)], axis=1)

    def inside(self):
        """Sum of S^e over pairs of objects inside clusters, for each start."""
        graph, total = self.graph, 0
        for first, last, weight, sizes in zip(
            graph.first[:-1], graph.first[1:], graph.weights, self.member_sizes, strict=True
        ):
            votes = self.votes[first:last]
            total = (
                total
                + (votes * (votes / (2 * weight))).sum(axis=(0, 1))
                - (sizes * (sizes / weight)).sum(axis=0)
            )
        return (total - graph.own_votes @ graph.sizes) / 2

    def scores(self, block):
        """Sum of S^e from an object of each group to each cluster, the group itself left out."""
        graph = self.graph
        scores = self.votes[graph.rows[0, block]]
        for rows in graph.rows[1:]:
            scores += self.votes[rows[block]]
        scores -= np.tensordot(graph.seen[:, block].T, self.member_sizes, axes=1)
        node, start = np.ogrid[: block.size, : self.labels.shape[1]]
        scores[node, self.labels[block], start] -= (graph.own_votes * graph.sizes)[block, None]
        return scores

    def slopes(self, moves):
        """For each move: its size times the score of the new cluster minus that of the old, self included."""
        graph, change = self.graph, 0
        old, new = self._cells(moves.old, moves.start), self._cells(moves.new, moves.start)
        for rows, seen, sizes in zip(graph.rows, graph.seen, self.member_sizes, strict=True):
            first, votes = rows[moves.node] * sizes.size, self.votes.ravel()
            change = change + votes[first + new] - votes[first + old]
            change -= seen[moves.node] * (sizes.ravel()[new] - sizes.ravel()[old])
        return change * graph.sizes[moves.node]

    def move(self, moves):
        super().move(moves)
        self._count(moves.node, self._cells(moves.old, moves.start), -1)
        self._count(moves.node, self._cells(moves.new, moves.start), 1)

    def _cells(self, cluster, start):
        """Places in a flattened table of clusters and starts: one index is quicker than two."""
        return cluster * self.sizes.shape[1] + start

    def _count(self, node, cells, sign):
        graph = self.graph
        for rows, seen, weight, sizes in zip(
            graph.rows, graph.seen, graph.weights, self.member_sizes, strict=True
        ):
            votes = sign * weight * graph.sizes[node] * seen[node]
            np.add.at(self.votes.reshape(-1), rows[node] * sizes.size + cells, 2 * votes)
            np.add.at(sizes.reshape(-1), cells, votes)
