"""Compiled loops that build the trees over observations and over arms: partitioning, and the moments of a group."""

import numpy as np
from numba import njit

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})

LEAF = 8
"""Observations of a leaf."""

# What a row of the node table holds. Then come, for D coordinates: the centroid (D), the first moments of the rewards
# (D), and the second moments of the counts and of the rewards (D (D + 1) / 2 each, upper triangles row by row).
COUNT, REWARD, RADIUS, SPREAD, LEAST, LARGEST, CENTROID = 0, 1, 2, 3, 4, 5, 6


def row_length(dimension: int) -> int:
    """Return how many numbers describe a group of observations with ``dimension`` coordinates, time included."""
    return CENTROID + 2 * dimension + dimension * (dimension + 1)


def reward_columns(dimension: int) -> list[int]:
    """Return the columns that are in units of the rewards."""
    triangle = dimension * (dimension + 1) // 2
    first = CENTROID + dimension
    moments = [*range(first, first + dimension), *range(first + dimension + triangle, row_length(dimension))]
    return [REWARD, LEAST, LARGEST, *moments]


@_compiled
def swap_rows(rows, i, j):
    """Exchange two rows."""
    for k in range(rows.shape[1]):
        kept = rows[i, k]
        rows[i, k] = rows[j, k]
        rows[j, k] = kept


@_compiled
def partition(rows, begin, end, middle, column):
    """Reorder rows so that those before ``middle`` are no larger in ``column`` than those after (quickselect)."""
    low, high = begin, end - 1
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
                swap_rows(rows, i, j)
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@_compiled
def widest(rows, begin, end, columns):
    """Return the column, of the first ``columns``, whose entries span the largest range."""
    best, column = -1.0, 0
    for k in range(columns):
        low = high = rows[begin, k]
        for i in range(begin + 1, end):
            low = min(low, rows[i, k])
            high = max(high, rows[i, k])
        if high - low > best:
            best, column = high - low, k
    return column


@_compiled
def describe(rows, begin, end, dimension, out):
    """Fill ``out`` with count, moments, radius and range of the rewards of a group of observations.

    With delta_s the observation's place counted from the centroid: sum y_s delta_s, sum delta_s delta_s',
    sum y_s delta_s delta_s'; the largest |delta_s| is the radius, the root of their mean square is the spread.
    """
    n = end - begin
    out[:] = 0.0
    out[COUNT] = n
    out[LEAST], out[LARGEST] = np.inf, -np.inf
    for s in range(begin, end):
        y = rows[s, dimension]
        out[REWARD] += y
        out[LEAST] = min(out[LEAST], y)
        out[LARGEST] = max(out[LARGEST], y)
        for j in range(dimension):
            out[CENTROID + j] += rows[s, j]
    for j in range(dimension):
        out[CENTROID + j] /= n
    first = CENTROID + dimension
    counts = first + dimension
    rewards = counts + dimension * (dimension + 1) // 2
    largest = total = 0.0
    for s in range(begin, end):
        y = rows[s, dimension]
        squared = 0.0
        position = 0
        for j in range(dimension):
            delta = rows[s, j] - out[CENTROID + j]
            squared += delta * delta
            out[first + j] += y * delta
            for k in range(j, dimension):
                product = delta * (rows[s, k] - out[CENTROID + k])
                out[counts + position] += product
                out[rewards + position] += y * product
                position += 1
        total += squared
        largest = max(largest, squared)
    out[RADIUS] = np.sqrt(largest)
    out[SPREAD] = np.sqrt(total / n)


@_compiled
def build_tree(rows, level, dimension, nodes, first):
    """Build the tree of one level over its rows, which are already in place.

    Level k holds LEAF · 2^k observations in the rows from LEAF · 2^k on, and its nodes from 2^(k+1) + 1 on, the
    children of the node at 2^(k+1) + j being those at 2^(k+1) + 2j and one after. ``first`` has the first child of a
    node, or for a leaf -1 - the row of its first observation.
    """
    leaves = 1 << level
    base = 2 * leaves
    for j in range(1, base):
        depth = 0
        while j >> (depth + 1):
            depth += 1
        size = (leaves >> depth) * LEAF
        begin = LEAF * leaves + (j - (1 << depth)) * size
        describe(rows, begin, begin + size, dimension, nodes[base + j])
        if j < leaves:
            partition(rows, begin, begin + size, begin + size // 2, widest(rows, begin, begin + size, dimension))
            first[base + j] = base + 2 * j
        else:
            first[base + j] = -1 - begin


@_compiled
def carry(rows, level, dimension, nodes, first):
    """Move the buffer and all levels below ``level`` there, and build its tree."""
    target = LEAF << level
    width = rows.shape[1]
    for s in range(LEAF):
        for k in range(width):
            rows[target + s, k] = rows[s, k]
    target += LEAF
    for lower in range(level):
        begin = LEAF << lower
        for s in range(begin, 2 * begin):
            for k in range(width):
                rows[target, k] = rows[s, k]
            target += 1
    build_tree(rows, level, dimension, nodes, first)


@_compiled
def build_arm_tree(rows, permutation, bounds):
    """Order arms so that every node of a balanced tree is a range, and fill ``bounds`` with low and high corners.

    Node k has the children 2k + 1 and 2k + 2; a node's range is halved, the odd arm going to the second half.
    """
    n_nodes, dimension = bounds.shape[0], rows.shape[1]
    for node in range(n_nodes):
        begin, end = arm_range(node, rows.shape[0])
        for k in range(dimension):
            low = high = rows[begin, k]
            for i in range(begin + 1, end):
                low = min(low, rows[i, k])
                high = max(high, rows[i, k])
            bounds[node, k] = low
            bounds[node, dimension + k] = high
        if 2 * node + 1 < n_nodes:
            column = 0
            for k in range(1, dimension):
                if (
                    bounds[node, dimension + k] - bounds[node, k]
                    > bounds[node, dimension + column] - bounds[node, column]
                ):
                    column = k
            partition_arms(rows, permutation, begin, end, (begin + end) // 2, column)


@_compiled
def arm_range(node, n):
    """Return the range of arms below a node of the tree over ``n`` arms."""
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


@_compiled
def partition_arms(rows, permutation, begin, end, middle, column):
    """Do as ``partition`` does, with the positions of the arms alongside."""
    low, high = begin, end - 1
    while low < high:
        a, b, c = rows[low, column], rows[(low + high) // 2, column], rows[high, column]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while rows[i, column] < pivot:
                i += 1
            while rows[j, column] > pivot:
                j -= 1
            if i <= j:
                swap_rows(rows, i, j)
                kept = permutation[i]
                permutation[i] = permutation[j]
                permutation[j] = kept
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return
