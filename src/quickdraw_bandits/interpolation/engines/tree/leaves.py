"""The index of every arm of a leaf, from what the leaf's box has summed and the groups that it has not."""

import numpy as np

from quickdraw_bandits.interpolation.engines.tree.bounds import APART, ROUNDING, SMALLEST_SUM, pending_at
from quickdraw_bandits.interpolation.engines.tree.boxes import FULL
from quickdraw_bandits.interpolation.engines.tree.expansion import (
    at_place,
    binomial,
    derivatives,
    deviation,
    precision,
    shape,
    tail,
)
from quickdraw_bandits.interpolation.engines.tree.observation_trees import LEAF
from quickdraw_bandits.interpolation.engines.tree.queue import uniform
from quickdraw_bandits.interpolation.engines.tree.refine import NEGLIGIBLE
from quickdraw_bandits.interpolation.engines.tree.sums import RECENT_START
from quickdraw_bandits.numerics.jit import inner


@inner
def bound_arm(query, trees, work, box):
    """Return bounds of the index at one place, ``scratch.centre``, and S0 there; a negative S0 if there is no room.

    At one place and moment only the size of a group makes an error, of C(2p + 2, 3) n r v² (R - r)^-(2p + 3) at most.
    """
    full, p = len(query.dims) + 1, query.sharpness
    scratch, counters, lists, stack = work.scratch[0], work.counters[0], work.lists, work.stack
    rows, groups = trees.rows, trees.groups
    u, place, level = scratch.offset, scratch.centre, box.level
    for j in range(full):
        scratch.step[j] = place[j] - 0.5 * (box.lower[j] + box.upper[j])
    s0 = at_place(box.folded, 0, scratch.step)
    s1 = at_place(box.folded, 1, scratch.step)
    e0, e1 = box.folded_error0, box.folded_error1
    enough = steep = 0.0
    seen = 0
    # Recent observations first: what they leave of S0 tells how large an error may be.
    for item in range(-counters.n_recent, box.length):
        if item == 0:
            least = max(s0 - e0, box.lowest)
            if least > SMALLEST_SUM:
                enough = NEGLIGIBLE * query.tolerance * box.fineness * least
                steep = query.gamma * deviation(least, p) / (2 * p)
        stack[0] = lists[RECENT_START + counters.n_recent + item if item < 0 else box.start + item]
        depth = 1
        while depth:
            depth -= 1
            node = stack[depth]
            seen += 1
            if node < 0:
                row = -1 - node
                r2 = 1.0
                for j in range(full):
                    difference = place[j] - rows[row, j]
                    r2 += difference * difference
                g = precision(r2, p)
                s0 += g
                s1 += (rows[row, full] - level) * g
                continue
            group = groups[node]
            r2 = 1.0
            centroid, radius, spread, n, child = group.centroid, group.radius, group.spread, group.count, group.child
            for j in range(full):
                difference = place[j] - centroid[j]
                u[j] = difference
                r2 += difference * difference
            r = np.sqrt(r2)
            if radius < APART * r / p:
                rest = binomial(p) * n * radius * spread * spread * tail(r - radius, p)
                away = max(group.largest - level, level - group.least)
                if rest * (away + steep) <= enough:
                    g0, g1, g2 = derivatives(r2, p)
                    t0, t1, _ = shape(u, group, level, g1, g2)
                    s0 += n * g0 + t0
                    s1 += (group.reward - level * n) * g0 + t1
                    e0 += rest
                    e1 += rest * away
                    continue
            if depth + LEAF >= len(stack):
                return 0.0, 0.0, -1.0
            if child >= 0:
                stack[depth], stack[depth + 1] = child, child + 1
                depth += 2
            else:
                for i in range(LEAF):
                    stack[depth + i] = child - i
                depth += LEAF
    counters.groups += seen
    # Without a finite deviation nothing is known, also without exploration (0 · inf).
    if not s0 - e0 > SMALLEST_SUM:
        return query.cap, -np.inf, s0
    relative = s1 / s0
    error = (e1 + abs(relative) * e0) / (s0 - e0)
    pending = pending_at(query, place)
    high = min(level + relative + error, query.largest) + query.gamma * deviation(s0 - e0 + pending, p)
    low = max(level + relative - error, query.least) + query.gamma * deviation(s0 + e0 + pending, p)
    return min(high, query.cap), min(low, query.cap), s0


@inner
def evaluate(query, trees, arms, work, box):
    """Bound the index of each arm of a leaf whose list is up to date, and so that of the best; return FULL or 0.

    Arms that may not be chosen are left out.

    Arms that may reach the cap, and are within the tolerance of it, count as at the cap. They race by their keys: the
    leaf's key, which is the smallest of its arms', goes to one of them at random, and those of the others are larger by
    an exponential number. Where some arm may reach the cap or be far below, the lower bound is that arm's, so that the
    search goes on.
    """
    d, centre = len(query.dims), work.scratch[0].centre
    begin, end = box.begin, box.end
    slack = max(query.tolerance, ROUNDING * abs(query.cap))
    highest = lowest = -np.inf
    open_from = np.inf
    best = begin
    key = np.inf
    kept = False
    for arm in range(begin, end):
        if len(work.allowed) and not work.allowed[arms.permutation[arm]]:
            continue
        for j in range(d):
            centre[j] = (arms.points[arms.permutation[arm], j] - arms.origin[j]) * arms.weight
        centre[d] = query.now
        high, low, s0 = bound_arm(query, trees, work, box)
        if s0 < 0:
            return FULL
        # Where it vanishes at one arm, the search has to give up, though it does not at the centre.
        box.total = min(box.total, s0)
        at_cap = high >= query.cap and low >= query.cap - slack
        if at_cap:
            low = query.cap
        elif high >= query.cap:
            open_from = min(open_from, low)
        if len(work.tied):
            work.tied[arm] = at_cap
        left = end - arm
        own = box.key
        if not kept and (left == 1 or uniform(work.keys) * left < 1.0):
            kept = True
        else:
            own -= np.log(uniform(work.keys))
        highest = max(highest, high)
        if low > lowest or (low == lowest and own < key):
            lowest, best, key = low, arm, own
    box.arm = best
    box.high = min(box.high, highest)
    if lowest < query.cap:
        box.low = max(box.low, lowest)
    elif open_from < np.inf:
        box.low = open_from
    else:
        box.low = lowest
        box.key = key
    return 0
