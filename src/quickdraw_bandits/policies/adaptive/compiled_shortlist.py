"""The search from coarse to fine of ``shortlist.py``, compiled; ``plain.shortlist`` is the same search in NumPy.

Arms are rows of coordinates in the order of a balanced tree, each node of which is a range of rows.
"""

import numpy as np
from numba import njit

from quickdraw_bandits.policies.adaptive.compiled_index import survey

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})


@_compiled
def search(places, begin, end, beam, finest, knowledge, gamma, seen, order):
    """Return rows of ``places``, in order, and their coordinates as ``survey`` takes them.

    Looks at one row of each range, keeps the ``beam`` most promising, halves these, and so on down to ranges of at most
    ``finest`` rows. Those in which rows of ``seen`` lie are added. Of ranges that promise the same, those are kept
    whose numbers come first in ``order``. ``knowledge`` is what ``survey`` takes of a model.
    """
    while True:
        if begin.shape[0] > beam:
            among = order[order < begin.shape[0]]
            begin, end = begin[among], end[among]
            values = _promise(_columns(places, (begin + end) // 2), knowledge, gamma)
            kept = _largest(values, beam)
            begin, end = begin[kept], end[kept]
        if (end - begin).max() <= finest:
            break
        begin, end = _halved(begin, end, finest)
    begin = np.unique(np.concatenate((begin, _starts(seen, places.shape[0], finest))))
    rows = np.empty(begin.shape[0] * finest, dtype=np.int64)
    found = 0
    for first in begin:
        for row in range(first, _end(first, places.shape[0], finest)):
            rows[found] = row
            found += 1
    rows = rows[:found]
    return rows, _columns(places, rows)


@_compiled
def _columns(places, rows):
    out = np.empty((places.shape[1], rows.shape[0]))
    for i in range(rows.shape[0]):
        for axis in range(places.shape[1]):
            out[axis, i] = places[rows[i], axis]
    return out


@_compiled
def _promise(columns, knowledge, gamma):
    """Return the bound of the index: mean + gamma s, with s no less than the deviation."""
    sources, fading, weights, doublings, near, noises, eigenvalue = knowledge
    mean, variance = np.empty(columns.shape[1]), np.empty(columns.shape[1])
    nothing = np.empty((0, 0))
    survey(columns, nothing, sources, fading, weights, doublings, near, noises, eigenvalue, mean, variance)
    return mean + gamma * np.sqrt(variance)


@_compiled
def _largest(values, count):
    """Return positions of the largest values in increasing order; of equal ones the first."""
    least = -np.partition(-values, count - 1)[count - 1]
    equal = count - np.sum(values > least)
    out = np.empty(count, dtype=np.int64)
    found = 0
    for k in range(values.shape[0]):
        if values[k] > least or (values[k] == least and equal > 0):
            equal -= values[k] == least
            out[found] = k
            found += 1
    return out


@_compiled
def _halved(begin, end, finest):
    """Return the halves of ranges of more than ``finest``, and the others as they are."""
    count = begin.shape[0] + np.sum(end - begin > finest)
    low, high = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    found = 0
    for k in range(begin.shape[0]):
        middle = begin[k]
        if end[k] - begin[k] > finest:
            middle = (begin[k] + end[k]) // 2
            low[found], high[found] = begin[k], middle
            found += 1
        low[found], high[found] = middle, end[k]
        found += 1
    return low, high


@_compiled
def _finest_range(row, n, finest):
    """Return the range of at most ``finest`` of ``n`` rows in which a row lies."""
    begin, end = 0, n
    while end - begin > finest:
        middle = (begin + end) // 2
        if row < middle:
            end = middle
        else:
            begin = middle
    return begin, end


@_compiled
def _starts(rows, n, finest):
    out = np.empty(rows.shape[0], dtype=np.int64)
    for k in range(rows.shape[0]):
        out[k] = _finest_range(rows[k], n, finest)[0]
    return out


@_compiled
def _end(row, n, finest):
    return _finest_range(row, n, finest)[1]
