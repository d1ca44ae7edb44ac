"""A balanced tree over points: an order of them in which every node is a range, and the bounds of every node."""

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.jit import inner, scalar


def balanced_tree(points: Floats, leaf: int) -> tuple[Floats, np.ndarray, Floats]:
    """Return the points in the tree's order, their former positions, and the low and high corner of every node.

    Node k has the children 2k + 1 and 2k + 2. A node's range is halved at the median of its widest coordinate, the odd
    point going to the second half, until no leaf has more than ``leaf`` points.
    """
    n, dimension = points.shape
    levels = 0
    while n > leaf << levels:
        levels += 1
    rows = np.empty((n, dimension + 1))
    rows[:, :-1] = points
    rows[:, -1] = np.arange(n)
    bounds = np.empty((2 ** (levels + 1) - 1, 2 * dimension))
    build(rows, bounds)
    return rows[:, :-1], rows[:, -1].astype(np.int32), bounds


@inner
def node_range(node, n):
    """Return the range of points below a node of the tree over ``n`` points."""
    depth = 0
    while (node + 1) >> (depth + 1):
        depth += 1
    begin, end = 0, n
    for bit in range(depth - 1, -1, -1):
        middle = (begin + end) // 2
        if ((node + 1) >> bit) & 1:
            begin = middle
        else:
            end = middle
    return begin, end


@inner
def partition(rows, begin, end, middle, column):
    """Reorder rows so that those before ``middle`` are no larger in ``column`` than those after (quickselect)."""
    low, high = begin, end - 1
    _, n_columns = rows.shape
    while low < high:
        # The median of three, so that sorted input, the usual case, is split in half.
        a, b, c = rows[low, column], rows[(low + high) // 2, column], rows[high, column]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while rows[i, column] < pivot:
                i += 1
            while rows[j, column] > pivot:
                j -= 1
            if i <= j:
                for k in range(n_columns):
                    kept = rows[i, k]
                    rows[i, k] = rows[j, k]
                    rows[j, k] = kept
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@inner
def span(rows, begin, end, column):
    """Return the smallest and the largest entry of a column."""
    low = high = rows[begin, column]
    for i in range(begin + 1, end):
        low = min(low, rows[i, column])
        high = max(high, rows[i, column])
    return low, high


@scalar
def build(rows, bounds):
    """Order the rows, whose last entry is no coordinate, and fill ``bounds``; see ``balanced_tree``."""
    n, n_columns = rows.shape
    n_nodes, dimension = len(bounds), n_columns - 1
    for node in range(n_nodes):
        begin, end = node_range(node, n)
        widest, column = -1.0, 0
        for k in range(dimension):
            low, high = span(rows, begin, end, k)
            bounds[node, k], bounds[node, dimension + k] = low, high
            if high - low > widest:
                widest, column = high - low, k
        if 2 * node + 1 < n_nodes:
            partition(rows, begin, end, (begin + end) // 2, column)
