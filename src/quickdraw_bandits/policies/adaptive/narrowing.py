"""One step of the search from coarse to fine of ``shortlist.py``."""

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.jit import compiled


@compiled
def narrow(
    points: Floats, index: Floats, least: float, begin: Integers, end: Integers, beam: int, finest: int, order: Integers
) -> tuple[Integers, Integers, Floats]:
    """Keep the ``beam`` ranges of the largest index, of equal ones the first, and halve those of more than ``finest``.

    ``least`` is the smallest index of those to keep.

    Returns the ranges, arranged by ``order``, a permutation of at least as many numbers, and the coordinates of their
    middles, one row per dimension; these have no columns where no range was halved.
    """
    low, high = np.empty(2 * beam, dtype=np.int64), np.empty(2 * beam, dtype=np.int64)
    equal, count = beam, 0
    for k in range(index.shape[0]):
        equal -= index[k] > least
    for k in range(index.shape[0]):
        if index[k] > least or (index[k] == least and equal > 0):
            equal -= index[k] == least
            first, last = begin[k], end[k]
            if last - first > finest:
                middle = (first + last) // 2
                low[count], high[count] = first, middle
                first = middle
                count += 1
            low[count], high[count] = first, last
            count += 1
    if count == beam:
        return low[:count], high[:count], np.empty((points.shape[1], 0))
    begins, ends = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    middles = np.empty((points.shape[1], count))
    place = 0
    for k in range(order.shape[0]):
        if order[k] < count:
            begins[place], ends[place] = low[order[k]], high[order[k]]
            for axis in range(points.shape[1]):
                middles[axis, place] = points[(begins[place] + ends[place]) // 2, axis]
            place += 1
    return begins, ends, middles
