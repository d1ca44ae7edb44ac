"""Branch and bound: the search for an arm of the largest index."""

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.engines.tree.arm_tree import ArmTree, draw_at_place
from quickdraw_bandits.interpolation.engines.tree.bounds import ROUNDING, SMALLEST_SUM, bound_index, learn
from quickdraw_bandits.interpolation.engines.tree.boxes import (
    FULL,
    STANDING,
    VANISHED,
    Query,
    Workspace,
    eligible,
    expire,
    join,
    new_box,
    stands,
    volume,
)
from quickdraw_bandits.interpolation.engines.tree.leaves import evaluate
from quickdraw_bandits.interpolation.engines.tree.observation_trees import LEAF, Trees
from quickdraw_bandits.interpolation.engines.tree.queue import pop, push, uniform
from quickdraw_bandits.interpolation.engines.tree.refine import conclude, plan, prepare
from quickdraw_bandits.interpolation.engines.tree.sums import LISTS_START, RECENT_START, ROOTS_START, sum_list
from quickdraw_bandits.numerics.jit import inner, scalar

# Choices that affect the cost alone.
RECENT_LEVELS = 3
"""Trees of lower levels than this hold the recent observations, fewer than 8 · 2^3."""
TOO_COARSE = 0.25
"""Part of the bounds' distance due to groups above which groups are opened rather than the box split."""
FINEST = 1e-6
"""Fineness from which on all groups of a leaf count as opened."""
WORN = 1.5
"""Growth of the bounds' distance by what a box learned above which it is refined rather than split."""
MOST_PATIENCE = 4.0
"""How much longer than others of its size a box stands at most."""
IMPATIENCE = 0.25
"""What patience starts from again where it was too long."""


@inner
def start(query, trees, arms, work):
    """List recent observations and the roots of the other trees; make the first box where there is none."""
    d, counters, lists = len(query.dims), work.counters[0], work.lists
    counters.rounds += 1
    counters.groups = counters.refined = counters.n_roots = 0
    occupied = trees.n // LEAF
    # Lists of groups hold as long as the trees that are not recent stay as they are, and there is room for them.
    if counters.packed != occupied >> RECENT_LEVELS or counters.used > len(lists) // 2 or counters.used == 0:
        counters.packed = occupied >> RECENT_LEVELS
        counters.epoch += 1
        counters.used = LISTS_START
    n_recent = 0
    # The buffer is in the rows before LEAF, level k in those from LEAF << k on.
    for s in range(LEAF << RECENT_LEVELS):
        level = 0
        while s >> level >= LEAF:
            level += 1
        if s < trees.n % LEAF or (level and (occupied >> (level - 1)) & 1):
            lists[RECENT_START + n_recent] = -1 - s
            n_recent += 1
    counters.n_recent = n_recent
    level = RECENT_LEVELS
    while occupied >> level:
        if (occupied >> level) & 1:
            lists[ROOTS_START + counters.n_roots] = (2 << level) + 1
            counters.n_roots += 1
        level += 1
    if counters.slots == 0:
        box = work.boxes[new_box(work, -1)]
        box.node = box.begin = 0
        box.end = len(arms.points)
        for j in range(d):
            box.lower[j], box.upper[j] = arms.bounds[0, j], arms.bounds[0, d + j]
        expire(query, box)
        box.strictness = box.fineness = box.patience = 1.0
        box.lowest = 0.0
        box.high, box.low = np.inf, -np.inf
        box.centre_mean = 0.5 * (query.least + query.largest)
        box.width = box.refined_width = np.inf


@inner
def carry_over(query, fresh, arms, work):
    """Bring the boxes of earlier rounds up to date; list those to search in ``heap``; return their number and the best.

    Boxes that stand learn the ``fresh`` observations and are bounded anew. Those whose time is up are joined with their
    siblings where that may do, and bounded by the cap alone. Boxes without an arm that may be chosen are left out.
    """
    boxes, counters, scratch = work.boxes, work.counters[0], work.scratch[0]
    reach = -np.inf
    for k in range(counters.slots):
        box = boxes[k]
        if box.state == STANDING:
            if stands(query, box):
                for s in range(len(fresh)):
                    learn(query, box, scratch, fresh[s])
                bound_index(query, box, scratch)
            elif len(fresh):
                # It does not learn what is new, and so must not stand again when the clock comes back.
                expire(query, box)
            if eligible(arms, work, box):
                reach = max(reach, box.low)
    for k in range(counters.slots):
        if boxes[k].state == STANDING and not stands(query, boxes[k]):
            parent = boxes[k].parent
            while parent >= 0 and join(query, work, reach, parent):
                parent = boxes[parent].parent
    best = -1
    for k in range(counters.slots):
        box = boxes[k]
        if box.state == STANDING:
            if not stands(query, box):
                box.high, box.low = query.cap, -np.inf
            box.arm = -1
            if (best < 0 or box.low > boxes[best].low) and eligible(arms, work, box):
                best = k
    size = 0
    for k in range(counters.slots):
        box = boxes[k]
        if (
            box.state == STANDING
            and (box.high >= query.cap or box.high > boxes[best].low + query.tolerance)
            and eligible(arms, work, box)
        ):
            box.key = -np.log(uniform(work.keys)) / volume(query, arms, box)
            work.heap[size] = k
            size += 1
    return size, best


@inner
def split(query, arms, work, k):
    """Give box ``k`` two children, one for each half of it; return FULL or 0. The last child is the second half.

    Keys race: the box's goes to one of the halves, with odds as their sizes, and the other's is larger by an
    exponential number.
    """
    d, boxes, bounds = len(query.dims), work.boxes, arms.bounds
    box = boxes[k]
    lower, upper = box.lower, box.upper
    whole = volume(query, arms, box)
    kept = False
    side = 0
    for j in range(1, d):
        if upper[j] - lower[j] > upper[side] - lower[side]:
            side = j
    for half in range(2):
        c = new_box(work, k)
        if c == FULL:
            return FULL
        child = boxes[c]
        child.strictness, child.fineness = box.strictness, box.fineness
        child.patience, child.stretched = 1.0, 0.0
        child.node = 2 * box.node + 1 + half if arms.discrete else 0
        child.begin, child.end = box.begin, box.end
        cut = (box.begin + box.end) // 2
        if half:
            child.begin = cut
        else:
            child.end = cut
        for j in range(d):
            if arms.discrete:
                child.lower[j], child.upper[j] = bounds[child.node, j], bounds[child.node, d + j]
            else:
                child.lower[j], child.upper[j] = lower[j], upper[j]
        if not arms.discrete:
            middle = 0.5 * (lower[side] + upper[side])
            if half:
                child.lower[side] = middle
            else:
                child.upper[side] = middle
        part = volume(query, arms, child)
        child.key = box.key
        if not kept and (half == 1 or uniform(work.keys) * whole < part):
            kept = True
        else:
            child.key -= np.log(uniform(work.keys)) / part
        whole -= part
        # Refined when its turn comes; until then the bounds of the whole hold.
        child.high, child.low, child.width = box.high, box.low, box.width
        child.lowest, child.centre_mean = box.lowest, box.centre_mean
        expire(query, child)
    return 0


@inner
def demand(box, high, low):
    """Make a box be refined more strictly if groups or its patience are to blame for its width; return whether."""
    coarse = box.coarseness > TOO_COARSE * (high - low)
    stale = box.staleness > TOO_COARSE * (high - low)
    if box.arm >= 0:
        # Arms were evaluated one by one: errors of groups are too large, of those folded or of the others.
        box.fineness *= 0.25
        if not stale and box.fineness > FINEST:
            return False
        # Where all groups are opened already, errors of those folded are left, each of them small.
        box.strictness *= 0.25
    elif box.stretched > 0.0:
        box.patience = IMPATIENCE
    elif coarse or stale:
        box.fineness *= 0.25
        if stale:
            box.strictness *= 0.25
    else:
        return False
    # Not before it was refined so strictly does it count as known.
    box.refined_width = 0.0
    box.refined_in = -1
    return True


@scalar
def search(query: Query, trees: Trees, fresh: Floats, arms: ArmTree, work: Workspace) -> int:
    """Return a box of arms whose index is within the tolerance of the largest, or FULL, or VANISHED.

    The box of the largest upper bound is refined, evaluated or split, again and again, until a box is found whose
    bounds prove it. Where its arms were evaluated, ``arm`` is the position of the one to choose. With ``work.tied`` as
    long as there are arms, boxes at the cap do not end the search: all arms at the cap are marked there.
    """
    d, boxes, heap, counters = len(query.dims), work.boxes, work.heap, work.counters[0]
    n_nodes = len(arms.bounds)
    start(query, trees, arms, work)
    # Only this function calls ``push``: called from two kinds of functions, it would be compiled for each.
    n_carried, best = carry_over(query, fresh, arms, work)
    size = 0
    while size < n_carried:
        size = push(heap, size, boxes, heap[size])
    while size:
        k = heap[0]
        box = boxes[k]
        high, low = box.high, box.low
        slack = max(query.tolerance, ROUNDING * abs(high)) if high < np.inf else query.tolerance
        capped = high >= query.cap
        # Below the cap, boxes that were left out can exceed the largest lower bound by the tolerance, so that a lower
        # one will not do.
        found = high - low <= slack and (capped or low >= boxes[best].low)
        if not found and not capped and high - boxes[best].low <= slack:
            found, k = True, best
        if found and capped and len(work.tied):
            if box.arm < 0:
                for position in range(box.begin, box.end):
                    work.tied[position] = True
            best = k
            size = pop(heap, size, boxes)
            continue
        if found:
            best = k
            break
        size = pop(heap, size, boxes)
        leaf = arms.discrete and 2 * box.node + 1 >= n_nodes
        known = box.refined_in == counters.rounds
        if not known:
            # What stands can be split as it is, unless what it learned made it worse than refining would.
            known = box.lower[d] <= query.now <= box.upper[d] and box.width <= WORN * box.refined_width
            known = known and (not leaf or box.epoch == counters.epoch)
        if known and box.total < SMALLEST_SUM:
            return VANISHED
        if known and not (leaf and box.arm < 0) and demand(box, high, low):
            size = push(heap, size, boxes, k)
            continue
        if known and not leaf:
            if split(query, arms, work, k) == FULL:
                return FULL
            c = boxes[box.child].sibling
            for _ in range(2):
                if eligible(arms, work, boxes[c]):
                    size = push(heap, size, boxes, c)
                c = box.child
            continue
        if known:
            if evaluate(query, trees, arms, work, box) == FULL:
                return FULL
        else:
            length, source = plan(query, work, k)
            while length:
                length -= 1
                refined = work.path[length]
                begin, n_listed = prepare(query, work, refined, source, query.now + work.durations[length])
                if sum_list(query, trees, work, boxes[refined], begin, n_listed) == FULL:
                    return FULL
                conclude(query, work, boxes[refined])
                source = refined
            if capped and box.low >= query.cap - slack:
                box.arm = -1  # all of its arms are at the cap
            box.high, box.low = min(high, box.high), max(low, box.low)
        if box.low > boxes[best].low:
            best = k
        if box.high >= query.cap or box.high > boxes[best].low + query.tolerance:
            size = push(heap, size, boxes, k)
        elif not known:
            # It will not be split, so that its list, the last one made, is of no more use.
            counters.used = box.start
            box.epoch = -1
            box.patience = min(MOST_PATIENCE, 2 * box.patience)
    box = boxes[best]
    if arms.discrete:
        begin, end = box.begin, box.end
        counters.begin, counters.end = begin, end
        one_place = box.arm >= 0
        if not one_place:
            one_place = True
            for j in range(d):
                one_place = one_place and box.lower[j] == box.upper[j]
        if one_place and box.high < query.cap:
            # Of the arms in the box one is drawn already, or will be, but others at the same place are as good.
            drawn = draw_at_place(arms, begin, end, max(box.arm, begin), work.stack, work.keys)
            if drawn >= 0:
                box.arm = drawn
    return int(best)
