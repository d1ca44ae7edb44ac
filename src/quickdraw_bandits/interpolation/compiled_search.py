"""The compiled search for the arm of the largest index: boxes of arms against groups of observations."""

import numpy as np
from numba import njit

from quickdraw_bandits.interpolation.compiled_bounds import SMALLEST_SUM, learn, weigh
from quickdraw_bandits.interpolation.compiled_boxes import (
    ARM,
    BOXES,
    COARSENESS,
    DEPTH,
    EPOCH,
    EPOCHS,
    FINE,
    FIRST_WIDTH,
    FULL,
    GROUPS,
    HIGH,
    KEY,
    LOW,
    LOWEST,
    MEAN,
    NODE,
    PACKED,
    PARENT,
    PATIENCE,
    ROUND,
    ROUNDS,
    SLOTS,
    STALENESS,
    STANDING,
    START,
    STATE,
    STRETCHED,
    STRICT,
    TOTAL,
    USED,
    WIDTH,
    join,
    new_box,
    stands,
    volume,
)
from quickdraw_bandits.interpolation.compiled_evaluate import evaluate
from quickdraw_bandits.interpolation.compiled_forest import LEAF, arm_range
from quickdraw_bandits.interpolation.compiled_look import LISTS, PACKED_ROOTS, RECENT, UNPACKED, lasting, look
from quickdraw_bandits.interpolation.compiled_queue import pop, push, uniform

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})

VANISHED = -2
"""Returned where precisions are too small for float64."""
ROUNDING = 1e-10
"""Part of the index, or of the range of rewards, below which differences may be rounding."""

# Choices that affect the cost alone.
TOO_COARSE = 0.25
"""Part of the bounds' distance due to groups above which groups are opened rather than the box split."""
WORN = 1.5
"""Growth of the bounds' distance by what a box learned above which it is looked at again rather than split."""
LONGER = 2.0
"""How much longer than a box stands the list of a box around it serves."""
MOST_PATIENCE = 4.0
"""How much longer than others of its size a box stands at most."""
IMPATIENCE = 0.25
"""What patience starts from again where it was too long."""


@_compiled
def serves(dims, k, inside, now, wanted, epoch, boxes, corners, links):
    """Tell whether box ``inside`` can start from the list of box ``k`` around it, for half of the time at least."""
    d = len(dims)
    return (
        links[k, EPOCH] == epoch
        and boxes[k, STRICT] <= boxes[inside, STRICT]
        and corners[k, d] <= now
        and now + 0.5 * wanted <= corners[k, 2 * d + 1]
    )


@_compiled
def look_again(
    dims, k, rows, nodes, first, recent, roots, now, gamma, cap, p, least, largest, tolerance, moment,
    boxes, corners, links, sums, folds, close, lists, stack, work, batch, pending, counters, path, times,
):  # fmt: skip
    """Look at box ``k`` from the nearest list around it, after bringing those lists up to date; return FULL or 0.

    Of the boxes around it, those at every d-th depth, about half as large each as the one before, keep lists.
    """
    d = len(dims)
    epoch = counters[EPOCHS]
    wanted = lasting(dims, corners[k], moment, boxes[k, PATIENCE])
    path[0], times[0] = k, wanted
    boxes[k, STRETCHED] = 1.0 if boxes[k, PATIENCE] > 1.0 else 0.0
    length = 1
    inside = k
    source = links[k, PARENT]
    if (
        boxes[k, STRICT] < 1.0
        and source >= 0
        and not serves(dims, source, k, now, wanted, epoch, boxes, corners, links)
    ):
        source = -1
    while source >= 0 and not serves(dims, source, inside, now, wanted, epoch, boxes, corners, links):
        if links[source, DEPTH] % d == 0:
            wanted = LONGER * max(lasting(dims, corners[source], moment, 1.0), 0.75 * wanted)
            path[length], times[length] = source, wanted
            length += 1
            inside = source
        source = links[source, PARENT]
    while length:
        length -= 1
        at = path[length]
        if look(
            dims, at, source, now + times[length], rows, nodes, first, recent, roots, now, gamma, cap, p,
            least, largest, tolerance, boxes, corners, links, sums, folds, close, lists, stack, work, batch,
            pending, counters,
        ) == FULL:  # fmt: skip
            return FULL
        source = at
    return 0


@_compiled
def search(
    dims, rows, nodes, first, buffered, occupied, fresh, now, moment, gamma, cap, p, least, largest, tolerance,
    discrete, arm_bounds, arm_points, permutation, origin, weight, state,
    boxes, corners, links, sums, folds, close, free, lists, stack, work, batch, pending, heap, counters, path, times,
):  # fmt: skip
    """Return a box of arms whose index is within ``tolerance`` of the largest, or FULL if a table is too small.

    Boxes that stand from earlier rounds learn the ``fresh`` observations and are weighed anew; those whose time is up
    are looked at again, joined with their siblings where possible. Then the box of the largest bound is looked at or
    split, again and again, until a box is found whose bounds prove it.
    """
    d = len(dims)
    full = d + 1
    counters[ROUNDS] += 1
    counters[GROUPS] = counters[BOXES] = 0
    n_nodes, n_arms = arm_bounds.shape[0], arm_points.shape[0]
    # Lists of groups hold as long as the trees that are not recent stay as they are, and there is room for them.
    if counters[PACKED] != occupied >> UNPACKED or counters[USED] > lists.shape[0] // 2 or counters[USED] == 0:
        counters[PACKED] = occupied >> UNPACKED
        counters[EPOCHS] += 1
        counters[USED] = LISTS
    recent = roots = 0
    for s in range(buffered):
        lists[RECENT + recent] = -1 - s
        recent += 1
    number = 0
    while occupied >> number:
        if (occupied >> number) & 1:
            if number < UNPACKED:
                for s in range(LEAF << number, 2 * LEAF << number):
                    lists[RECENT + recent] = -1 - s
                    recent += 1
            else:
                lists[PACKED_ROOTS + roots] = (2 << number) + 1
                roots += 1
        number += 1
    if counters[SLOTS] == 0:
        new_box(links, counters, free, -1)
        links[0, NODE] = 0
        for j in range(d):
            corners[0, j], corners[0, full + j] = arm_bounds[0, j], arm_bounds[0, d + j]
        corners[0, d], corners[0, full + d] = np.inf, -np.inf
        boxes[0, STRICT] = boxes[0, FINE] = boxes[0, PATIENCE] = 1.0
        boxes[0, LOWEST] = 0.0
        boxes[0, HIGH], boxes[0, LOW] = np.inf, -np.inf
        boxes[0, MEAN] = 0.5 * (least + largest)
        boxes[0, WIDTH] = boxes[0, FIRST_WIDTH] = np.inf
    # Boxes that stand learn what is new and are weighed; those whose time is up are joined where that may do.
    slots = counters[SLOTS]
    reach = -np.inf
    for k in range(slots):
        if links[k, STATE] == STANDING:
            if stands(dims, k, now, corners):
                for s in range(fresh.shape[0]):
                    learn(dims, k, fresh[s], p, boxes, corners, links, sums, close, work)
                weigh(dims, k, now, gamma, cap, p, least, largest, boxes, corners, links, sums, close, work)
            elif fresh.shape[0]:
                # It does not learn what is new, and so must not stand again when the clock comes back.
                corners[k, d], corners[k, full + d] = np.inf, -np.inf
            reach = max(reach, boxes[k, LOW])
    for k in range(slots):
        if links[k, STATE] == STANDING and not stands(dims, k, now, corners):
            parent = links[k, PARENT]
            while parent >= 0 and join(dims, reach, boxes, corners, links, counters, free, parent):
                parent = links[parent, PARENT]
    best = -1
    for k in range(slots):
        if links[k, STATE] != STANDING:
            continue
        if not stands(dims, k, now, corners):
            boxes[k, HIGH], boxes[k, LOW] = cap, -np.inf
        links[k, ARM] = -1
        if best < 0 or boxes[k, LOW] > boxes[best, LOW]:
            best = k
    size = 0
    for k in range(slots):
        if links[k, STATE] == STANDING and (boxes[k, HIGH] >= cap or boxes[k, HIGH] > boxes[best, LOW] + tolerance):
            part = volume(dims, discrete, links[k, NODE], n_arms, corners[k])
            boxes[k, KEY] = -np.log(uniform(state)) / part
            size = push(heap, size, boxes, k)
    while size:
        k = heap[0]
        high, low = boxes[k, HIGH], boxes[k, LOW]
        slack = max(tolerance, ROUNDING * abs(high)) if high < np.inf else tolerance
        # Below the cap, boxes that were left out can exceed the largest lower bound by the tolerance, so that a lower
        # one will not do.
        if high - low <= slack and (high >= cap or low >= boxes[best, LOW]):
            return k
        if high < cap and high - boxes[best, LOW] <= slack:
            return best
        size = pop(heap, size, boxes)
        node = links[k, NODE]
        leaf = discrete and 2 * node + 1 >= n_nodes
        known = links[k, ROUND] == counters[ROUNDS]
        if not known:
            # What stands can be split as it is, unless what it learned made it worse than a new look would.
            known = stands(dims, k, now, corners) and boxes[k, WIDTH] <= WORN * boxes[k, FIRST_WIDTH]
            known = known and (not leaf or links[k, EPOCH] == counters[EPOCHS])
        if not known:
            if look_again(
                dims, k, rows, nodes, first, recent, roots, now, gamma, cap, p, least, largest, tolerance, moment,
                boxes, corners, links, sums, folds, close, lists, stack, work, batch, pending, counters, path, times,
            ) == FULL:  # fmt: skip
                return FULL
            boxes[k, HIGH], boxes[k, LOW] = min(high, boxes[k, HIGH]), max(low, boxes[k, LOW])
            if boxes[k, LOW] > boxes[best, LOW]:
                best = k
            if boxes[k, HIGH] >= cap or boxes[k, HIGH] > boxes[best, LOW] + tolerance:
                size = push(heap, size, boxes, k)
            else:
                # It will not be split, so that its list, the last one made, is of no more use.
                counters[USED] = links[k, START]
                links[k, EPOCH] = -1
                boxes[k, PATIENCE] = min(MOST_PATIENCE, 2 * boxes[k, PATIENCE])
            continue
        if boxes[k, TOTAL] < SMALLEST_SUM:
            return VANISHED
        if leaf:
            if links[k, ARM] >= 0:
                # The errors of groups are too large, of those folded or of the others.
                boxes[k, FINE] *= 0.25
                if boxes[k, STALENESS] > TOO_COARSE * (high - low):
                    boxes[k, STRICT] *= 0.25
                    boxes[k, FIRST_WIDTH] = 0.0
                    # The arm is kept: the lower bound is that of this arm, and not of all.
                    links[k, ROUND] = -1
                    size = push(heap, size, boxes, k)
                    continue
            begin, end = arm_range(node, n_arms)
            if evaluate(
                dims, k, begin, end, rows, nodes, first, buffered, occupied, now, gamma, cap, p, least, largest,
                tolerance, arm_points, permutation, origin, weight, state,
                boxes, corners, links, folds, lists, stack, work, counters,
            ) == FULL:  # fmt: skip
                return FULL
            if boxes[k, LOW] > boxes[best, LOW]:
                best = k
            if boxes[k, HIGH] >= cap or boxes[k, HIGH] > boxes[best, LOW] + tolerance:
                size = push(heap, size, boxes, k)
            continue
        if boxes[k, STRETCHED] > 0.0:
            # To be looked at more closely, a box must not stand for so long.
            boxes[k, PATIENCE] = IMPATIENCE
            boxes[k, FIRST_WIDTH] = 0.0
            links[k, ROUND] = -1
            size = push(heap, size, boxes, k)
            continue
        coarse = boxes[k, COARSENESS] > TOO_COARSE * (high - low)
        stale = boxes[k, STALENESS] > TOO_COARSE * (high - low)
        if coarse or stale:
            boxes[k, FINE] *= 0.25
            if stale:
                boxes[k, STRICT] *= 0.25
            # Not before it was looked at so strictly does it count as known.
            boxes[k, FIRST_WIDTH] = 0.0
            links[k, ROUND] = -1
            size = push(heap, size, boxes, k)
            continue
        key = boxes[k, KEY]
        whole = volume(dims, discrete, node, n_arms, corners[k])
        kept = False
        for child in range(2):
            c = new_box(links, counters, free, k)
            if c == FULL:
                return FULL
            boxes[c, STRICT], boxes[c, FINE] = boxes[k, STRICT], boxes[k, FINE]
            boxes[c, PATIENCE], boxes[c, STRETCHED] = 1.0, 0.0
            if not discrete:
                links[c, NODE] = 0
                side = 0
                for j in range(d):
                    corners[c, j], corners[c, full + j] = corners[k, j], corners[k, full + j]
                    if corners[k, full + j] - corners[k, j] > corners[k, full + side] - corners[k, side]:
                        side = j
                middle = 0.5 * (corners[k, side] + corners[k, full + side])
                corners[c, side + full * (1 - child)] = middle
            else:
                at = 2 * node + 1 + child
                links[c, NODE] = at
                for j in range(d):
                    corners[c, j], corners[c, full + j] = arm_bounds[at, j], arm_bounds[at, d + j]
            # The keys of a race: the parent's goes to one of the children, with odds as their sizes, and the others'
            # are later by an exponential time.
            part = volume(dims, discrete, links[c, NODE], n_arms, corners[c])
            if not kept and (child == 1 or uniform(state) * whole < part):
                boxes[c, KEY] = key
                kept = True
            else:
                boxes[c, KEY] = key - np.log(uniform(state)) / part
            whole -= part
            # Looked at when its turn comes; until then the parent's bounds hold.
            for column in (HIGH, LOW, LOWEST, MEAN, WIDTH):
                boxes[c, column] = boxes[k, column]
            corners[c, d], corners[c, full + d] = np.inf, -np.inf
            size = push(heap, size, boxes, c)
    return best
