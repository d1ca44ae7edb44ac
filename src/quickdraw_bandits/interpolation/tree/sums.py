"""Sums over a box of arms and a stretch of time: batches of observations and groups, one column per quantity.

Columns let the processor compute several distances, derivatives and remainders at a time. Only what is done with each
observation or group is decided one by one.
"""

import numpy as np

from quickdraw_bandits.interpolation.tree.bounds import APART, add_near, add_near_point
from quickdraw_bandits.interpolation.tree.boxes import BATCH, FULL
from quickdraw_bandits.interpolation.tree.expansion import (
    add_point,
    add_shape,
    binomial,
    derivatives,
    precision,
    tail,
)
from quickdraw_bandits.interpolation.tree.observation_trees import LEAF
from quickdraw_bandits.numerics.jit import inner

LANES = 16
"""Batches are filled up to a multiple of this with what has no weight."""
OPENED = 0.5
"""Radius of a group relative to that of the box above which opening the group reduces the error more."""
OPENED_NEAR = 1.0
"""The same where box and group are too near for an expansion."""
RECENT_START, ROOTS_START, LISTS_START = 0, 64, 128
"""Where in the array of lists are the recent observations, the roots of the other trees, and the lists of boxes."""


@inner
def pad(batch, count):
    """Fill a batch up with what has no weight; return its length then."""
    padded = (count + LANES - 1) // LANES * LANES
    for i in range(count, padded):
        for j in range(len(batch.offset)):
            batch.offset[j, i] = 0.0
        batch.reward[i] = batch.away[i] = batch.radius[i] = batch.spread[i] = 0.0
        batch.count[i], batch.r2[i] = 1.0, np.inf
    return padded


@inner
def accumulate(batch, count, box):
    """Add the expansions of a batch to the two polynomials and their errors, as ``add_point`` does for one."""
    sums, offset = box.sums, batch.offset
    y, g0, g1, g2, rest, away = batch.reward, batch.g0, batch.g1, batch.g2, batch.rest, batch.away
    full, terms = len(offset), len(sums) // 2
    e0 = e1 = s0 = s1 = round0 = round1 = 0.0
    for i in range(count):
        e0 += rest[i]
        e1 += away[i] * rest[i]
    for i in range(count):
        s0 += g0[i]
        s1 += y[i] * g0[i]
    for i in range(count):
        round0 += g1[i]
        round1 += y[i] * g1[i]
    box.error0 += e0
    box.error1 += e1
    sums[0] += s0
    sums[terms] += s1
    position = 1 + full
    for j in range(full):
        s0 = s1 = 0.0
        for i in range(count):
            slope = g1[i] * offset[j, i]
            s0 += slope
            s1 += y[i] * slope
        sums[1 + j] += s0
        sums[terms + 1 + j] += s1
        for k in range(j, full):
            s0 = s1 = 0.0
            for i in range(count):
                curve = g2[i] * offset[j, i] * offset[k, i]
                s0 += curve
                s1 += y[i] * curve
            if k == j:
                s0, s1 = 0.5 * (s0 + round0), 0.5 * (s1 + round1)
            sums[position] += s0
            sums[terms + position] += s1
            position += 1


@inner
def folds(box, scratch, harm):
    """Tell whether an error of this harm to the index is so small that what makes it may be folded for good."""
    return harm <= scratch.fold and harm + box.folded_error1 + box.folded_error0 * scratch.steep <= scratch.budget


@inner
def sum_points(query, rows, work, box, count, listed):
    """Leave in a batch of observations what is to be added to the sums of a box; add the rest.

    Of the first ``listed``, those whose error is negligible are folded for good, and the others are listed. The rest
    are recent.
    """
    full, p = len(query.dims) + 1, query.sharpness
    batch, scratch, counters, lists = work.batch[0], work.scratch[0], work.counters[0], work.lists
    points, offset, y, r2 = batch.points, batch.offset, batch.reward, batch.r2
    g0, g1, g2, rest, away = batch.g0, batch.g1, batch.g2, batch.rest, batch.away
    u, radius, level = scratch.offset, scratch.radius, box.level
    for i in range(count):
        s = -1 - points[i]
        squared = 1.0
        for j in range(full):
            w = scratch.centre[j] - rows[s, j]
            offset[j, i] = w
            squared += w * w
        y[i] = rows[s, full] - level
        r2[i] = squared
    padded = pad(batch, count)
    cubed = binomial(p) * radius * scratch.radius2
    for i in range(padded):
        rest[i] = cubed * tail(np.sqrt(r2[i]) - radius, p)
        g0[i], g1[i], g2[i] = derivatives(r2[i], p)
        away[i] = abs(y[i])
    near = (radius * p / APART) ** 2
    for i in range(count):
        apart = r2[i] > near
        if apart and i >= listed:
            continue
        folded = apart and folds(box, scratch, rest[i] * (away[i] + scratch.steep))
        if i < listed and not folded:
            lists[counters.used] = points[i]
            counters.used += 1
        if apart and not folded:
            continue
        for j in range(full):
            u[j] = offset[j, i]
        if folded:
            add_point(box.folded, u, y[i], g0[i], g1[i], g2[i])
            box.folded_error0 += rest[i]
            box.folded_error1 += rest[i] * away[i]
        else:
            add_near_point(box, scratch.half, u, y[i] + level, p)
        g0[i] = g1[i] = g2[i] = rest[i] = 0.0


@inner
def sum_groups(query, groups, work, box, count, depth):
    """Do as ``sum_points`` with a batch of groups, or put their parts on the stack; return its new depth.

    A group is folded for good if its error is negligible here, kept on the list if the box is what makes its error
    large or if the error is small enough, or opened.
    """
    full, p = len(query.dims) + 1, query.sharpness
    batch, scratch, counters, lists, stack = work.batch[0], work.scratch[0], work.counters[0], work.lists, work.stack
    offset, y, r2, g0, g1, g2 = batch.offset, batch.reward, batch.r2, batch.g0, batch.g1, batch.g2
    rest, away, n, size, spread, share = batch.rest, batch.away, batch.count, batch.radius, batch.spread, batch.share
    u, radius, h2, level = scratch.offset, scratch.radius, scratch.radius2, box.level
    for i in range(count):
        group = groups[batch.groups[i]]
        squared = 1.0
        for j in range(full):
            w = scratch.centre[j] - group.centroid[j]
            offset[j, i] = w
            squared += w * w
        r2[i] = squared
        n[i] = group.count
        y[i] = group.reward
        size[i] = group.radius
        spread[i] = group.spread
        away[i] = max(group.largest - level, level - group.least)
    padded = pad(batch, count)
    for i in range(padded):
        squared = spread[i] * spread[i]
        own = size[i] * squared
        moment = radius * h2 + 3 * (h2 * spread[i] + radius * squared) + own
        rest[i] = binomial(p) * n[i] * moment * tail(np.sqrt(r2[i]) - radius - size[i], p)
        share[i] = own / moment
        y[i] = y[i] / n[i] - level
        a0, a1, a2 = derivatives(r2[i], p)
        g0[i], g1[i], g2[i] = n[i] * a0, n[i] * a1, n[i] * a2
    for i in range(count, padded):
        y[i] = rest[i] = 0.0
    for i in range(count):
        node = batch.groups[i]
        group = groups[node]
        apart = radius + size[i] < APART * np.sqrt(r2[i]) / p
        harm = rest[i] * (away[i] + scratch.steep)
        if apart:
            opened = harm > scratch.use and size[i] > OPENED * radius
        else:
            opened = size[i] > OPENED_NEAR * radius
        for j in range(full):
            u[j] = offset[j, i]
        if opened:
            if group.child >= 0:
                stack[depth], stack[depth + 1] = group.child, group.child + 1
                depth += 2
            else:
                for part in range(LEAF):
                    stack[depth + part] = group.child - part
                depth += LEAF
        elif apart:
            target = box.sums
            folded = folds(box, scratch, harm)
            if folded:
                target = box.folded
                add_point(target, u, y[i], g0[i], g1[i], g2[i])
                box.folded_error0 += rest[i]
                box.folded_error1 += rest[i] * away[i]
            add_shape(target, u, group, level, g1[i] / n[i], g2[i] / n[i])
            if not folded:
                if rest[i] > 0:
                    box.coarseness += harm * share[i]
                lists[counters.used] = node
                counters.used += 1
                continue
        else:
            nearest = farthest = 1.0
            for j in range(full):
                side = abs(u[j])
                farthest += (side + scratch.half[j]) ** 2
                nearest += max(0.0, side - scratch.half[j]) ** 2
            farthest = np.sqrt(farthest) + size[i]
            nearest = max(1.0, np.sqrt(nearest) - size[i])
            # Every observation of the group weighs at least as the farthest could.
            lowest = n[i] * precision(farthest * farthest, p)
            box.sums[0] += lowest
            box.sums[len(box.sums) // 2] += y[i] * lowest
            add_near(box, n[i] * precision(nearest * nearest, p) - lowest, group.least, group.largest)
            lists[counters.used] = node
            counters.used += 1
        g0[i] = g1[i] = g2[i] = rest[i] = 0.0
    return depth


@inner
def sum_list(query, trees, work, box, begin, length):
    """Add what a list names, and the recent observations, to the sums of a box; return FULL or 0."""
    batch, counters, lists, stack = work.batch[0], work.counters[0], work.lists, work.stack
    item = recent = depth = n_groups = n_points = listed = 0
    while True:
        # First the list and the parts of groups that were opened, then recent observations; 0 where all are gathered.
        node = 0
        if depth:
            depth -= 1
            node = stack[depth]
        elif item < length:
            node = np.int64(lists[begin + item])
            item += 1
        elif n_groups == 0 and recent < counters.n_recent:
            node = np.int64(lists[RECENT_START + recent])
            recent += 1
        if node > 0:
            batch.groups[n_groups] = node
            n_groups += 1
        elif node < 0:
            batch.points[n_points] = node
            n_points += 1
            if recent == 0:
                listed = n_points
        if counters.used + BATCH > lists.shape[0] or depth + LEAF * BATCH > stack.shape[0]:
            return FULL
        if n_points == BATCH or (node == 0 and n_groups == 0):
            count = n_points
            sum_points(query, trees.rows, work, box, count, listed)
            n_points = listed = 0
        elif n_groups == BATCH or node == 0:
            count = n_groups
            depth = sum_groups(query, trees.groups, work, box, count, depth)
            n_groups = 0
            node = 1
        else:
            continue
        accumulate(batch, (count + LANES - 1) // LANES * LANES, box)
        counters.groups += count
        if node == 0:
            return 0
