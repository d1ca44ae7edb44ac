"""Bounds of the index over a box, from the polynomials that it keeps."""

import numpy as np
from numba import njit

from quickdraw_bandits.interpolation.compiled_boxes import (
    CLOSE,
    E0,
    E1,
    HIGH,
    LEVEL,
    LOW,
    LOWEST,
    MEAN,
    NEAR,
    TOTAL,
    WIDTH,
)
from quickdraw_bandits.interpolation.compiled_expansion import (
    add_point,
    at_moment,
    derivatives,
    n_terms,
    power,
    root,
    tail,
)

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})

SMALLEST_SUM = 1e-200
"""Sums below this are taken to have vanished in float64."""
APART = 0.25
"""Radius of box and group together, relative to their distance, below which an expansion is used (times 1/p)."""


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
