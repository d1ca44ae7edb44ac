"""The estimate at single arms by direct summation over all observations, compiled, in float64."""

from functools import partial
from typing import NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.distances import squared_distances
from quickdraw_bandits.numerics.jit import compiled, in_order

BLOCK = 512
"""Observations a pass: their squared distances fit the first-level cache beside what is read."""
SMALLEST, LARGEST = 1e-290, 1e290
"""Sums of precisions, or of precisions times rewards, outside of these limits are found again in other units."""


class Sources(NamedTuple):
    """The observations, and how they count at one time."""

    metric: int
    coordinates: Floats
    arms: Integers
    times: Floats
    rewards: Floats
    n: int
    time: float
    weight: float
    """1 / l_x², for distances that are not scaled yet."""
    rate: float
    """1 / l_t, or 0 without drift."""
    noise_variance: float
    sharpness: int


@partial(in_order, inner=True)
def precision(unit, square, sharpness):
    """Return (unit / r²)^p for p = 1, 2, 3."""
    nu = unit / square
    if sharpness == 1:
        return nu
    if sharpness == 2:
        return nu * nu
    return nu * nu * nu


@partial(compiled, inner=True)
def squared_radii(point, sources, start, out):
    """Fill ``out`` with r²_s = rho² + (D / l_x)² + ((t - t_s) / l_t)² for the observations from ``start`` on."""
    squared_distances(sources.metric, point, sources.coordinates, sources.arms, start, out)
    times = sources.times[start : start + out.shape[0]]
    for s in range(out.shape[0]):
        age = (sources.time - times[s]) * sources.rate
        out[s] = sources.noise_variance + age * age + sources.weight * out[s]


@partial(compiled, inner=True)
def sums_at(point, sources, unit, share, buffer):
    """Return sum nu_s and sum nu_s (``share`` · y_s) at one point, with r² in the given unit.

    For a unit of 0, return the smallest r² instead.
    """
    s0 = 0.0
    s1 = 0.0
    smallest = np.inf
    for start in range(0, sources.n, BLOCK):
        m = min(BLOCK, sources.n - start)
        squares, rewards = buffer[:m], sources.rewards[start : start + m]
        squared_radii(point, sources, start, squares)
        part0 = 0.0
        part1 = 0.0
        if unit > 0:
            for s in range(m):
                nu = precision(unit, squares[s], sources.sharpness)
                part0 += nu
                part1 += nu * (share * rewards[s])
        else:
            for s in range(m):
                smallest = squares[s] if squares[s] < smallest else smallest
        s0 += part0
        s1 += part1
    return (s0, s1) if unit > 0 else (smallest, 0.0)


@compiled
def estimate_at_rows(points, rows, begin, end, sources, mean, std):
    """Fill ``mean`` and ``std`` (E2) at the given rows of ``points``: those from number ``begin`` to ``end`` - 1.

    Where sums leave the range of float64, every precision is divided by the largest. With u = min_s r²_s:
    Sigma = sqrt(u) · (sum (u / r²_s)^p)^(-1/(2p)), and mu is unchanged.
    """
    buffer = np.empty(BLOCK)
    for k in range(begin, end):
        point = points[rows[k]]
        unit, share = 1.0, 1.0
        s0, s1 = 0.0, 0.0
        for attempt in range(3):
            s0, s1 = sums_at(point, sources, unit, share, buffer)
            if attempt == 0:
                if SMALLEST < s0 < LARGEST and abs(s1) < LARGEST:
                    break
                unit = 0.0
            elif attempt == 1:
                unit, share = s0, 1.0 / sources.n
                if not unit < np.inf:
                    break
        if unit < np.inf:
            mean[k] = s1 / (share * s0)
            sigma = 1.0 / np.sqrt(s0) if sources.sharpness == 1 else s0 ** (-0.5 / sources.sharpness)
            std[k] = np.sqrt(unit) * sigma
        else:  # every observation is infinitely far: none says more than another
            s1 = 0.0
            for s in range(sources.n):
                s1 += share * sources.rewards[s]
            mean[k], std[k] = s1, np.inf
