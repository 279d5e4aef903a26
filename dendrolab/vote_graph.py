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
        seen = labelings.codes >= 0
        widths = labelings.codes.max(axis=1) + 1
        self.first = np.concatenate([[0], np.cumsum(widths)])
        # Row of each label in a table of all members' labels; a last row of zeros stands for gaps.
        self.rows = np.where(seen, labelings.codes + self.first[:-1, None], self.first[-1])
        self.own_votes = self.weights @ seen
        self.largest_score = float(self.weights.sum() * self.sizes.sum())
        self.block_size = -(-self.sizes.size // _BLOCKS)

    def bytes_per_start(self, n_clusters):
        return 24 * n_clusters * (self.first[-1] + self.block_size) + 16 * self.sizes.size

    def table(self, labels, n_clusters):
        return VoteTable(self, labels, n_clusters)


class VoteTable(Table):
    """Counts of objects by label, cluster and start."""

    def __init__(self, graph, labels, n_clusters):
        super().__init__(labels, n_clusters)
        self.graph, self.block_size, self.multiplicity = graph, graph.block_size, graph.sizes
        self.counts = np.zeros((graph.first[-1] + 1, n_clusters, labels.shape[1]))
        start = np.arange(labels.shape[1])
        for rows in graph.rows:
            np.add.at(self.counts, (rows[:, None], labels, start), graph.sizes[:, None])
        self.counts[-1] = 0

    def keep(self, starts):
        super().keep(starts)
        self.counts = self.counts[:, :, starts]

    def widen(self):
        super().widen()
        self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)], axis=1)

    def inside(self):
        """Sum of S^e over pairs of objects inside clusters, for each start."""
        graph = self.graph
        squares = np.add.reduceat(np.square(self.counts[:-1]).sum(axis=1), graph.first[:-1])
        members = np.square(self._member_sizes()).sum(axis=1)
        ordered = graph.weights @ (2 * squares - members)
        return (ordered - graph.own_votes @ graph.sizes) / 2

    def _member_sizes(self):
        """Objects in each cluster that each member has seen: shape (M, n_clusters, n_starts)."""
        return np.add.reduceat(self.counts[:-1], self.graph.first[:-1])

    def scores(self, block):
        """Sum of S^e from an object of each group to each cluster, the group itself left out."""
        graph = self.graph
        widths = np.diff(graph.first)
        votes = np.zeros_like(self.counts)
        votes[:-1] = 2 * self.counts[:-1] - np.repeat(self._member_sizes(), widths, axis=0)
        votes[:-1] *= np.repeat(graph.weights, widths)[:, None, None]
        scores = votes[graph.rows[0, block]]
        for rows in graph.rows[1:]:
            scores += votes[rows[block]]
        itself = (graph.own_votes * graph.sizes)[block, None]
        node, start = np.ogrid[: block.size, : self.labels.shape[1]]
        scores[node, self.labels[block], start] -= itself
        return scores

    def move(self, moves):
        super().move(moves)
        size = self.multiplicity[moves.node]
        for rows in self.graph.rows:
            np.subtract.at(self.counts, (rows[moves.node], moves.old, moves.start), size)
            np.add.at(self.counts, (rows[moves.node], moves.new, moves.start), size)
        self.counts[-1] = 0
