"""The estimate at single arms by direct summation over all observations, compiled, in float64."""

import numpy as np

from quickdraw_bandits.numerics.distances import squared_distances
from quickdraw_bandits.numerics.jit import compiled, inlined

BLOCK = 512
"""Observations a pass: their squared distances fit the first-level cache beside what is read."""
SMALLEST, LARGEST = 1e-290, 1e290
"""Sums of precisions, or of precisions times rewards, outside of these limits are found again in other units."""


QUESTION = np.dtype(
    [
        ("n", np.int64),  # observations
        ("time", np.float64),  # t
        ("metric", np.int64),
        ("weight", np.float64),  # 1 / l_x², for distances that are not scaled yet
        ("rate", np.float64),  # 1 / l_t, or 0 without drift
        ("noise_variance", np.float64),  # rho²
        ("sharpness", np.int64),  # p
    ]
)
"""What is asked, in a record: Numba takes an array of one several times faster than a named tuple."""


@inlined
def precision(unit, square, sharpness):
    """Return (unit / r²)^p for p = 1, 2, 3."""
    nu = unit / square
    if sharpness == 1:
        return nu
    if sharpness == 2:
        return nu * nu
    return nu * nu * nu


@inlined
def sums_at(point, coordinates, arms, times, rewards, question, unit, share, squares):
    """Return sum nu_s and sum nu_s (``share`` · y_s) at one point, with r² in the given unit.

    r²_s = rho² + (D / l_x)² + ((t - t_s) / l_t)²

    For a unit of 0, return the smallest r² instead. ``squares`` is a buffer.
    """
    n, time, rate, weight = question.n, question.time, question.rate, question.weight
    noise_variance, sharpness = question.noise_variance, question.sharpness
    s0 = 0.0
    s1 = 0.0
    smallest = np.inf
    for start in range(0, n, BLOCK):
        if n - start < BLOCK:
            squares = squares[: n - start]
        squared_distances(question.metric, point, coordinates, arms, start, squares)
        some_times, some_rewards = times[start : start + BLOCK], rewards[start : start + BLOCK]
        part0 = 0.0
        part1 = 0.0
        if unit > 0:
            for s in range(squares.shape[0]):
                age = (time - some_times[s]) * rate
                nu = precision(unit, noise_variance + age * age + weight * squares[s], sharpness)
                part0 += nu
                part1 += nu * (share * some_rewards[s])
        else:
            for s in range(squares.shape[0]):
                age = (time - some_times[s]) * rate
                square = noise_variance + age * age + weight * squares[s]
                smallest = square if square < smallest else smallest
        s0 += part0
        s1 += part1
    return (s0, s1) if unit > 0 else (smallest, 0.0)


@compiled
def estimate_at_rows(points, rows, coordinates, arms, times, rewards, questions, mean, std, begin, end):
    """Fill ``mean`` and ``std`` (E2) at the given rows of ``points``: those from number ``begin`` to ``end`` - 1.

    Where sums leave the range of float64, every precision is divided by the largest. With u = min_s r²_s:
    Sigma = sqrt(u) · (sum (u / r²_s)^p)^(-1/(2p)), and mu is unchanged.
    """
    question = questions[0]
    n, sharpness = question.n, question.sharpness
    buffer = np.empty(BLOCK)
    for k in range(begin, end):
        unit, share = 1.0, 1.0
        s0, s1 = 0.0, 0.0
        for attempt in range(3):
            s0, s1 = sums_at(points[rows[k]], coordinates, arms, times, rewards, question, unit, share, buffer)
            if attempt == 0:
                if SMALLEST < s0 < LARGEST and -LARGEST < s1 < LARGEST:
                    break
                unit = 0.0
            elif attempt == 1:
                unit, share = s0, 1.0 / n
                if not unit < np.inf:
                    break
        if unit < np.inf:
            mean[k] = s1 / (share * s0)
            sigma = 1.0 / np.sqrt(s0) if sharpness == 1 else s0 ** (-0.5 / sharpness)
            std[k] = np.sqrt(unit) * sigma
        else:  # every observation is infinitely far: none says more than another
            s1 = 0.0
            for s in range(n):
                s1 += share * rewards[s]
            mean[k], std[k] = s1, np.inf
