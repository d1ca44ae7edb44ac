"""Summing the observations over a box of arms and a stretch of time."""

import numpy as np
from numba import njit

from quickdraw_bandits.interpolation.compiled_bounds import APART, add_single, remember, weigh
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
    add_group,
    add_point,
    derivatives,
    n_terms,
    power,
    root,
    shift,
    tail,
)
from quickdraw_bandits.interpolation.compiled_forest import (
    CENTROID,
    COUNT,
    LARGEST,
    LEAF,
    LEAST,
    RADIUS,
    REWARD,
    SPREAD,
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
OPENED = 0.5
"""Radius of a group relative to that of the box above which opening the group reduces the error more."""
OPENED_NEAR = 1.0
"""The same where box and group are too near for an expansion."""
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
def look(
    dims, k, source, until, rows, nodes, first, recent, roots, now, gamma, cap, p, least, largest, tolerance,
    boxes, corners, links, sums, folds, close, lists, stack, work, counters,
):  # fmt: skip
    """Sum the observations over box ``k``, whose corners are set, and bound the index; return FULL if there is no room.

    Starts from the list of a ``source`` box around it, or from the roots where that is -1. Every group on the list is
    folded into the polynomials for good if its error is negligible here, kept on the list if the box is what makes its
    error large, or opened. Recent observations are in trees that are about to be merged, so that they are summed from
    the roots every time, and neither folded nor listed. The box stands ``until`` then, but no longer than the source.
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
    boxes[k, E0] = boxes[k, E1] = 0.0
    e0 = e1 = 0.0
    seen = 0
    used = counters[USED]
    links[k, START] = used
    links[k, CLOSE] = 0
    groups = 0.0
    for item in range(length + recent):
        if item < length:
            stack[0] = lists[begin + item]
        else:
            stack[0] = lists[RECENT + item - length]
            if item == length:
                # From here on nothing is folded, and what is listed is forgotten.
                links[k, LENGTH] = used - links[k, START]
                fold = -1.0
        depth = 1
        while depth:
            depth -= 1
            node = stack[depth]
            seen += 1
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
                    e0 += remainder
                    e1 += remainder * abs(y - level)
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
                    e0 += remainder
                    e1 += remainder * away
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
    if recent == 0:
        links[k, LENGTH] = used - links[k, START]
    counters[USED] = links[k, START] + links[k, LENGTH]
    links[k, ROUND] = counters[ROUNDS]
    links[k, EPOCH] = counters[EPOCHS]
    for i in range(2 * terms):
        own[i] += folded[i]
    boxes[k, FOLDED0], boxes[k, FOLDED1] = f0, f1
    boxes[k, E0] += e0 + f0
    boxes[k, E1] += e1 + f1
    counters[GROUPS] += seen
    weigh(dims, k, now, gamma, cap, p, least, largest, boxes, corners, links, sums, close, work)
    a = boxes[k, LOWEST]
    boxes[k, COARSENESS] = groups / a if a > 0 else 0.0
    # By what S0 is now: it may have been far more when these groups were found to be negligible.
    boxes[k, STALENESS] = (f1 + f0 * gamma * root(a, p) / (2 * p)) / a if a > 0 else 0.0
    boxes[k, FIRST_WIDTH] = boxes[k, WIDTH]
    counters[BOXES] += 1
    return 0
