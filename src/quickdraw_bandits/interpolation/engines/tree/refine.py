"""Refining a box: summing the observations over it anew, and bounding the index from the sums."""

import numpy as np

from quickdraw_bandits.interpolation.engines.tree.bounds import bound_index
from quickdraw_bandits.interpolation.engines.tree.expansion import deviation, shift
from quickdraw_bandits.interpolation.engines.tree.sums import ROOTS_START
from quickdraw_bandits.numerics.jit import inner

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
LONGER = 2.0
"""How much longer than a box stands the list of a box around it serves."""


@inner
def lasting(query, box, patience):
    """Return how long a box is to stand.

    Half of its diagonal, or no time at all where that is less than two steps of the clock; more with ``patience``.
    """
    squared = 0.0
    for j in range(len(query.dims)):
        side = box.upper[j] - box.lower[j]
        squared += side * side
    result = LASTING * np.sqrt(squared)
    if result < 2 * query.step:
        result = query.step if patience > 1.0 else 0.0
    return result * max(1.0, patience)


@inner
def serves(query, box, inside, wanted, epoch):
    """Tell whether box ``inside`` can start from the list of a box around it, for half of the time at least."""
    d = len(query.dims)
    return (
        box.epoch == epoch
        and box.strictness <= inside.strictness
        and box.lower[d] <= query.now
        and query.now + 0.5 * wanted <= box.upper[d]
    )


@inner
def plan(query, work, k):
    """List the boxes to be refined for box ``k`` on ``work.path``; return how many, and the box to start from or -1.

    The last on the path comes first. Box ``k`` starts from the nearest list around it, after those that are out of date
    are renewed. Of the boxes around it, those at every d-th depth, about half as large each as the one before, keep
    lists.
    """
    boxes, path, durations = work.boxes, work.path, work.durations
    epoch = work.counters[0].epoch
    box = boxes[k]
    wanted = lasting(query, box, box.patience)
    path[0], durations[0] = k, wanted
    box.stretched = 1.0 if box.patience > 1.0 else 0.0
    length = 1
    source = box.parent
    inside = box
    while source >= 0 and not serves(query, boxes[source], inside, wanted, epoch):
        around = boxes[source]
        if box.strictness < 1.0:
            # Lists are not made as strict as this box needs: it starts from the roots.
            return 1, -1
        if around.depth % len(query.dims) == 0:
            wanted = LONGER * max(lasting(query, around, 1.0), 0.75 * wanted)
            path[length], durations[length] = source, wanted
            length += 1
            inside = around
        source = around.parent
    return length, source


@inner
def prepare(query, work, k, source, until):
    """Make box ``k`` ready for sums over it; return the begin and the length of the list that it starts from.

    That is the list of the ``source`` box around it, whose folded sums it takes over, or the roots of the observation
    trees where that is -1. The box stands ``until`` then, but no longer than the source.
    """
    d, p = len(query.dims), query.sharpness
    boxes, counters, scratch = work.boxes, work.counters[0], work.scratch[0]
    box = boxes[k]
    half, centre = scratch.half, scratch.centre
    if source >= 0:
        until = min(until, boxes[source].upper[d])
    since = query.now - min(query.back, until - query.now)
    if source >= 0:
        since = max(since, boxes[source].lower[d])
    box.lower[d], box.upper[d] = since, until
    h2 = 0.0
    lower, upper = box.lower, box.upper
    for j in range(d + 1):
        side = 0.5 * (upper[j] - lower[j])
        centre[j], half[j] = 0.5 * (lower[j] + upper[j]), side
        h2 += side * side
    scratch.radius, scratch.radius2 = np.sqrt(h2), h2
    # Rewards are counted from the local mean, which makes errors of the precisions matter least.
    box.level = box.centre_mean
    terms = len(box.sums) // 2
    for i in range(2 * terms):
        box.sums[i] = box.folded[i] = 0.0
    box.folded_error0 = box.folded_error1 = 0.0
    begin, length = ROOTS_START, counters.n_roots
    if source >= 0:
        around = boxes[source]
        for j in range(d + 1):
            scratch.step[j] = centre[j] - 0.5 * (around.lower[j] + around.upper[j])
        shift(around.folded, box.folded, scratch.step)
        change = box.level - around.level
        for i in range(terms):
            box.folded[terms + i] -= change * box.folded[i]
        box.folded_error0 = around.folded_error0
        box.folded_error1 = around.folded_error1 + abs(change) * around.folded_error0
        begin, length = around.start, around.length
    # Where nothing is known of S0 yet nothing is folded, not even what does no harm to the mean.
    a = box.lowest
    scratch.fold, scratch.budget, scratch.steep, scratch.use = -1.0, 0.0, 0.0, np.inf
    if a > 0:
        scratch.steep = query.gamma * deviation(a, p) / (2 * p)
        per = box.strictness * a
        scratch.budget = FOLDED * query.tolerance * per
        scratch.fold = NEGLIGIBLE * query.tolerance * per
        distance = COARSE * min(box.width, query.largest - query.least)
        scratch.use = ENOUGH * max(query.tolerance, distance) * box.fineness * a
        if h2 == 0.0:
            scratch.use = min(scratch.use, scratch.fold)
    box.error0 = box.error1 = box.coarseness = 0.0
    box.n_near = 0
    box.start = counters.used
    return begin, length


@inner
def conclude(query, work, box):
    """Bound the index over a box whose sums are complete."""
    p, counters = query.sharpness, work.counters[0]
    box.length = counters.used - box.start
    box.error0 += box.folded_error0
    box.error1 += box.folded_error1
    box.refined_in, box.epoch = counters.rounds, counters.epoch
    for i in range(len(box.sums)):
        box.sums[i] += box.folded[i]
    bound_index(query, box, work.scratch[0])
    a = box.lowest
    box.staleness = 0.0
    if a > 0:
        box.coarseness /= a
        # By what S0 is now: it may have been far more when these groups were found to be negligible.
        steep = query.gamma * deviation(a, p) / (2 * p)
        box.staleness = (box.folded_error1 + box.folded_error0 * steep) / a
    else:
        box.coarseness = 0.0
    box.refined_width = box.width
    counters.refined += 1
