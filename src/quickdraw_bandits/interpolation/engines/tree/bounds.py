"""Bounds of the index over a box, from the polynomials that it keeps."""

import numpy as np

from quickdraw_bandits.interpolation.engines.tree.boxes import NEAR
from quickdraw_bandits.interpolation.engines.tree.expansion import (
    add_point,
    at_moment,
    binomial,
    derivatives,
    deviation,
    precision,
    tail,
)
from quickdraw_bandits.numerics.jit import inner

SMALLEST_SUM = 1e-200
"""Sums below this count as zero in float64."""
ROUNDING = 1e-10
"""Part of the index, or of the range of rewards, below which differences may be rounding."""
APART = 0.25
"""Radius of box and group together, relative to their distance, below which an expansion is used (times 1/p)."""


@inner
def bound_index(query, box, scratch):
    """Bound the index over a box at the time of the query, from its polynomials, their errors, and what is too near."""
    d = len(query.dims)
    p, gamma = query.sharpness, query.gamma
    h, sums = scratch.half, scratch.polynomial
    terms = 1 + d + d * (d + 1) // 2
    for j in range(d):
        h[j] = 0.5 * (box.upper[j] - box.lower[j])
    at_moment(box.sums, sums, d, query.now - 0.5 * (box.lower[d] + box.upper[d]))
    a = sums[0]
    relative = sums[terms] / a
    mean = box.level + relative
    sigma = gamma * deviation(a, p)
    slope = -sigma / (2 * p * a)
    change = swing = up = down = 0.0
    position = 1 + d
    for j in range(d):
        a1, side = sums[1 + j], h[j]
        q1 = sums[terms + 1 + j] - relative * a1
        l1 = abs(q1 / a + slope * a1)
        change += abs(a1) * side
        swing += abs(q1) * side
        for k in range(j, d):
            a2 = sums[position]
            q2 = sums[terms + position] - relative * a2
            l2 = q2 / a + slope * a2
            area = side * h[k]
            change += abs(a2) * area
            swing += abs(q2) * area
            if k > j:
                up += abs(l2) * area
                down += abs(l2) * area
            else:
                # The largest and smallest of l1 s + l2 s² for |s| <= h.
                if l2 < 0 and l1 < -2 * l2 * side:
                    up += -l1 * l1 / (4 * l2)
                else:
                    up += (l1 + l2 * side) * side
                if l2 > 0 and l1 < 2 * l2 * side:
                    down += l1 * l1 / (4 * l2)
                else:
                    down += (l1 - l2 * side) * side
            position += 1
    change += box.error0
    lowest = a - change
    box.total = a
    # Also where S0 is not a number. No deviation is infinite below, so that none can be without exploration (0 · inf).
    if not lowest > SMALLEST_SUM:
        box.high, box.low, box.lowest, box.centre_mean = query.cap, -np.inf, 0.0, box.level
        box.width = np.inf
        return
    error1 = box.error1 + abs(relative) * box.error0
    swing += error1
    error = error1 / a - slope * box.error0
    product = swing * change / (lowest * a)
    exponent = 0.5 / p
    sigma_high = gamma * deviation(lowest, p)
    part = change / lowest
    curved = 0.5 * exponent * (exponent + 1) * sigma_high * part * part
    mean_high = min(mean + swing / lowest, query.largest)
    mean_low = max(mean - swing / lowest, query.least)
    high = min(mean + sigma + up + error + product + curved, mean_high + sigma_high)
    low = mean + sigma - down - error - product
    low = max(low, mean_low + gamma * deviation(a + change, p))
    if box.n_near:
        rise = fall = extra = 0.0
        top, bottom = mean_low, mean_high
        for i in range(box.n_near):
            weight, least, largest = box.near_weight[i], box.near_least[i], box.near_largest[i]
            extra += weight
            if largest > mean_low:
                rise += weight * (largest - mean_low) / (lowest + weight)
                top = max(top, largest)
            if least < mean_high:
                fall += weight * (mean_high - least) / (lowest + weight)
                bottom = min(bottom, least)
        high += min(rise, top - mean_low)
        low -= min(fall, mean_high - bottom) + sigma_high - gamma * deviation(lowest + extra, p)
    high = min(high, query.largest + sigma_high)
    if len(query.pull_groups):
        # Pending pulls add precision P to S0 and change no mean. The index falls by gamma (s(S0) - s(S0 + P)), with
        # s = S0^(-1/(2p)): by less, the larger S0 is, and by more, the larger P is.
        least, most = pending_precision(query, box, h)
        largest = a + change
        for i in range(box.n_near):
            largest += box.near_weight[i]
        high -= gamma * (deviation(largest, p) - deviation(largest + least, p))
        low -= sigma_high - gamma * deviation(lowest + most, p)
    box.high = min(high, query.cap)
    box.low = min(low, query.cap)
    box.width = box.high - box.low
    box.lowest, box.centre_mean = lowest, mean


@inner
def pending_precision(query, box, half):
    """Return bounds of the precision that all pending pulls together have in a box."""
    d, groups, p = len(query.dims), query.pull_groups, query.sharpness
    least = most = 0.0
    for i in range(len(groups)):
        nearest = farthest = 1.0
        for j in range(d + 1):
            side = groups[i, d + 1 + j]
            if j < d:
                away = abs(0.5 * (box.lower[j] + box.upper[j]) - groups[i, j])
                side += half[j]
            else:
                away = abs(query.now - groups[i, j])
            far, close = away + side, max(0.0, away - side)
            farthest += far * far
            nearest += close * close
        n = groups[i, 2 * d + 2]
        least += n * precision(farthest, p)
        most += n * precision(nearest, p)
    return least, most


@inner
def pending_at(query, place):
    """Return the precision that all pending pulls together have at one place and time."""
    pulls, p = query.pulls, query.sharpness
    total = 0.0
    _, n = pulls.shape
    for i in range(n):
        r2 = 1.0
        for j in range(len(query.dims) + 1):
            difference = place[j] - pulls[j, i]
            r2 += difference * difference
        total += precision(r2, p)
    return total


@inner
def add_near(box, weight, least, largest):
    """Add what is too near to a box to its list, or to the last entry of that where it is full."""
    if weight <= 0:
        return
    at = min(box.n_near, NEAR - 1)
    if box.n_near < NEAR:
        box.n_near += 1
        box.near_weight[at], box.near_least[at], box.near_largest[at] = weight, least, largest
    else:
        box.near_weight[at] += weight
        box.near_least[at] = min(box.near_least[at], least)
        box.near_largest[at] = max(box.near_largest[at], largest)


@inner
def add_near_point(box, half, u, y, p):
    """Add an observation too near to a box: the least precision that it has there to the sums, the rest to the list."""
    nearest = farthest = 1.0
    for j in range(len(u)):
        away, side = abs(u[j]), half[j]
        far, close = away + side, max(0.0, away - side)
        farthest += far * far
        nearest += close * close
    g0 = precision(farthest, p)
    box.sums[0] += g0
    box.sums[len(box.sums) // 2] += (y - box.level) * g0
    add_near(box, precision(nearest, p) - g0, y, y)


@inner
def learn(query, box, scratch, row):
    """Add one new observation to what a box keeps."""
    p = query.sharpness
    half, u = scratch.half, scratch.offset
    r2, h2 = 1.0, 0.0
    lower, upper = box.lower, box.upper
    for j in range(len(u)):
        side = 0.5 * (upper[j] - lower[j])
        away = 0.5 * (upper[j] + lower[j]) - row[j]
        half[j], u[j] = side, away
        r2 += away * away
        h2 += side * side
    y = row[len(u)]
    radius, r = np.sqrt(h2), np.sqrt(r2)
    if radius < APART * r / p:
        remainder = binomial(p) * radius * h2 * tail(r - radius, p)
        g0, g1, g2 = derivatives(r2, p)
        add_point(box.sums, u, y - box.level, g0, g1, g2)
        box.error0 += remainder
        box.error1 += remainder * abs(y - box.level)
    else:
        add_near_point(box, half, u, y, p)
