"""The tables of boxes: what their columns hold, and how boxes come, stand and go."""

import numpy as np
from numba import njit

from quickdraw_bandits.interpolation.compiled_forest import arm_range

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})

# Columns of the table of boxes: errors of the two sums; bounds of the index; key of the tie-break; least S0; part of
# the bounds' distance that is due to the size of groups, and to folded groups; factors of what the errors of folded and
# of kept groups may be; errors of the folded sums; level that rewards are counted from; mean and S0 at the centre;
# distance of the bounds when last known, and when last looked at; how much longer than others of its size the box is to
# stand, and whether it does.
E0, E1, HIGH, LOW, KEY, LOWEST, COARSENESS, STALENESS = range(8)
STRICT, FINE, FOLDED0, FOLDED1, LEVEL, MEAN, TOTAL, WIDTH, FIRST_WIDTH, PATIENCE, STRETCHED = range(8, 19)
BOX_COLUMNS = 19
# Columns of the table of links: node of the arm tree; list of observations, and the epoch of the forest that it is
# from; round of the last look; parent, first child and next sibling; what the box is; how many observations are too
# near; how many boxes are around it; the best arm, as a position in the tree's order, if all were evaluated in this
# round, or -1.
NODE, START, LENGTH, EPOCH, ROUND, PARENT, CHILD, SIBLING, STATE, CLOSE, DEPTH, ARM = range(12)
LINK_COLUMNS = 12
UNUSED, SPLIT, STANDING = 0, 1, 2
# Entries of the counters: round, slots ever used, slots free again; epoch, the packed part of the forest that it is of,
# and the end of the lists made in it; for measurements: groups and boxes looked at.
ROUNDS, SLOTS, FREE, EPOCHS, PACKED, USED, GROUPS, BOXES = range(8)
N_COUNTERS = 8
NEAR = 12
"""Observations too near for an expansion that a box remembers singly."""
FULL = -1
"""Returned where a table is too small."""


@_compiled
def volume(dims, discrete, node, n_arms, corners):
    """Return how many arms a box has, or for a continuum how large it is."""
    if discrete:
        begin, end = arm_range(node, n_arms)
        return 1.0 * (end - begin)
    d = len(dims)
    product = 1.0
    for j in range(d):
        product *= corners[d + 1 + j] - corners[j]
    return product


@_compiled
def new_box(links, counters, free, parent):
    """Return an unused slot of the tables, now a standing child of ``parent``, or FULL."""
    if counters[FREE]:
        counters[FREE] -= 1
        k = free[counters[FREE]]
    elif counters[SLOTS] < links.shape[0]:
        k = counters[SLOTS]
        counters[SLOTS] += 1
    else:
        return FULL
    links[k, PARENT] = parent
    links[k, CHILD] = -1
    links[k, SIBLING] = -1
    links[k, ROUND] = -1
    links[k, EPOCH] = -1
    links[k, STATE] = STANDING
    links[k, DEPTH] = 0
    links[k, ARM] = -1
    if parent >= 0:
        links[k, DEPTH] = links[parent, DEPTH] + 1
        links[k, SIBLING] = links[parent, CHILD]
        links[parent, CHILD] = k
        links[parent, STATE] = SPLIT
    return k


@_compiled
def stands(dims, k, now, corners):
    """Tell whether what box ``k`` keeps holds at the moment ``now``."""
    d = len(dims)
    return corners[k, d] <= now <= corners[k, 2 * d + 1]


@_compiled
def join(dims, reach, boxes, corners, links, counters, free, parent):
    """Put a box in the place of its children if none is split and it may do; return whether that was done.

    The box's own bounds are wider than those of its children, by about as much as they were when it was split. Where
    they would have to be split again at once, because they then exceed ``reach``, nothing is gained.
    """
    high = -np.inf
    child = links[parent, CHILD]
    while child >= 0:
        if links[child, STATE] != STANDING:
            return False
        high = max(high, boxes[child, HIGH] + boxes[parent, WIDTH] - boxes[child, WIDTH])
        child = links[child, SIBLING]
    if not high < reach:
        return False
    child = links[parent, CHILD]
    while child >= 0:
        links[child, STATE] = UNUSED
        free[counters[FREE]] = child
        counters[FREE] += 1
        child = links[child, SIBLING]
    links[parent, CHILD] = -1
    links[parent, STATE] = STANDING
    boxes[parent, HIGH] = high
    corners[parent, len(dims)], corners[parent, 2 * len(dims) + 1] = np.inf, -np.inf
    return True
