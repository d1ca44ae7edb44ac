"""Summing the observations over a box of arms and a stretch of time."""

import numpy as np
from numba import njit

from quickdraw_bandits.interpolation.compiled_batch import BATCH, add_groups, add_points
from quickdraw_bandits.interpolation.compiled_bounds import weigh
from quickdraw_bandits.interpolation.compiled_boxes import (
    BOXES,
    CLOSE,
    COARSENESS,
    E0,
    E1,
    EPOCH,
    EPOCHS,
    FINE,
    FIRST_WIDTH,
    FOLDED0,
    FOLDED1,
    FULL,
    GROUPS,
    LENGTH,
    LEVEL,
    LOWEST,
    MEAN,
    ROUND,
    ROUNDS,
    STALENESS,
    START,
    STRICT,
    USED,
    WIDTH,
)
from quickdraw_bandits.interpolation.compiled_expansion import (
    n_terms,
    root,
    shift,
)
from quickdraw_bandits.interpolation.compiled_forest import (
    LEAF,
)

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})

# Choices that affect the cost alone. Errors are judged by what they do to the index, in units of the tolerance.
NEGLIGIBLE = 0.005
"""Error of one group that is small enough to fold it into the sums of a box and all boxes inside."""
FOLDED = 0.125
"""Errors of all groups folded together."""
ENOUGH = 0.01
"""Error of one group above which the group is opened rather than kept."""
COARSE = 0.1
"""The same for boxes whose bounds are far apart: part of their distance that counts as the tolerance."""
LASTING = 0.5
"""How long a box stands, relative to its diagonal."""
UNPACKED = 3
"""Trees of lower levels than this hold the recent observations, fewer than 8 · 2^3."""
RECENT = 0
PACKED_ROOTS = 64
LISTS = 128
"""Where in the array of lists are those of recent observations, of the roots of packed trees, and of boxes."""


@_compiled
def lasting(dims, corners, moment, patience):
    """Return how long a box with these corners is to stand.

    Half of its diagonal, or no time at all where that is less than two steps of the clock; more with ``patience``.
    """
    d = len(dims)
    squared = 0.0
    for j in range(d):
        squared += (corners[d + 1 + j] - corners[j]) ** 2
    result = LASTING * np.sqrt(squared)
    if result < 2 * moment:
        result = moment if patience > 1.0 else 0.0
    return result * max(1.0, patience)


@_compiled
def sum_list(
    dims, begin, length, recent, rows, nodes, first, centre, h, radius, h2, p, level, steep, fold, budget, use, k,
    boxes, links, folded, own, close, lists, used, stack, batch, groups, points, u,
):  # fmt: skip
    """Add what a list names, and the recent observations, to the sums of box ``k``.

    Return how much was seen, and the end of the box's own list, which begins at ``used``, or FULL.
    """
    seen = item = depth = n_groups = n_points = 0
    while True:
        if depth:
            depth -= 1
            node = stack[depth]
        elif item < length:
            node = lists[begin + item]
            item += 1
        elif n_groups:
            node = 0
        else:
            break
        if node > 0:
            groups[n_groups] = node
            n_groups += 1
        elif node < 0:
            points[n_points] = node
            n_points += 1
        if used + BATCH > lists.shape[0] or depth + LEAF * BATCH > stack.shape[0]:
            return seen, FULL
        if n_points == BATCH:
            used = add_points(
                dims, points, n_points, n_points, rows, centre, h, radius, h2, p, level, steep, fold, budget, k,
                boxes, links, folded, own, close, lists, used, batch, u,
            )  # fmt: skip
            seen += n_points
            n_points = 0
        if n_groups == BATCH or node == 0:
            used, depth = add_groups(
                dims, groups, n_groups, nodes, first, centre, h, radius, h2, p, level, steep, fold, budget, use, k,
                boxes, links, folded, own, close, lists, used, stack, depth, batch, u,
            )  # fmt: skip
            seen += n_groups
            n_groups = 0
    listed = n_points
    for i in range(recent + 1):
        if n_points == BATCH or (i == recent and n_points > 0):
            if used + BATCH > lists.shape[0]:
                return seen, FULL
            used = add_points(
                dims, points, n_points, listed, rows, centre, h, radius, h2, p, level, steep, fold, budget, k,
                boxes, links, folded, own, close, lists, used, batch, u,
            )  # fmt: skip
            seen += n_points
            n_points = listed = 0
        if i < recent:
            points[n_points] = lists[RECENT + i]
            n_points += 1
    return seen, used


@_compiled
def look(
    dims, k, source, until, rows, nodes, first, recent, roots, now, gamma, cap, p, least, largest, tolerance,
    boxes, corners, links, sums, folds, close, lists, stack, work, batch, pending, counters,
):  # fmt: skip
    """Sum the observations over box ``k``, whose corners are set, and bound the index; return FULL if there is no room.

    Starts from the list of a ``source`` box around it, or from the roots where that is -1. Every group on the list is
    folded into the polynomials for good if its error is negligible here, kept on the list if the box is what makes its
    error large, or opened. Recent observations are in trees that are about to be merged, so that they are summed one by
    one every time, and neither folded nor listed. The box stands ``until`` then, but no longer than the source.
    """
    d = len(dims)
    full = d + 1
    terms = n_terms(full)
    h, step, centre, u = work[0], work[1], work[2], work[3]
    groups, points = pending[0], pending[1]
    h2 = 0.0
    for j in range(d):
        centre[j] = 0.5 * (corners[k, j] + corners[k, full + j])
        h[j] = 0.5 * (corners[k, full + j] - corners[k, j])
        h2 += h[j] * h[j]
    if source >= 0:
        until = min(until, corners[source, full + d])
    h[d] = 0.5 * (until - now)
    corners[k, d], corners[k, full + d] = now, until
    centre[d] = 0.5 * (now + until)
    h2 += h[d] * h[d]
    radius = np.sqrt(h2)
    folded = folds[k]
    own = sums[k]
    own[:] = 0.0
    a = boxes[k, LOWEST]
    # Rewards are counted from the mean thereabouts, which makes errors of the precisions matter least.
    level = boxes[k, MEAN]
    if source >= 0:
        for j in range(full):
            step[j] = centre[j] - 0.5 * (corners[source, j] + corners[source, full + j])
        shift(dims, folds[source], folded, step)
        f0, f1 = boxes[source, FOLDED0], boxes[source, FOLDED1]
        begin, length = links[source, START], links[source, LENGTH]
        change = level - boxes[source, LEVEL]
        for i in range(terms):
            folded[terms + i] -= change * folded[i]
        f1 += abs(change) * f0
    else:
        folded[:] = 0.0
        f0 = f1 = 0.0
        begin, length = PACKED_ROOTS, roots
    boxes[k, LEVEL] = level
    boxes[k, FOLDED0], boxes[k, FOLDED1] = f0, f1
    # Where nothing is known of S0 yet nothing is folded, not even what does no harm to the mean.
    fold = -1.0
    budget = steep = 0.0
    use = np.inf
    if a > 0:
        steep = gamma * root(a, p) / (2 * p)
        per = boxes[k, STRICT] * a
        budget = FOLDED * tolerance * per
        fold = NEGLIGIBLE * tolerance * per
        use = ENOUGH * max(tolerance, COARSE * min(boxes[k, WIDTH], largest - least)) * boxes[k, FINE] * a
        if radius == 0.0:
            use = min(use, fold)
    boxes[k, E0] = boxes[k, E1] = boxes[k, COARSENESS] = 0.0
    links[k, CLOSE] = 0
    start = counters[USED]
    seen, end = sum_list(
        dims, begin, length, recent, rows, nodes, first, centre, h, radius, h2, p, level, steep, fold, budget, use, k,
        boxes, links, folded, own, close, lists, start, stack, batch, groups, points, u,
    )  # fmt: skip
    if end == FULL:
        return FULL
    links[k, START], links[k, LENGTH] = start, end - start
    counters[USED] = end
    counters[GROUPS] += seen
    f0, f1 = boxes[k, FOLDED0], boxes[k, FOLDED1]
    boxes[k, E0] += f0
    boxes[k, E1] += f1
    links[k, ROUND] = counters[ROUNDS]
    links[k, EPOCH] = counters[EPOCHS]
    for i in range(2 * terms):
        own[i] += folded[i]
    weigh(dims, k, now, gamma, cap, p, least, largest, boxes, corners, links, sums, close, work)
    a = boxes[k, LOWEST]
    boxes[k, COARSENESS] = boxes[k, COARSENESS] / a if a > 0 else 0.0
    # By what S0 is now: it may have been far more when these groups were found to be negligible.
    boxes[k, STALENESS] = (f1 + f0 * gamma * root(a, p) / (2 * p)) / a if a > 0 else 0.0
    boxes[k, FIRST_WIDTH] = boxes[k, WIDTH]
    counters[BOXES] += 1
    return 0
