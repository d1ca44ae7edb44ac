"""Observations and groups of them summed over a box of arms and a stretch of time, many at once.

What ``add_point`` and ``add_group`` do for one, but column by column in arrays, which the processor works through
several numbers at a time.
"""

import numpy as np
from numba import njit

from quickdraw_bandits.interpolation.compiled_bounds import APART, add_single, remember
from quickdraw_bandits.interpolation.compiled_boxes import CLOSE, COARSENESS, E0, E1, FOLDED0, FOLDED1
from quickdraw_bandits.interpolation.compiled_expansion import (
    add_group,
    add_point,
    add_shape,
    derivatives,
    n_terms,
    power,
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

BATCH = 128
"""Observations or groups summed at once."""
LANES = 16
"""Batches are filled up to a multiple of this with what has no weight."""
OPENED = 0.5
"""Radius of a group relative to that of the box above which opening the group reduces the error more."""
OPENED_NEAR = 1.0
"""The same where box and group are too near for an expansion."""
# Rows of a batch after the differences in place and time: mean reward, R², count times g and its derivatives, bound of
# what is left out, largest reward, count, radius, spread, the part of the error due to the group's size, and ones.
Y, R2, G0, G1, G2, REST, AWAY, N, SIZE, WIDE, OWN, ONE = range(12)
BATCH_ROWS = 12


@_compiled
def products(y, a, b, c, count):
    """Return sum a b c and sum y a b c."""
    s0 = s1 = 0.0
    for i in range(count):
        term = a[i] * b[i] * c[i]
        s0 += term
        s1 += y[i] * term
    return s0, s1


@_compiled
def pad(dims, batch, count):
    """Fill a batch up with what has no weight; return its length then."""
    full = len(dims) + 1
    padded = (count + LANES - 1) // LANES * LANES
    for i in range(count, padded):
        for row in range(full + BATCH_ROWS):
            batch[row, i] = 0.0
        batch[full + R2, i] = np.inf
    return padded


@_compiled
def accumulate(dims, batch, count, k, boxes, own):
    """Add the expansions of a batch to the two polynomials and their errors, as ``add_point`` does for one."""
    full = len(dims) + 1
    terms = n_terms(full)
    y, g0, g1, g2 = batch[full + Y], batch[full + G0], batch[full + G1], batch[full + G2]
    rest, away, one = batch[full + REST], batch[full + AWAY], batch[full + ONE]
    e0, e1 = products(away, rest, one, one, count)
    boxes[k, E0] += e0
    boxes[k, E1] += e1
    s0, s1 = products(y, g0, one, one, count)
    own[0] += s0
    own[terms] += s1
    round0, round1 = products(y, g1, one, one, count)
    position = 1 + full
    for j in range(full):
        s0, s1 = products(y, g1, batch[j], one, count)
        own[1 + j] += s0
        own[terms + 1 + j] += s1
        for i in range(j, full):
            s0, s1 = products(y, g2, batch[j], batch[i], count)
            if i == j:
                s0, s1 = 0.5 * (s0 + round0), 0.5 * (s1 + round1)
            own[position] += s0
            own[terms + position] += s1
            position += 1


@_compiled
def add_points(
    dims, pending, count, listed, rows, centre, h, radius, h2, p, level, steep, fold, budget, k,
    boxes, links, folded, own, close, lists, used, batch, u,
):  # fmt: skip
    """Add the observations of ``pending`` to the sums of box ``k``; return the end of its list.

    Of the first ``listed``, those whose error is negligible are folded for good, and the others are listed. The rest
    are recent.
    """
    full = len(dims) + 1
    y, r2, g0, g1, g2 = batch[full + Y], batch[full + R2], batch[full + G0], batch[full + G1], batch[full + G2]
    rest, away, one = batch[full + REST], batch[full + AWAY], batch[full + ONE]
    third = 4.0 if p == 1 else (20.0 if p == 2 else 56.0)
    for i in range(count):
        s = -1 - pending[i]
        squared = 1.0
        for j in range(full):
            w = centre[j] - rows[s, j]
            batch[j, i] = w
            squared += w * w
        y[i] = rows[s, full] - level
        r2[i] = squared
    padded = pad(dims, batch, count)
    scale = third * radius * h2
    for i in range(padded):
        rest[i] = scale * tail(np.sqrt(r2[i]) - radius, p)
        g0[i], g1[i], g2[i] = derivatives(r2[i], p)
        away[i] = abs(y[i])
        one[i] = 1.0
    near = (radius * p / APART) ** 2
    for i in range(count):
        if r2[i] > near:
            if i >= listed:
                continue
            harm = rest[i] * (away[i] + steep)
            if not (harm <= fold and harm + boxes[k, FOLDED1] + boxes[k, FOLDED0] * steep <= budget):
                lists[used] = pending[i]
                used += 1
                continue
            for j in range(full):
                u[j] = batch[j, i]
            add_point(dims, folded, u, y[i], g0[i], g1[i], g2[i])
            boxes[k, FOLDED0] += rest[i]
            boxes[k, FOLDED1] += rest[i] * away[i]
        else:
            for j in range(full):
                u[j] = batch[j, i]
            add_single(dims, u, h, radius, h2, r2[i], y[i] + level, p, level, k, boxes, links, own, close)
            if i < listed:
                lists[used] = pending[i]
                used += 1
        g0[i] = g1[i] = g2[i] = rest[i] = 0.0
    accumulate(dims, batch, padded, k, boxes, own)
    return used


@_compiled
def add_groups(
    dims, pending, count, nodes, first, centre, h, radius, h2, p, level, steep, fold, budget, use, k,
    boxes, links, folded, own, close, lists, used, stack, depth, batch, u,
):  # fmt: skip
    """Add the groups of ``pending`` to the sums of box ``k``, or put their parts on the stack; return both ends.

    A group is folded for good if its error is negligible here, kept on the list if the box is what makes its error
    large or if the error is small enough, or opened.
    """
    full = len(dims) + 1
    terms = n_terms(full)
    y, r2, g0, g1, g2 = batch[full + Y], batch[full + R2], batch[full + G0], batch[full + G1], batch[full + G2]
    rest, away, one = batch[full + REST], batch[full + AWAY], batch[full + ONE]
    n, size, wide, part = batch[full + N], batch[full + SIZE], batch[full + WIDE], batch[full + OWN]
    third = 4.0 if p == 1 else (20.0 if p == 2 else 56.0)
    for i in range(count):
        node = pending[i]
        squared = 1.0
        for j in range(full):
            w = centre[j] - nodes[node, CENTROID + j]
            batch[j, i] = w
            squared += w * w
        r2[i] = squared
        n[i] = nodes[node, COUNT]
        y[i] = nodes[node, REWARD]
        size[i] = nodes[node, RADIUS]
        wide[i] = nodes[node, SPREAD]
        away[i] = max(nodes[node, LARGEST] - level, level - nodes[node, LEAST])
    padded = pad(dims, batch, count)
    for i in range(padded):
        one[i] = 1.0
        squared = wide[i] * wide[i]
        own_part = size[i] * squared
        moment = radius * h2 + 3 * (h2 * wide[i] + radius * squared) + own_part
        rest[i] = third * n[i] * moment * tail(np.sqrt(r2[i]) - radius - size[i], p)
        part[i] = own_part / moment
        y[i] = y[i] / n[i] - level
        a0, a1, a2 = derivatives(r2[i], p)
        g0[i], g1[i], g2[i] = n[i] * a0, n[i] * a1, n[i] * a2
    for i in range(count, padded):
        y[i] = rest[i] = 0.0
    for i in range(count):
        node = pending[i]
        r = np.sqrt(r2[i])
        if radius + size[i] < APART * r / p:
            harm = rest[i] * (away[i] + steep)
            if not (harm > use and size[i] > OPENED * radius):
                for j in range(full):
                    u[j] = batch[j, i]
                if harm <= fold and harm + boxes[k, FOLDED1] + boxes[k, FOLDED0] * steep <= budget:
                    add_group(dims, folded, u, nodes[node], level, g0[i] / n[i], g1[i] / n[i], g2[i] / n[i])
                    boxes[k, FOLDED0] += rest[i]
                    boxes[k, FOLDED1] += rest[i] * away[i]
                    g0[i] = g1[i] = g2[i] = rest[i] = 0.0
                    continue
                add_shape(dims, own, u, nodes[node], level, g1[i] / n[i], g2[i] / n[i])
                if rest[i] > 0:
                    boxes[k, COARSENESS] += harm * part[i]
                lists[used] = node
                used += 1
                continue
        elif not size[i] > OPENED_NEAR * radius:
            nearest = farthest = 1.0
            for j in range(full):
                side = abs(batch[j, i])
                farthest += (side + h[j]) ** 2
                nearest += max(0.0, side - h[j]) ** 2
            farthest = np.sqrt(farthest) + size[i]
            nearest = max(1.0, np.sqrt(nearest) - size[i])
            # Every observation of the group weighs at least as the farthest could.
            lowest = n[i] * power(farthest * farthest, p)
            own[0] += lowest
            own[terms] += y[i] * lowest
            more = n[i] * power(nearest * nearest, p) - lowest
            links[k, CLOSE] = remember(close[k], links[k, CLOSE], more, nodes[node, LEAST], nodes[node, LARGEST])
            g0[i] = g1[i] = g2[i] = rest[i] = 0.0
            lists[used] = node
            used += 1
            continue
        g0[i] = g1[i] = g2[i] = rest[i] = 0.0
        if first[node] >= 0:
            stack[depth] = first[node]
            stack[depth + 1] = first[node] + 1
            depth += 2
        else:
            for part_of_leaf in range(LEAF):
                stack[depth + part_of_leaf] = first[node] - part_of_leaf
            depth += LEAF
    accumulate(dims, batch, padded, k, boxes, own)
    return used, depth
