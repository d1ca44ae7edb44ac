"""The arms of the largest index: an upper bound at all of them, tightened where it is high.

The index is mean + gamma s. The mean is a sum over observations. The deviation s takes a triangular system for each
arm, so that it is bounded first, and found only where the bound is among the highest.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.jit import compiled
from quickdraw_bandits.policies.adaptive.correlation import SQUARINGS

BLOCK = 512
"""Arms for each pass over the observations."""
TOGETHER = 8
"""Arms of the highest bounds that are listed at a time."""
CHECK_EVERY = 32
"""Observations after which a bound is compared with the largest index again."""


class Observed(NamedTuple):
    """The observations of a model, and what estimates need of them.

    ``columns`` are their coordinates, one row per dimension; ``fading`` is 1 / (1 + recent age²); ``weights`` are
    C⁻¹ y; ``eigenvalue`` is no less than the largest of C.
    """

    columns: Floats
    fading: Floats
    weights: Floats
    noises: Floats
    near: float
    smooth: bool
    eigenvalue: float


@compiled
def bound(targets: Floats, rows: Floats, observed: Observed, gamma: float, mean: Floats, index: Floats) -> None:
    """Fill ``mean`` with sum w_i c_i and ``index`` with an upper bound of mean + gamma s, for each arm.

    Coordinates of arms are in the rows of ``targets``; where there are none, ``rows`` has the squared distances of each
    observation.

    Conditioning on more only lowers a variance. So the observation of the largest correlation gives one bound,
    1 - max c_i² / (1 + noise_i). The estimator with weights c_i / e gives another: its error is at most
    1 - sum c_i² / e, if e is no less than the largest eigenvalue of the covariance.
    """
    count, n = mean.shape[0], observed.fading.shape[0]
    near, smooth = observed.near, observed.smooth
    # Zeros, since where there is no second observation what is left there is multiplied by 0.
    both, squares_of_all = np.zeros(2 * BLOCK), np.zeros(BLOCK)
    for start in range(0, count, BLOCK):
        m = min(BLOCK, count - start)
        sums, highest, squares = mean[start : start + m], index[start : start + m], squares_of_all[:m]
        for k in range(m):
            sums[k] = 0.0
            highest[k] = 0.0
            squares[k] = 0.0
        for i in range(0, n, 2):
            last = min(i + 1, n - 1)
            for one in range(i, last + 1):
                out = both[(one - i) * BLOCK : (one - i) * BLOCK + m]
                if rows.shape[0]:
                    given = rows[one, start : start + m]
                    for k in range(m):
                        out[k] = given[k]
                for axis in range(targets.shape[0]):
                    x, column = observed.columns[axis, one], targets[axis, start : start + m]
                    for k in range(m):
                        d = column[k] - x
                        out[k] = d * d if axis == 0 else out[k] + d * d
            first, second = both[:m], both[BLOCK : BLOCK + m]
            f, w, h = observed.fading[i], observed.weights[i], 1.0 / (1.0 + observed.noises[i])
            g, v, j = observed.fading[last], observed.weights[last], 1.0 / (1.0 + observed.noises[last])
            if last == i:  # no second observation
                g = 0.0
            for k in range(m):
                # One division for two observations, because divisions take longest.
                a = 1.0 + near * first[k]
                b = 1.0 + near * second[k]
                r = 1.0 / (a * b)
                c = f * r * b
                d = g * r * a
                if smooth:
                    for _ in range(SQUARINGS):
                        c *= c
                        d *= d
                sums[k] += w * c + v * d
                c *= c
                d *= d
                squares[k] += c + d
                highest[k] = max(highest[k], max(h * c, j * d))
        for k in range(m):
            left = 1.0 - max(highest[k], squares[k] / observed.eigenvalue)
            highest[k] = sums[k] + gamma * math.sqrt(max(left, 0.0))


@compiled
def tighten(
    targets: Floats,
    rows: Floats,
    observed: Observed,
    lower: Floats,
    gamma: float,
    slack: float,
    mean: Floats,
    index: Floats,
    exact: NDArray[np.bool_],
) -> float:
    """Replace bounds in ``index`` by mean + gamma s until none exceeds the largest of these by more than ``slack``.

    Arms are taken eight at a time, in the order of their bounds. s² = 1 - |L⁻¹ c|², so that every observation lowers
    the bound. Where some suffice to see that an arm is not the largest, the rest is left out and the lower bound is
    kept. ``exact`` says which arms have their index. Returns the largest index.
    """
    n = lower.shape[0]
    table, left = np.empty((TOGETHER, n)), np.empty(TOGETHER)
    arms = np.empty(TOGETHER, dtype=np.int64)
    best = -np.inf
    while True:
        found = 0
        least = best + slack
        for k in range(index.shape[0]):
            if index[k] > least and not exact[k]:
                place = min(found, TOGETHER - 1)
                found = place + 1
                while place > 0 and index[arms[place - 1]] < index[k]:
                    arms[place] = arms[place - 1]
                    place -= 1
                arms[place] = k
                if found == TOGETHER:
                    least = index[arms[TOGETHER - 1]]
        if found == 0:
            return best
        for place in range(found):
            arm, c = arms[place], table[place]
            left[place] = 1.0
            if rows.shape[0]:
                for i in range(n):
                    c[i] = rows[i, arm]
            for axis in range(targets.shape[0]):
                x, column = targets[axis, arm], observed.columns[axis]
                for i in range(n):
                    d = column[i] - x
                    c[i] = d * d if axis == 0 else c[i] + d * d
            for i in range(n):
                q = observed.fading[i] / (1.0 + observed.near * c[i])
                if observed.smooth:
                    for _ in range(SQUARINGS):
                        q *= q
                c[i] = q
        begin, promising = 0, True
        while promising and begin < n:
            end = min(begin + CHECK_EVERY, n)
            promising = False
            for place in range(found):
                arm, c, rest = arms[place], table[place], left[place]
                if not index[arm] > best:
                    continue
                for i in range(begin, end):
                    row, solved = lower[i, :i], c[:i]
                    total = c[i]
                    for k in range(i):
                        total -= row[k] * solved[k]
                    total /= lower[i, i]
                    c[i] = total
                    rest -= total * total
                left[place] = rest
                index[arm] = min(index[arm], mean[arm] + gamma * math.sqrt(max(rest, 0.0)))
                promising |= index[arm] > best + slack
                exact[arm] = end == n
            begin = end
        for place in range(found):
            if exact[arms[place]]:
                best = max(best, index[arms[place]])
