"""Sums over a box of arms and a stretch of time: batches of observations and groups, one column per quantity.

Columns let the processor compute several distances, derivatives and remainders at a time. Only what is done with each
observation or group is decided one by one.
"""

import numpy as np

from quickdraw_bandits.interpolation.engines.tree.bounds import APART, add_near, add_near_point
from quickdraw_bandits.interpolation.engines.tree.boxes import BATCH, FULL
from quickdraw_bandits.interpolation.engines.tree.expansion import (
    add_point,
    add_shape,
    binomial,
    derivatives,
    precision,
    tail,
)
from quickdraw_bandits.interpolation.engines.tree.observation_trees import LEAF
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
    u, centre, radius, level = scratch.offset, scratch.centre, scratch.radius, box.level
    for i in range(count):
        s = -1 - points[i]
        squared = 1.0
        for j in range(full):
            w = centre[j] - rows[s, j]
            offset[j, i] = w
            squared += w * w
        y[i] = rows[s, full] - level
        r2[i] = squared
    padded = pad(batch, count)
    cubed = binomial(p) * radius * scratch.radius2
    for i in range(padded):
        distance2 = r2[i]
        rest[i] = cubed * tail(np.sqrt(distance2) - radius, p)
        g0[i], g1[i], g2[i] = derivatives(distance2, p)
        away[i] = abs(y[i])
    near = radius * p / APART
    near *= near
    for i in range(count):
        apart = r2[i] > near
        if apart and i >= listed:
            continue
        error = rest[i]
        folded = apart and folds(box, scratch, error * (away[i] + scratch.steep))
        if i < listed and not folded:
            lists[counters.used] = points[i]
            counters.used += 1
        if apart and not folded:
            continue
        for j in range(full):
            u[j] = offset[j, i]
        if folded:
            add_point(box.folded, u, y[i], g0[i], g1[i], g2[i])
            box.folded_error0 += error
            box.folded_error1 += error * away[i]
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
    u, half, radius, h2, level = scratch.offset, scratch.half, scratch.radius, scratch.radius2, box.level
    centre, nodes = scratch.centre, batch.groups
    for i in range(count):
        group = groups[nodes[i]]
        centroid = group.centroid
        squared = 1.0
        for j in range(full):
            w = centre[j] - centroid[j]
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
        extent, members, wide, distance2 = size[i], n[i], spread[i], r2[i]
        squared = wide * wide
        own = extent * squared
        moment = radius * h2 + 3 * (h2 * wide + radius * squared) + own
        rest[i] = binomial(p) * members * moment * tail(np.sqrt(distance2) - radius - extent, p)
        share[i] = own / moment
        y[i] = y[i] / members - level
        a0, a1, a2 = derivatives(distance2, p)
        g0[i], g1[i], g2[i] = members * a0, members * a1, members * a2
    for i in range(count, padded):
        y[i] = rest[i] = 0.0
    for i in range(count):
        node = nodes[i]
        group = groups[node]
        extent, members, error, reward = size[i], n[i], rest[i], y[i]
        apart = radius + extent < APART * np.sqrt(r2[i]) / p
        harm = error * (away[i] + scratch.steep)
        if apart:
            opened = harm > scratch.use and extent > OPENED * radius
        else:
            opened = extent > OPENED_NEAR * radius
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
            a1, a2 = g1[i], g2[i]
            folded = folds(box, scratch, harm)
            if folded:
                target = box.folded
                add_point(target, u, reward, g0[i], a1, a2)
                box.folded_error0 += error
                box.folded_error1 += error * away[i]
            add_shape(target, u, group, level, a1 / members, a2 / members)
            if not folded:
                if error > 0:
                    box.coarseness += harm * share[i]
                lists[counters.used] = node
                counters.used += 1
                continue
        else:
            nearest = farthest = 1.0
            for j in range(full):
                distance, side = abs(u[j]), half[j]
                far, close = distance + side, max(0.0, distance - side)
                farthest += far * far
                nearest += close * close
            farthest = np.sqrt(farthest) + extent
            nearest = max(1.0, np.sqrt(nearest) - extent)
            # Every observation of the group weighs at least as the farthest could.
            lowest = members * precision(farthest * farthest, p)
            target = box.sums
            target[0] += lowest
            target[len(target) // 2] += reward * lowest
            add_near(box, members * precision(nearest * nearest, p) - lowest, group.least, group.largest)
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
        if counters.used + BATCH > len(lists) or depth + LEAF * BATCH > len(stack):
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
