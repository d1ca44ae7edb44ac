"""The compiled search for the arm of the largest index: boxes of arms against groups of observations.

All lengths are in units of rho: places are x / (unit l_x rho), times t / (l_t rho), so that a precision is
g(w) = (1 + |w|²)^-p for the difference w in space-time, at most 1, and Sigma = rho · S0^(-1/(2p)).
"""

import numpy as np
from numba import njit

from quickdraw_bandits.interpolation.compiled_forest import (
    CENTROID,
    COUNT,
    LARGEST,
    LEAF,
    LEAST,
    RADIUS,
    REWARD,
    SPREAD,
    arm_range,
)

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})

# Columns of the table of boxes: errors of the two sums; bounds of the index; key of the tie-break; least S0; part of
# the bounds' distance that is due to groups of observations; factor of what errors may be; errors of the folded sums;
# level that rewards are counted from; mean and S0 at the centre; distance of the
# bounds when last known.
E0, E1, HIGH, LOW, KEY, LOWEST, ERROR, STRICT, FOLDED0, FOLDED1, LEVEL, MEAN, TOTAL, WIDTH = range(14)
BOX_COLUMNS = 14
# Columns of the table of links: node of the arm tree (or -1 - position for a single arm); list of observations and the
# round that it was made in; parent, first child and next sibling; what the box is; how many observations are too near.
NODE, START, LENGTH, ROUND, PARENT, CHILD, SIBLING, STATE, CLOSE = range(9)
LINK_COLUMNS = 9
UNUSED, SPLIT, STANDING = 0, 1, 2
# Entries of the counters: round, slots ever used, slots free again; for measurements: groups and boxes looked at.
ROUNDS, SLOTS, FREE, GROUPS, BOXES = 0, 1, 2, 3, 4
NEAR = 12
"""Observations too near for an expansion that a box remembers singly."""

FULL = -1
"""Returned where a table is too small."""
VANISHED = -2
"""Returned where precisions are too small for float64."""
SMALLEST_SUM = 1e-200
ROUNDING = 1e-10
"""Part of the index, or of the range of rewards, below which differences may be rounding."""

# Choices that affect the cost alone. Errors are judged by what they do to the index, in units of the tolerance.
NEGLIGIBLE = 0.005
"""Error of one group that is small enough to fold it into the sums of a box and all boxes inside."""
FOLDED = 0.125
"""Errors of all groups folded together."""
ENOUGH = 0.01
"""Error of one group above which the group is opened rather than kept."""
COARSE = 0.1
"""The same for boxes whose bounds are far apart: part of their distance that counts as the tolerance."""
APART = 0.25
"""Radius of box and group together, relative to their distance, below which an expansion is used (times 1/p)."""
OPENED = 0.5
"""Radius of a group relative to that of the box above which opening the group reduces the error more."""
OPENED_NEAR = 1.0
"""The same where box and group are too near for an expansion."""
TOO_COARSE = 0.25
"""Part of the bounds' distance due to groups above which groups are opened rather than the box split."""
LASTING = 0.5
"""How long a box stands, relative to its diagonal."""


@_compiled
def power(r2, p):
    """Return r2^-p."""
    inverse = 1.0 / r2
    if p == 1:
        return inverse
    if p == 2:
        return inverse * inverse
    return inverse * inverse * inverse


@_compiled
def derivatives(r2, p):
    """Return g, g1 and g2 at R² = r2: g's gradient is g1 w, and its second derivative g1 times 1 plus g2 w w'."""
    inverse = 1.0 / r2
    g0 = inverse
    if p > 1:
        g0 *= inverse
    if p > 2:
        g0 *= inverse
    g1 = -2 * p * g0 * inverse
    return g0, g1, -(2 * p + 2) * g1 * inverse


@_compiled
def tail(rest, p):
    """Return rest^-(2p + 3)."""
    inverse = 1.0 / rest
    squared = inverse * inverse
    result = squared * squared * inverse
    if p > 1:
        result *= squared
    if p > 2:
        result *= squared
    return result


@_compiled
def root(a, p):
    """Return a^(-1/(2p))."""
    if p == 1:
        return 1.0 / np.sqrt(a)
    if p == 2:
        return 1.0 / np.sqrt(np.sqrt(a))
    return 1.0 / np.cbrt(np.sqrt(a))


@_compiled
def n_terms(dimension):
    """Return how many coefficients a polynomial of second degree has."""
    return 1 + dimension + dimension * (dimension + 1) // 2


@_compiled
def add_point(dims, sums, u, y, g0, g1, g2):
    """Add to the two polynomials what one observation contributes, to second order in the arm's place and time."""
    full = len(dims) + 1
    terms = n_terms(full)
    sums[0] += g0
    sums[terms] += y * g0
    position = 1 + full
    for j in range(full):
        slope = g1 * u[j]
        sums[1 + j] += slope
        sums[terms + 1 + j] += y * slope
        for k in range(j, full):
            curve = g2 * u[j] * u[k]
            if k == j:
                curve = 0.5 * (curve + g1)
            sums[position] += curve
            sums[terms + position] += y * curve
            position += 1


@_compiled
def add_group(dims, sums, u, row, level, g0, g1, g2):
    """Add to the two polynomials what a group of observations contributes, to second order in both places."""
    full = len(dims) + 1
    terms = n_terms(full)
    first = CENTROID + full
    counts = first + full
    rewards = counts + full * (full + 1) // 2
    n = row[COUNT]
    y = row[REWARD] - n * level
    projected = 0.0
    for j in range(full):
        projected += u[j] * row[first + j]
    trace0 = trace1 = form0 = form1 = 0.0
    position = 0
    for j in range(full):
        c0, c1 = row[counts + position], row[rewards + position]
        trace0 += c0
        trace1 += c1
        form0 += c0 * u[j] * u[j]
        form1 += c1 * u[j] * u[j]
        position += 1
        for k in range(j + 1, full):
            product = 2.0 * u[j] * u[k]
            form0 += row[counts + position] * product
            form1 += row[rewards + position] * product
            position += 1
    trace1 -= level * trace0
    form1 -= level * form0
    sums[0] += n * g0 + 0.5 * (g1 * trace0 + g2 * form0)
    sums[terms] += y * g0 - g1 * projected + 0.5 * (g1 * trace1 + g2 * form1)
    position = 1 + full
    for j in range(full):
        slope = g1 * u[j]
        sums[1 + j] += n * slope
        sums[terms + 1 + j] += y * slope - g1 * row[first + j] - g2 * u[j] * projected
        for k in range(j, full):
            curve = g2 * u[j] * u[k]
            if k == j:
                curve = 0.5 * (curve + g1)
            sums[position] += n * curve
            sums[terms + position] += y * curve
            position += 1


@_compiled
def shift(dims, source, target, step):
    """Fill ``target`` with the two polynomials counted from a centre that lies ``step`` away."""
    full = len(dims) + 1
    terms = n_terms(full)
    for which in range(2):
        at = which * terms
        constant = source[at]
        position = at + 1 + full
        for j in range(full):
            constant += source[at + 1 + j] * step[j]
            target[at + 1 + j] = source[at + 1 + j]
        for j in range(full):
            for k in range(j, full):
                curve = source[position]
                constant += curve * step[j] * step[k]
                target[at + 1 + j] += curve * step[k]
                target[at + 1 + k] += curve * step[j]
                target[position] = curve
                position += 1
        target[at] = constant


@_compiled
def at_moment(dims, source, target, age):
    """Fill ``target`` with the two polynomials of the place alone at a moment ``age`` after the centre's."""
    d = len(dims)
    terms = n_terms(d + 1)
    few = n_terms(d)
    for which in range(2):
        at = which * terms
        to = which * few
        constant = source[at] + source[at + 1 + d] * age
        position = at + 2 + d
        place = to + 1 + d
        for j in range(d):
            for _ in range(j, d):
                target[place] = source[position]
                place += 1
                position += 1
            target[to + 1 + j] = source[at + 1 + j] + source[position] * age
            position += 1
        target[to] = constant + source[position] * age * age


@_compiled
def bound(dims, sums, h, e0, e1, gamma, p, level, least, largest, near, n_near):
    """Return bounds of the index over a box from the two polynomials, their errors, and the observations too near."""
    d = len(dims)
    terms = n_terms(d)
    a = sums[0]
    relative = sums[terms] / a
    mean = level + relative
    sigma = gamma * root(a, p)
    slope = -sigma / (2 * p * a)
    change = 0.0
    swing = 0.0
    up = 0.0
    down = 0.0
    position = 1 + d
    for j in range(d):
        a1 = sums[1 + j]
        q1 = sums[terms + 1 + j] - relative * a1
        l1 = abs(q1 / a + slope * a1)
        change += abs(a1) * h[j]
        swing += abs(q1) * h[j]
        for k in range(j, d):
            a2 = sums[position]
            q2 = sums[terms + position] - relative * a2
            l2 = q2 / a + slope * a2
            area = h[j] * h[k]
            change += abs(a2) * area
            swing += abs(q2) * area
            if k > j:
                up += abs(l2) * area
                down += abs(l2) * area
            else:
                # The largest and smallest of l1 s + l2 s² for |s| <= h.
                if l2 < 0 and l1 < -2 * l2 * h[j]:
                    up += -l1 * l1 / (4 * l2)
                else:
                    up += (l1 + l2 * h[j]) * h[j]
                if l2 > 0 and l1 < 2 * l2 * h[j]:
                    down += l1 * l1 / (4 * l2)
                else:
                    down += (l1 - l2 * h[j]) * h[j]
            position += 1
    change += e0
    lowest = a - change
    if not lowest > SMALLEST_SUM:
        return np.inf, -np.inf, 0.0, level
    error1 = e1 + abs(relative) * e0
    swing += error1
    error = error1 / a - slope * e0
    product = swing * change / (lowest * a)
    exponent = 0.5 / p
    sigma_high = gamma * root(lowest, p)
    curved = 0.5 * exponent * (exponent + 1) * sigma_high * (change / lowest) ** 2
    mean_high = min(mean + swing / lowest, largest)
    mean_low = max(mean - swing / lowest, least)
    high = min(mean + sigma + up + error + product + curved, mean_high + sigma_high)
    low = mean + sigma - down - error - product
    low = max(low, mean_low + gamma * root(a + change, p))
    if n_near:
        rise = fall = extra = 0.0
        top, bottom = mean_low, mean_high
        for i in range(n_near):
            weight = near[i, 0]
            extra += weight
            if near[i, 2] > mean_low:
                rise += weight * (near[i, 2] - mean_low) / (lowest + weight)
                top = max(top, near[i, 2])
            if near[i, 1] < mean_high:
                fall += weight * (mean_high - near[i, 1]) / (lowest + weight)
                bottom = min(bottom, near[i, 1])
        high += min(rise, top - mean_low)
        low -= min(fall, mean_high - bottom) + sigma_high - gamma * root(lowest + extra, p)
    return min(high, largest + sigma_high), low, lowest, mean


@_compiled
def remember(close, count, weight, least, largest):
    """Add an observation too near to a box's list, or to the list's last entry where it is full; return the count."""
    if weight <= 0:
        return count
    if count < NEAR:
        close[count, 0] = weight
        close[count, 1] = least
        close[count, 2] = largest
        return count + 1
    close[NEAR - 1, 0] += weight
    close[NEAR - 1, 1] = min(close[NEAR - 1, 1], least)
    close[NEAR - 1, 2] = max(close[NEAR - 1, 2], largest)
    return count


@_compiled
def weigh(dims, k, now, gamma, cap, p, least, largest, boxes, corners, links, sums, close, work):
    """Bound the index over box ``k`` at the moment ``now``, from the polynomials that it keeps."""
    d = len(dims)
    h, total = work[0], work[4]
    for j in range(d):
        h[j] = 0.5 * (corners[k, d + 1 + j] - corners[k, j])
    at_moment(dims, sums[k], total, now - 0.5 * (corners[k, d] + corners[k, 2 * d + 1]))
    high, low, a, mean = bound(
        dims, total, h, boxes[k, E0], boxes[k, E1], gamma, p, boxes[k, LEVEL], least, largest, close[k], links[k, CLOSE]
    )
    boxes[k, HIGH], boxes[k, LOW] = min(high, cap), min(low, cap)
    boxes[k, WIDTH] = boxes[k, HIGH] - boxes[k, LOW]
    boxes[k, LOWEST] = a
    boxes[k, MEAN] = mean
    boxes[k, TOTAL] = total[0]


@_compiled
def learn(dims, k, row, p, boxes, corners, links, sums, close, work):
    """Add one new observation to what box ``k`` keeps."""
    d = len(dims)
    full = d + 1
    h, u = work[0], work[3]
    r2, h2 = 1.0, 0.0
    for j in range(full):
        low, high = corners[k, j], corners[k, full + j]
        h[j] = 0.5 * (high - low)
        u[j] = 0.5 * (high + low) - row[j]
        r2 += u[j] * u[j]
        h2 += h[j] * h[j]
    add_single(dims, u, h, np.sqrt(h2), h2, r2, row[full], p, boxes[k, LEVEL], k, boxes, links, sums[k], close)


@_compiled
def add_single(dims, u, h, radius, h2, r2, y, p, level, k, boxes, links, sums, close):
    """Add one observation to the sums of a box, by its expansion or, where it is too near, by its range."""
    full = len(dims) + 1
    r = np.sqrt(r2)
    if radius < APART * r / p:
        third = 4.0 if p == 1 else (20.0 if p == 2 else 56.0)
        rest = r - radius
        remainder = third * radius * h2 * tail(rest, p)
        g0, g1, g2 = derivatives(r2, p)
        add_point(dims, sums, u, y - level, g0, g1, g2)
        boxes[k, E0] += remainder
        boxes[k, E1] += remainder * abs(y - level)
        return
    nearest = farthest = 1.0
    for j in range(full):
        side = abs(u[j])
        farthest += (side + h[j]) ** 2
        nearest += max(0.0, side - h[j]) ** 2
    g0 = power(farthest, p)
    sums[0] += g0
    sums[n_terms(full)] += (y - level) * g0
    links[k, CLOSE] = remember(close[k], links[k, CLOSE], power(nearest, p) - g0, y, y)


@_compiled
def look(
    dims, k, source, rows, nodes, first, roots, now, gamma, cap, p, least, largest, tolerance, moment,
    boxes, corners, links, sums, folds, close, lists, used, stack, work, counters,
):  # fmt: skip
    """Sum the observations over box ``k``, whose corners are set, and bound the index; return the lists' new end.

    Starts from the list of a ``source`` box around it, or from the roots where that is -1. Every group on the list is
    folded into the polynomials for good if its error is negligible here, kept on the list if the box is what makes its
    error large, or opened.
    """
    d = len(dims)
    full = d + 1
    terms = n_terms(full)
    third = 4.0 if p == 1 else (20.0 if p == 2 else 56.0)
    h, step, centre, u = work[0], work[1], work[2], work[3]
    h2 = 0.0
    for j in range(d):
        centre[j] = 0.5 * (corners[k, j] + corners[k, full + j])
        h[j] = 0.5 * (corners[k, full + j] - corners[k, j])
        h2 += h[j] * h[j]
    # The box lasts as long as it is wide, unless that is no longer than a step of the clock.
    lasting = 2 * LASTING * np.sqrt(h2)
    h[d] = 0.5 * lasting if lasting >= 2 * moment else 0.0
    corners[k, d], corners[k, full + d] = now, now + 2 * h[d]
    centre[d] = now + h[d]
    h2 += h[d] * h[d]
    radius = np.sqrt(h2)
    folded = folds[k]
    own = sums[k]
    own[:] = 0.0
    a = boxes[k, LOWEST]
    if source >= 0:
        for j in range(full):
            step[j] = centre[j] - 0.5 * (corners[source, j] + corners[source, full + j])
        shift(dims, folds[source], folded, step)
        f0, f1 = boxes[source, FOLDED0], boxes[source, FOLDED1]
        begin, length = links[source, START], links[source, LENGTH]
        a = boxes[source, LOWEST]
        # Rewards are counted from the mean thereabouts, which makes errors of the precisions matter least.
        level = boxes[source, MEAN]
        change = level - boxes[source, LEVEL]
        for i in range(terms):
            folded[terms + i] -= change * folded[i]
        f1 += abs(change) * f0
    else:
        level = boxes[k, MEAN]
        folded[:] = 0.0
        f0 = f1 = 0.0
        begin, length = 0, roots
    boxes[k, LEVEL] = level
    fold = budget = steep = 0.0
    use = np.inf
    if a > 0:
        steep = gamma * root(a, p) / (2 * p)
        per = boxes[k, STRICT] * a
        budget = FOLDED * tolerance * per
        fold = NEGLIGIBLE * tolerance * per
        use = ENOUGH * max(tolerance, COARSE * min(boxes[k, WIDTH], largest - least)) * per
        if radius == 0.0:
            use = fold
    boxes[k, E0] = boxes[k, E1] = 0.0
    links[k, START] = used
    links[k, CLOSE] = 0
    groups = 0.0
    for item in range(begin, begin + length):
        stack[0] = lists[item]
        depth = 1
        while depth:
            depth -= 1
            node = stack[depth]
            counters[GROUPS] += 1
            if used >= lists.shape[0] or depth + LEAF >= stack.shape[0]:
                return FULL
            if node < 0:
                row = rows[-1 - node]
                r2 = 1.0
                for j in range(full):
                    u[j] = centre[j] - row[j]
                    r2 += u[j] * u[j]
                y = row[full]
                r = np.sqrt(r2)
                rest = r - radius
                if radius < APART * r / p:
                    remainder = third * radius * h2 * tail(rest, p)
                    g0, g1, g2 = derivatives(r2, p)
                    harm = remainder * (abs(y - level) + steep)
                    if harm <= fold and harm + f1 + f0 * steep <= budget:
                        add_point(dims, folded, u, y - level, g0, g1, g2)
                        f0 += remainder
                        f1 += remainder * abs(y - level)
                        continue
                    add_point(dims, own, u, y - level, g0, g1, g2)
                    boxes[k, E0] += remainder
                    boxes[k, E1] += remainder * abs(y - level)
                else:
                    add_single(dims, u, h, radius, h2, r2, y, p, level, k, boxes, links, own, close)
                lists[used] = node
                used += 1
                continue
            row = nodes[node]
            r2 = 1.0
            for j in range(full):
                u[j] = centre[j] - row[CENTROID + j]
                r2 += u[j] * u[j]
            r = np.sqrt(r2)
            n, size, spread = row[COUNT], row[RADIUS], row[SPREAD]
            if radius + size < APART * r / p:
                rest = r - radius - size
                moment3 = radius * h2 + 3 * h2 * spread + (3 * radius + size) * spread * spread
                remainder = third * n * moment3 * tail(rest, p)
                away = max(row[LARGEST] - level, level - row[LEAST])
                harm = remainder * (away + steep)
                if not (harm > use and size > OPENED * radius):
                    g0, g1, g2 = derivatives(r2, p)
                    if harm <= fold and harm + f1 + f0 * steep <= budget:
                        add_group(dims, folded, u, row, level, g0, g1, g2)
                        f0 += remainder
                        f1 += remainder * away
                        continue
                    add_group(dims, own, u, row, level, g0, g1, g2)
                    if remainder > 0:
                        groups += harm * (size * spread * spread) / moment3
                    boxes[k, E0] += remainder
                    boxes[k, E1] += remainder * away
                    lists[used] = node
                    used += 1
                    continue
            elif not size > OPENED_NEAR * radius:
                nearest = farthest = 1.0
                for j in range(full):
                    side = abs(u[j])
                    farthest += (side + h[j]) ** 2
                    nearest += max(0.0, side - h[j]) ** 2
                farthest = np.sqrt(farthest) + size
                nearest = max(1.0, np.sqrt(nearest) - size)
                # Every observation of the group weighs at least as the farthest could.
                g0 = n * power(farthest * farthest, p)
                own[0] += g0
                own[terms] += (row[REWARD] / n - level) * g0
                more = n * power(nearest * nearest, p) - g0
                links[k, CLOSE] = remember(close[k], links[k, CLOSE], more, row[LEAST], row[LARGEST])
                lists[used] = node
                used += 1
                continue
            if first[node] >= 0:
                stack[depth] = first[node]
                stack[depth + 1] = first[node] + 1
                depth += 2
            else:
                for i in range(LEAF):
                    stack[depth + i] = first[node] - i
                depth += LEAF
    links[k, LENGTH] = used - links[k, START]
    links[k, ROUND] = counters[ROUNDS]
    for i in range(2 * terms):
        own[i] += folded[i]
    boxes[k, FOLDED0], boxes[k, FOLDED1] = f0, f1
    boxes[k, E0] += f0
    boxes[k, E1] += f1
    weigh(dims, k, now, gamma, cap, p, least, largest, boxes, corners, links, sums, close, work)
    a = boxes[k, LOWEST]
    boxes[k, ERROR] = (groups + f1 + f0 * steep) / a if a > 0 else 0.0
    counters[BOXES] += 1
    return used


@_compiled
def uniform(state):
    """Return a number between 0 and 1 and step the generator (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (np.float64(z >> np.uint64(11)) + 0.5) * 2.0**-53


@_compiled
def before(boxes, a, b):
    """Tell whether box ``a`` is to be looked at before box ``b``."""
    if boxes[a, HIGH] != boxes[b, HIGH]:
        return boxes[a, HIGH] > boxes[b, HIGH]
    return boxes[a, KEY] < boxes[b, KEY]


@_compiled
def push(heap, size, boxes, k):
    """Add a box to the heap; return its new size."""
    i = size
    while i > 0:
        above = (i - 1) // 2
        if not before(boxes, k, heap[above]):
            break
        heap[i] = heap[above]
        i = above
    heap[i] = k
    return size + 1


@_compiled
def pop(heap, size, boxes):
    """Remove the first box of the heap, which the caller has read; return the heap's new size."""
    size -= 1
    k = heap[size]
    i = 0
    while True:
        below = 2 * i + 1
        if below >= size:
            break
        if below + 1 < size and before(boxes, heap[below + 1], heap[below]):
            below += 1
        if not before(boxes, heap[below], k):
            break
        heap[i] = heap[below]
        i = below
    heap[i] = k
    return size


@_compiled
def volume(dims, discrete, node, n_arms, corners):
    """Return how many arms a box has, or for a continuum how large it is."""
    if discrete:
        if node < 0:
            return 1.0
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
    links[k, STATE] = STANDING
    if parent >= 0:
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
def join(dims, now, corners, links, counters, free, parent):
    """Put a box in the place of its children if the time of all is up; return whether that was done."""
    child = links[parent, CHILD]
    while child >= 0:
        if links[child, STATE] != STANDING or stands(dims, child, now, corners):
            return False
        child = links[child, SIBLING]
    child = links[parent, CHILD]
    while child >= 0:
        links[child, STATE] = UNUSED
        free[counters[FREE]] = child
        counters[FREE] += 1
        child = links[child, SIBLING]
    links[parent, CHILD] = -1
    links[parent, STATE] = STANDING
    return True


@_compiled
def search(
    dims, rows, nodes, first, buffered, occupied, fresh, now, moment, gamma, cap, p, least, largest, tolerance,
    discrete, arm_bounds, arm_points, permutation, origin, weight, state,
    boxes, corners, links, sums, folds, close, free, lists, stack, work, heap, counters,
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
    used = 0
    for s in range(buffered):
        lists[used] = -1 - s
        used += 1
    number = 0
    while occupied >> number:
        if (occupied >> number) & 1:
            lists[used] = (2 << number) + 1
            used += 1
        number += 1
    roots = used
    if counters[SLOTS] == 0:
        new_box(links, counters, free, -1)
        links[0, NODE] = 0
        for j in range(d):
            corners[0, j], corners[0, full + j] = arm_bounds[0, j], arm_bounds[0, d + j]
        corners[0, d], corners[0, full + d] = np.inf, -np.inf
        boxes[0, STRICT] = 1.0
        boxes[0, LOWEST] = 0.0
        boxes[0, MEAN] = 0.5 * (least + largest)
        boxes[0, WIDTH] = np.inf
    # Boxes that stand: join those whose time is up, weigh the others.
    slots = counters[SLOTS]
    for k in range(slots):
        if links[k, STATE] == STANDING and not stands(dims, k, now, corners):
            parent = links[k, PARENT]
            if parent >= 0 and join(dims, now, corners, links, counters, free, parent):
                corners[parent, d], corners[parent, full + d] = np.inf, -np.inf
    best = -1
    for k in range(slots):
        if links[k, STATE] != STANDING:
            continue
        if stands(dims, k, now, corners):
            for s in range(fresh.shape[0]):
                learn(dims, k, fresh[s], p, boxes, corners, links, sums, close, work)
            weigh(dims, k, now, gamma, cap, p, least, largest, boxes, corners, links, sums, close, work)
        else:
            boxes[k, HIGH], boxes[k, LOW] = cap, -np.inf
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
        if high - low <= slack:
            return k
        if high < cap and high - boxes[best, LOW] <= slack:
            return best
        size = pop(heap, size, boxes)
        if links[k, ROUND] != counters[ROUNDS]:
            # From the list of the box around it where there is one, unless that is too coarse.
            parent = links[k, PARENT]
            source = -1
            if parent >= 0 and links[parent, ROUND] == counters[ROUNDS] and boxes[parent, STRICT] <= boxes[k, STRICT]:
                source = parent
            used = look(
                dims, k, source, rows, nodes, first, roots, now, gamma, cap, p, least, largest, tolerance, moment,
                boxes, corners, links, sums, folds, close, lists, used, stack, work, counters,
            )  # fmt: skip
            if used == FULL:
                return FULL
            boxes[k, HIGH], boxes[k, LOW] = min(high, boxes[k, HIGH]), max(low, boxes[k, LOW])
            if boxes[k, LOW] > boxes[best, LOW]:
                best = k
            if boxes[k, HIGH] >= cap or boxes[k, HIGH] > boxes[best, LOW] + tolerance:
                size = push(heap, size, boxes, k)
            continue
        if boxes[k, TOTAL] < SMALLEST_SUM:
            return VANISHED
        node = links[k, NODE]
        children = 2
        begin = end = 0
        if discrete and node >= 0 and 2 * node + 1 >= n_nodes:
            begin, end = arm_range(node, n_arms)
            children = end - begin
        if node < 0 or boxes[k, ERROR] > TOO_COARSE * (high - low):
            boxes[k, STRICT] *= 0.25
            links[k, ROUND] = -1
            size = push(heap, size, boxes, k)
            continue
        key = boxes[k, KEY]
        whole = volume(dims, discrete, node, n_arms, corners[k])
        kept = False
        for child in range(children):
            c = new_box(links, counters, free, k)
            if c == FULL:
                return FULL
            boxes[c, STRICT] = boxes[k, STRICT]
            if not discrete:
                links[c, NODE] = 0
                side = 0
                for j in range(d):
                    corners[c, j], corners[c, full + j] = corners[k, j], corners[k, full + j]
                    if corners[k, full + j] - corners[k, j] > corners[k, full + side] - corners[k, side]:
                        side = j
                middle = 0.5 * (corners[k, side] + corners[k, full + side])
                corners[c, side + full * (1 - child)] = middle
            elif end:
                links[c, NODE] = -1 - (begin + child)
                for j in range(d):
                    x = (arm_points[permutation[begin + child], j] - origin[j]) * weight
                    corners[c, j] = corners[c, full + j] = x
            else:
                at = 2 * node + 1 + child
                links[c, NODE] = at
                for j in range(d):
                    corners[c, j], corners[c, full + j] = arm_bounds[at, j], arm_bounds[at, d + j]
            # The keys of a race: the parent's goes to one of the children, with odds as their sizes, and the others'
            # are later by an exponential time.
            part = volume(dims, discrete, links[c, NODE], n_arms, corners[c])
            if not kept and (child == children - 1 or uniform(state) * whole < part):
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
