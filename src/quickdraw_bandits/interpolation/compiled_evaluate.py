"""The index of every arm of a leaf, from what the leaf's box has summed and the groups that it has not."""

import numpy as np
from numba import njit

from quickdraw_bandits.interpolation.compiled_bounds import APART, SMALLEST_SUM
from quickdraw_bandits.interpolation.compiled_boxes import (
    ARM,
    FINE,
    FOLDED0,
    FOLDED1,
    FULL,
    GROUPS,
    HIGH,
    KEY,
    LENGTH,
    LEVEL,
    LOW,
    LOWEST,
    START,
    TOTAL,
)
from quickdraw_bandits.interpolation.compiled_expansion import derivatives, n_terms, power, root, tail
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
from quickdraw_bandits.interpolation.compiled_look import NEGLIGIBLE, UNPACKED
from quickdraw_bandits.interpolation.compiled_queue import uniform

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})


@_compiled
def at_place(dims, sums, which, step):
    """Return the value of one of the two polynomials at ``step`` from their centre."""
    full = len(dims) + 1
    at = which * n_terms(full)
    value = sums[at]
    position = at + 1 + full
    for j in range(full):
        slope = sums[at + 1 + j]
        for k in range(j, full):
            slope += sums[position] * step[k]
            position += 1
        value += slope * step[j]
    return value


@_compiled
def group_sums(dims, u, row, level, r2, p):
    """Return what a group contributes to the two sums at one place, to second order in the places of the group."""
    full = len(dims) + 1
    first = CENTROID + full
    counts = first + full
    rewards = counts + full * (full + 1) // 2
    g0, g1, g2 = derivatives(r2, p)
    projected = trace0 = trace1 = form0 = form1 = 0.0
    position = 0
    for j in range(full):
        projected += u[j] * row[first + j]
        trace0 += row[counts + position]
        trace1 += row[rewards + position]
        for k in range(j, full):
            product = u[j] * u[k] if k == j else 2.0 * u[j] * u[k]
            form0 += row[counts + position] * product
            form1 += row[rewards + position] * product
            position += 1
    n = row[COUNT]
    s0 = n * g0 + 0.5 * (g1 * trace0 + g2 * form0)
    s1 = row[REWARD] * g0 - g1 * projected + 0.5 * (g1 * trace1 + g2 * form1)
    return s0, s1 - level * s0


@_compiled
def evaluate(
    dims, k, begin, end, rows, nodes, first, buffered, occupied, now, gamma, cap, p, least, largest, tolerance,
    arm_points, permutation, origin, weight, state, boxes, corners, links, folds, lists, stack, work, counters,
):  # fmt: skip
    """Bound the index of each arm of leaf ``k``, whose list is up to date, and so that of the best; return FULL or 0.

    At one place and moment only the size of a group makes an error, of C(2p + 2, 3) n r v² (R - r)^-(2p + 3) at most.

    Arms at the cap race by their keys: the leaf's key, which is the earliest of its arms', goes to one of them at
    random, and those of the others are later by an exponential time.
    """
    d = len(dims)
    full = d + 1
    third = 4.0 if p == 1 else (20.0 if p == 2 else 56.0)
    u, step, place = work[0], work[1], work[2]
    level = boxes[k, LEVEL]
    length = links[k, LENGTH]
    start = links[k, START]
    highest = lowest = -np.inf
    best = begin
    key = np.inf
    parent_key = boxes[k, KEY]
    kept = False
    seen = 0
    for arm in range(begin, end):
        for j in range(d):
            place[j] = (arm_points[permutation[arm], j] - origin[j]) * weight
        place[d] = now
        for j in range(full):
            step[j] = place[j] - 0.5 * (corners[k, j] + corners[k, full + j])
        s0 = at_place(dims, folds[k], 0, step)
        s1 = at_place(dims, folds[k], 1, step)
        e0, e1 = boxes[k, FOLDED0], boxes[k, FOLDED1]
        # Recent observations one by one. What they leave of S0 tells how large an error may be.
        for part in range(-1, UNPACKED):
            if part < 0:
                row_from, row_to = 0, buffered
            else:
                row_from = LEAF << part
                row_to = 2 * row_from if (occupied >> part) & 1 else row_from
            for s in range(row_from, row_to):
                r2 = 1.0
                for j in range(full):
                    difference = place[j] - rows[s, j]
                    r2 += difference * difference
                g = power(r2, p)
                s0 += g
                s1 += (rows[s, full] - level) * g
        least_sum = max(s0 - e0, boxes[k, LOWEST])
        enough = steep = 0.0
        if least_sum > SMALLEST_SUM:
            enough = NEGLIGIBLE * tolerance * boxes[k, FINE] * least_sum
            steep = gamma * root(least_sum, p) / (2 * p)
        for item in range(length):
            stack[0] = lists[start + item]
            depth = 1
            while depth:
                depth -= 1
                node = stack[depth]
                seen += 1
                if node < 0:
                    row = rows[-1 - node]
                    r2 = 1.0
                    for j in range(full):
                        difference = place[j] - row[j]
                        r2 += difference * difference
                    g = power(r2, p)
                    s0 += g
                    s1 += (row[full] - level) * g
                    continue
                row = nodes[node]
                r2 = 1.0
                for j in range(full):
                    u[j] = place[j] - row[CENTROID + j]
                    r2 += u[j] * u[j]
                r = np.sqrt(r2)
                size = row[RADIUS]
                if size < APART * r / p:
                    remainder = third * row[COUNT] * size * row[SPREAD] ** 2 * tail(r - size, p)
                    away = max(row[LARGEST] - level, level - row[LEAST])
                    if remainder * (away + steep) <= enough:
                        g0, g1 = group_sums(dims, u, row, level, r2, p)
                        s0 += g0
                        s1 += g1
                        e0 += remainder
                        e1 += remainder * away
                        continue
                if depth + LEAF >= stack.shape[0]:
                    return FULL
                if first[node] >= 0:
                    stack[depth] = first[node]
                    stack[depth + 1] = first[node] + 1
                    depth += 2
                else:
                    for i in range(LEAF):
                        stack[depth + i] = first[node] - i
                    depth += LEAF
        high, low = np.inf, -np.inf
        # Where it vanishes at one arm, the search has to give up, though it does not at the centre.
        boxes[k, TOTAL] = min(boxes[k, TOTAL], s0)
        if s0 - e0 > SMALLEST_SUM:
            relative = s1 / s0
            error = (e1 + abs(relative) * e0) / (s0 - e0)
            high = min(level + relative + error, largest) + gamma * root(s0 - e0, p)
            low = max(level + relative - error, least) + gamma * root(s0 + e0, p)
        if high >= cap:
            high = cap
        low = min(low, cap)
        left = end - arm
        if not kept and (left == 1 or uniform(state) * left < 1.0):
            own = parent_key
            kept = True
        else:
            own = parent_key - np.log(uniform(state))
        highest = max(highest, high)
        if low > lowest or (low == lowest and own < key):
            lowest, best, key = low, arm, own
    counters[GROUPS] += seen
    links[k, ARM] = best
    boxes[k, HIGH] = min(boxes[k, HIGH], highest)
    boxes[k, LOW] = max(boxes[k, LOW], lowest)
    if lowest >= cap:
        boxes[k, KEY] = key
    return 0
