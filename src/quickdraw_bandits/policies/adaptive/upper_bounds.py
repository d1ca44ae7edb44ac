"""The arms of the largest index: an upper bound at all of them, tightened where it is high.

The index is mean + gamma s. The mean is a sum over observations. The deviation s takes a triangular system for each
arm, so that it is bounded first, and found only where the bound is among the highest.
"""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.jit import compiled
from quickdraw_bandits.policies.adaptive.correlation import JAGGED, SQUARINGS, Rates
from quickdraw_bandits.policies.adaptive.covariance import correlate, correlate_two
from quickdraw_bandits.policies.adaptive.space import Targets

BLOCK = 512
"""Arms for each pass over the observations."""
TOGETHER = 8
"""Arms of the highest bounds that are listed at a time; ``solve_eight`` is written for this number."""
CHECK_EVERY = 32
"""Observations after which a bound is compared with the largest index again."""


ROUNDING, SINGLE = 1e-3, 2.0**-20
"""What means in single precision may lack: in units of gamma, and beyond that in units of the sum of all |w_i|.

The less noise, the larger are weights of opposite sign, which nearly cancel."""


class Observed(NamedTuple):
    """The observations of a model, and what estimates need of them.

    ``columns`` are their coordinates, one row per dimension; ``arms`` their positions; ``lateness`` is recent age²;
    ``weights`` are C⁻¹ (y - level); ``eigenvalue`` is no less than the largest of C; ``error`` is SINGLE sum |w_i|.
    """

    columns: Floats
    arms: Integers
    lateness: Floats
    weights: Floats
    noises: Floats
    rates: Rates
    eigenvalue: float
    error: float


@compiled
def bound(targets: Targets, observed: Observed, gamma: float, mean: Floats, index: Floats) -> None:
    """Fill ``mean`` with sum w_i c_i and ``index`` with an upper bound of mean + gamma s, for each arm.

    Conditioning on more only lowers a variance. So the observation of the largest correlation gives one bound,
    1 - max c_i² / (1 + noise_i). The estimator with weights c_i / e gives another: its error is at most
    1 - sum c_i² / e, if e is no less than the largest eigenvalue of the covariance.
    """
    count, n = mean.shape[0], observed.weights.shape[0]
    both, squares_of_all = np.empty((2, BLOCK)), np.empty(BLOCK)
    for start in range(0, count, BLOCK):
        m = min(BLOCK, count - start)
        sums, highest, squares = mean[start : start + m], index[start : start + m], squares_of_all[:m]
        arms = targets.arms[start : start + m]
        for k in range(m):
            sums[k] = 0.0
            highest[k] = 0.0
            squares[k] = 0.0
        for i in range(0, n, 2):
            last = min(i + 1, n - 1)
            for row in range(2):
                one = i if row == 0 else last
                out, near, late = both[row, :m], observed.rates.near, observed.lateness[one]
                if targets.rows.shape[0]:
                    given = targets.rows[one, start : start + m]
                    for k in range(m):
                        out[k] = late + near * given[k]
                for axis in range(targets.columns.shape[0]):
                    x, column = observed.columns[axis, one], targets.columns[axis, start : start + m]
                    for k in range(m):
                        d = column[k] - x
                        out[k] = (late if axis == 0 else out[k]) + near * d * d
            first, second = both[0, :m], both[1, :m]
            correlate_two(first, second, arms, observed.arms[i], observed.arms[last], observed.rates)
            if last == i:  # no second observation
                for k in range(m):
                    second[k] = 0.0
            w, h = observed.weights[i], 1.0 / (1.0 + observed.noises[i])
            v, j = observed.weights[last], 1.0 / (1.0 + observed.noises[last])
            for k in range(m):
                # Two observations at a time, so that the sums are read and written half as often.
                c, d = first[k], second[k]
                sums[k] += w * c + v * d
                c *= c
                d *= d
                squares[k] += c + d
                highest[k] = max(highest[k], max(h * c, j * d))
        for k in range(m):
            left = 1.0 - max(highest[k], squares[k] / observed.eigenvalue)
            highest[k] = sums[k] + gamma * math.sqrt(max(left, 0.0))


@partial(compiled, inner=True)
def apart(columns: Floats, one: int, others: Floats, other: int, rates: Rates) -> float:
    """Return the deviation of the difference of two arms' rewards before any observation, in units of the signal's."""
    q = 0.0
    for axis in range(columns.shape[0]):
        d = columns[axis, one] - others[axis, other]
        q += d * d
    q *= rates.near
    c = 1.0 / (1.0 + (math.sqrt(q) if rates.family == JAGGED else q))
    for _ in range(SQUARINGS[rates.family]):
        c *= c
    return math.sqrt(max(2.0 - 2.0 * (1.0 - rates.share) * c, 0.0))


@partial(compiled, inner=True)
def solve_eight(lower: Floats, rows: Floats, begin: int, end: int) -> None:
    """Go on from ``begin`` to ``end`` with replacing eight rows c by L⁻¹ c.

    Eight sums for each number of L that is read: the processor works on several at once, and waits for none.
    """
    a, b, c, d, e, f, g, h = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7]
    for i in range(begin, end):
        row, scale = lower[i], 1.0 / lower[i, i]
        ta, tb, tc, td, te, tf, tg, th = a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]
        for k in range(i):
            x = row[k]
            ta -= x * a[k]
            tb -= x * b[k]
            tc -= x * c[k]
            td -= x * d[k]
            te -= x * e[k]
            tf -= x * f[k]
            tg -= x * g[k]
            th -= x * h[k]
        a[i], b[i], c[i], d[i] = scale * ta, scale * tb, scale * tc, scale * td
        e[i], f[i], g[i], h[i] = scale * te, scale * tf, scale * tg, scale * th


@compiled
def tighten(
    targets: Targets,
    observed: Observed,
    lower: Floats,
    gamma: float,
    slack: float,
    mean: Floats,
    index: Floats,
    exact: NDArray[np.bool_],
    rounded: bool,
    around: int,
) -> float:
    """Replace bounds in ``index`` by mean + gamma s until none exceeds the largest of these by more than ``slack``.

    Arms are taken eight at a time, in the order of their bounds. s² = 1 - |L⁻¹ c|², so that every observation lowers
    the bound. Where some suffice to see that an arm is not the largest, the rest is left out and the lower bound is
    kept. ``exact`` says which arms have their index. Returns the largest index.

    With ``rounded``, means and bounds are those of ``rough_bounds.py``: means are computed again. With ``around`` above
    0, the bounds of so many arms before and behind are lowered too, since s(x') is no larger than s(x) plus the
    deviation of the difference of x and x'. That helps if arms next to each other in the list are near each other.
    """
    n = lower.shape[0]
    table, left = np.zeros((TOGETHER, n)), np.empty(TOGETHER)
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
            if targets.rows.shape[0]:
                for i in range(n):
                    c[i] = targets.rows[i, arm]
            for axis in range(targets.columns.shape[0]):
                x, column = targets.columns[axis, arm], observed.columns[axis]
                for i in range(n):
                    d = column[i] - x
                    c[i] = d * d if axis == 0 else c[i] + d * d
            for i in range(n):
                c[i] = observed.rates.near * c[i] + observed.lateness[i]
            correlate(c, observed.arms, targets.arms[arm], observed.rates)
            if rounded:
                mean[arm] = 0.0
                for i in range(n):
                    mean[arm] += observed.weights[i] * c[i]
        begin, promising = 0, True
        while promising and begin < n:
            end = min(begin + CHECK_EVERY, n)
            solve_eight(lower, table, begin, end)
            promising = False
            for place in range(found):
                arm, c, rest = arms[place], table[place], left[place]
                if not index[arm] > best:
                    continue
                for i in range(begin, end):
                    rest -= c[i] * c[i]
                left[place] = rest
                index[arm] = min(index[arm], mean[arm] + gamma * math.sqrt(max(rest, 0.0)))
                promising |= index[arm] > best + slack
                exact[arm] = end == n
            begin = end
        for place in range(found):
            if exact[arms[place]]:
                best = max(best, index[arms[place]])
        for place in range(found if around else 0):
            arm = arms[place]
            deviation = math.sqrt(max(left[place], 0.0))
            for k in range(max(arm - around, 0), min(arm + around + 1, index.shape[0])):
                if index[k] > best + slack and not exact[k]:
                    far = apart(targets.columns, arm, targets.columns, k, observed.rates)
                    index[k] = min(index[k], mean[k] + gamma * (deviation + far + ROUNDING) + observed.error)
