"""Maxima over many ranges of one array at once."""

import numpy as np


class RangeMaximum:
    """Binary tree of maxima over an array of numbers from 0: built in O(n), O(log n) a range.

    Parameters
    ----------
    values : ndarray of int, shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.range_maximum import RangeMaximum
    >>> RangeMaximum(np.array([3, 1, 2])).over(np.array([0, 1, 2]), np.array([3, 3, 2]))
    array([ 3,  2, -1])
    """

    def __init__(self, values):
        self._width = 1 << max(len(values), 1).bit_length()
        self._maxima = np.full(2 * self._width, -1)
        self._maxima[self._width : self._width + len(values)] = values
        width = self._width
        while width > 1:  # node k has children 2 k and 2 k + 1
            self._maxima[width // 2 : width] = self._maxima[width : 2 * width].reshape(-1, 2).max(axis=1)
            width //= 2

    def over(self, first, last):
        """Largest values[first[k]:last[k]] for each k, -1 where that is empty.

        Parameters
        ----------
        first, last : ndarray of int, shape (m,)

        Returns
        -------
        ndarray of shape (m,)
        """
        first, last = first + self._width, last + self._width
        largest = np.full(first.shape, -1)
        while (first < last).any():  # each round halves the ranges, taking a node off an odd end
            for odd, node in ((first, first), (last, last - 1)):
                take = (odd & 1 == 1) & (first < last)
                largest[take] = np.maximum(largest[take], self._maxima[node[take]])
            first, last = (first + 1) // 2, last // 2
        return largest
