"""Compiled loops that tabulate sums over observations: at several moments, for every arm, in float32."""

from functools import partial
from typing import NamedTuple

import numpy as np

from quickdraw_bandits.arms.metrics import Points
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.estimate import precision
from quickdraw_bandits.numerics.chebyshev import lagrange_basis
from quickdraw_bandits.numerics.distances import COSINE, EUCLIDEAN, squared_differences, squared_distance
from quickdraw_bandits.numerics.jit import compiled, finite, inlined

ARMS = 128
"""Arms a task: their coordinates and sums stay in the first-level cache."""
OBSERVATIONS = 32
"""Observations a pass over those arms: so do the distances between the two."""
BY_COORDINATES = (EUCLIDEAN, COSINE)
"""Metrics that compare coordinates one by one."""
LARGEST_TERM = 1e36
"""Squares beyond are cut off, so that sums and reciprocals stay in the range of float32."""


class ScaledArms(NamedTuple):
    """Where arms lie, and how distances between them count."""

    metric: int
    points: Points
    centre: Floats
    """What coordinates are counted from where they are compared in float32."""
    weight: float
    """What turns a squared distance into units of rho²."""


class Observed(NamedTuple):
    """Some observations."""

    places: Points
    """Coordinates counted from the centre of the arms, a row for each observation; compared in the type they have."""
    times: Floats
    rewards: Floats


class Units(NamedTuple):
    """How numbers are counted: time in units of l_t rho, and rewards from a centre in halves of their range."""

    time: float
    centre: float
    half: float


@inlined
def age_term(age, unit):
    """Return 1 + (age / unit)², at most ``LARGEST_TERM``."""
    age = age / unit
    term = 1.0 + age * age
    return term if term < LARGEST_TERM else LARGEST_TERM


@partial(compiled, inner=True)
def scale_squares(cosine, squared, factor, most, out):
    """Fill ``out`` with |a - b|² times a factor, or by cosine, where D = |a - b|² / 2, with |a - b|⁴ times a factor.

    At most ``most``; both numbers have the type of ``squared``, and so has all arithmetic.
    """
    for s in range(squared.shape[0]):
        square = squared[s] * squared[s] if cosine else squared[s]
        square = factor * square
        out[s] = square if square < most else most


@inlined
def scaled_squares(metric, points, weight, first, place, position, out):
    """Fill ``out`` with the scaled squared distances from one place to the arms from ``first`` on.

    For precomputed distances, the place is that of arm ``position``.
    """
    m = points.shape[0] - first
    for i in range(m if m < out.shape[0] else out.shape[0]):
        square = weight * squared_distance(metric, points[first + i], place, position)
        out[i] = square if square < LARGEST_TERM else LARGEST_TERM


@compiled
def measure(metric, points, weight, places, positions, begin, squared):
    """Fill row s % rows of ``squared`` with the scaled squared distances from observation s to all arms.

    ``places`` and ``positions`` are those of the observations from ``begin`` on.
    """
    for k in range(positions.shape[0]):
        scaled_squares(metric, points, weight, 0, places[k], positions[k], squared[(begin + k) % squared.shape[0]])


@partial(finite, inner=True)
def add_observation(squared, term, y, sharpness, s0, s1):
    """Add one observation to the sums of some arms."""
    one = np.float32(1)
    for i in range(s0.shape[0]):
        nu = precision(one, term + squared[i], sharpness)
        s0[i] += nu
        s1[i] += nu * y


@partial(finite, inner=True)
def add_four(a, b, c, d, terms, rewards, s0, s1):
    """Add four observations to the sums of some arms, for p = 1: a quarter of the traffic."""
    one = np.float32(1)
    ta, tb, tc, td = terms[0], terms[1], terms[2], terms[3]
    ya, yb, yc, yd = rewards[0], rewards[1], rewards[2], rewards[3]
    for i in range(s0.shape[0]):
        na = one / (ta + a[i])
        nb = one / (tb + b[i])
        nc = one / (tc + c[i])
        nd = one / (td + d[i])
        s0[i] += (na + nb) + (nc + nd)
        s1[i] += (na * ya + nb * yb) + (nc * yc + nd * yd)


@partial(compiled, inner=True)
def add_block(squared, begin, first, terms, rewards, sharpness, s0, s1):
    """Add observations to the sums of some arms.

    Row (``begin`` + s) % rows of ``squared`` has the scaled squared distances of observation s, and column ``first``
    those of the first of the arms.
    """
    n, rows, last = rewards.shape[0], squared.shape[0], first + s0.shape[0]
    whole = n - n % 4 if sharpness == 1 else 0
    for s in range(0, whole, 4):
        add_four(
            squared[(begin + s) % rows, first:last], squared[(begin + s + 1) % rows, first:last],
            squared[(begin + s + 2) % rows, first:last], squared[(begin + s + 3) % rows, first:last],
            terms[s : s + 4], rewards[s : s + 4], s0, s1,
        )  # fmt: skip
    for s in range(whole, n):
        add_observation(squared[(begin + s) % rows, first:last], terms[s], rewards[s], sharpness, s0, s1)


@compiled
def add_observations(arms, observed, positions, time, after, units, sharpness, tables, begin, end):
    """Add to ``tables`` the sums over observations at ``time + after``, for the arms from ``begin`` to ``end`` - 1.

    ``positions`` are the arms of the observations, or None where coordinates tell the distance (``BY_COORDINATES``):
    then nothing is compiled for other metrics, and the reverse.
    """
    n, moments, zero = observed.rewards.shape[0], after.shape[0], np.int64(0)
    d = arms.points.shape[1] if positions is None else 0
    # The last row has the rewards.
    terms = np.empty((moments + 1, n), dtype=np.float32)
    for s in range(n):
        terms[moments, s] = (observed.rewards[s] - units.centre) / units.half
        for k in range(moments):
            terms[k, s] = age_term((time - observed.times[s]) + after[k], units.time)
    number = observed.places.dtype.type
    factor, most = number(arms.weight / 4 if arms.metric == COSINE else arms.weight), number(LARGEST_TERM)
    # The last row is for squared differences.
    near = np.empty((d + 1, ARMS), dtype=observed.places.dtype)
    # The last two rows are for the sums of one moment.
    block = np.empty((OBSERVATIONS + 2, ARMS), dtype=np.float32)
    part0, part1 = block[OBSERVATIONS], block[OBSERVATIONS + 1]
    sums = np.empty((2 * moments, ARMS))
    for first in range(begin, end, ARMS):
        count = end - first if end - first < ARMS else ARMS
        for j in range(d):
            for i in range(ARMS):
                near[j, i] = arms.points[first + i, j] - arms.centre[j] if i < count else 0.0
        for k in range(2 * moments):
            for i in range(ARMS):
                sums[k, i] = 0.0
        for start in range(0, n, OBSERVATIONS):
            stop = start + OBSERVATIONS if start + OBSERVATIONS < n else n
            for s in range(start, stop):
                if positions is None:
                    squared_differences(observed.places[s], near, near[d])
                    scale_squares(arms.metric == COSINE, near[d], factor, most, block[s - start])
                else:
                    place, position = observed.places[s], positions[s]
                    scaled_squares(arms.metric, arms.points, arms.weight, first, place, position, block[s - start])
            for k in range(moments):
                for i in range(ARMS):
                    part0[i] = part1[i] = 0
                add_block(block, zero, zero, terms[k, start:stop], terms[moments, start:stop], sharpness, part0, part1)
                total0, total1 = sums[2 * k], sums[2 * k + 1]
                for i in range(ARMS):
                    total0[i] += part0[i]
                    total1[i] += part1[i]
        for k in range(2 * moments):
            table, total = tables[k // 2, k % 2, first : first + count], sums[k]
            for i in range(count):
                table[i] += total[i]


@finite
def carry_over(tables, nodes, weights, moments, out, column):
    """Fill ``out`` with the sums at other moments, given as places on the stretch of ``tables`` scaled to [-1, 1].

    The arms of ``tables`` are those of ``out`` from ``column`` on. In float64, so that every number is rounded once.
    """
    count = tables.shape[2]
    sums, basis = np.empty(ARMS), np.empty(nodes.shape[0])
    for k in range(out.shape[0]):
        lagrange_basis(moments[k], nodes, weights, basis)
        for row in range(2):
            for first in range(0, count, ARMS):
                last = first + ARMS if first + ARMS < count else count
                total, new = sums[: last - first], out[k, row, column + first : column + last]
                for i in range(last - first):
                    total[i] = 0
                for h in range(tables.shape[0]):
                    weight, old = basis[h], tables[h, row, first:last]
                    for i in range(last - first):
                        total[i] += weight * old[i]
                for i in range(last - first):
                    new[i] = total[i]
