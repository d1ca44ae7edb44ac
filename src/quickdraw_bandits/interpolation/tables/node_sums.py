"""Compiled loops that tabulate sums over observations: at several moments, for every arm, in float32."""

from functools import partial

import numpy as np

from quickdraw_bandits.interpolation.estimate import precision
from quickdraw_bandits.numerics.distances import COSINE, EUCLIDEAN, squared_differences, squared_distance
from quickdraw_bandits.numerics.jit import compiled, finite

ARMS = 128
"""Arms a task: their coordinates and sums stay in the first-level cache."""
OBSERVATIONS = 32
"""Observations a pass over those arms: so do the distances between the two."""
LARGEST_TERM = 1e36
"""Squares beyond are cut off, so that sums and reciprocals stay in the range of float32."""


@partial(compiled, inner=True)
def scale_squares(cosine, squared, factors, out):
    """Fill ``out`` with |a - b|² times a factor, or by cosine, where D = |a - b|² / 2, with |a - b|⁴ times a factor.

    ``factors`` are the factor and a limit, in the type of ``squared``, which all arithmetic has.
    """
    factor, most = factors[0], factors[1]
    for s in range(squared.shape[0]):
        square = squared[s] * squared[s] if cosine else squared[s]
        square = factor * square
        out[s] = square if square < most else most


@partial(compiled, inner=True)
def scaled_squares(metric, points, first, position, weight, out):
    """Fill ``out`` with the scaled squared distances from arm ``position`` to the arms from ``first`` on."""
    source, m = points[position], points.shape[0] - first
    for i in range(m if m < out.shape[0] else out.shape[0]):
        square = weight * squared_distance(metric, points[first + i], source, position)
        out[i] = square if square < LARGEST_TERM else LARGEST_TERM


@compiled
def measure(metric, points, arms, begin, end, weight, squared):
    """Fill row s % rows of ``squared`` with the scaled squared distances from observation s to all arms."""
    for s in range(begin, end):
        scaled_squares(metric, points, 0, arms[s], weight, squared[s % squared.shape[0]])


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
def add_observations(metric, points, centre, places, positions, terms, rewards, weight, sharpness, tables, begin, end):
    """Add to ``tables`` the sums over observations at every moment, for the arms from ``begin`` to ``end`` - 1.

    ``places`` has the coordinates of the observations, a row for each, counted from ``centre``. Those of arms and
    observations are compared in its type; metrics that do not compare coordinates have float64 throughout.
    ``terms`` has a row of 1 + age² for every moment, ``positions`` and ``rewards`` an entry for every observation.
    """
    n, moments = rewards.shape[0], terms.shape[0]
    by_coordinates = metric in (EUCLIDEAN, COSINE)
    d = points.shape[1] if by_coordinates else 0
    near = np.zeros((d, ARMS), dtype=places.dtype)
    squared = np.empty(ARMS, dtype=places.dtype)
    factors = np.empty(2, dtype=places.dtype)
    factors[0], factors[1] = weight / 4 if metric == COSINE else weight, LARGEST_TERM
    block = np.zeros((OBSERVATIONS, ARMS), dtype=np.float32)
    part = np.empty((2, ARMS), dtype=np.float32)
    sums = np.empty((moments, 2, ARMS))
    for first in range(begin, end, ARMS):
        count = min(ARMS, end - first)
        for i in range(count):
            for j in range(d):
                near[j, i] = points[first + i, j] - centre[j]
        for k in range(moments):
            for i in range(ARMS):
                sums[k, 0, i] = sums[k, 1, i] = 0
        for start in range(0, n, OBSERVATIONS):
            stop = min(start + OBSERVATIONS, n)
            for s in range(start, stop):
                if by_coordinates:
                    squared_differences(places[s], near, squared)
                    scale_squares(metric == COSINE, squared, factors, block[s - start])
                else:
                    scaled_squares(metric, points, first, positions[s], weight, block[s - start])
            for k in range(moments):
                for i in range(ARMS):
                    part[0, i] = part[1, i] = 0
                add_block(block, 0, 0, terms[k, start:stop], rewards[start:stop], sharpness, part[0], part[1])
                for row in range(2):
                    total, more = sums[k, row], part[row]
                    for i in range(ARMS):
                        total[i] += more[i]
        for k in range(moments):
            for row in range(2):
                table, total = tables[k, row, first : first + count], sums[k, row]
                for i in range(count):
                    table[i] += total[i]


@finite
def carry_over(tables, weights, out):
    """Fill ``out`` with the sums at other moments: row k of ``weights`` has the Lagrange polynomials at moment k.

    In float64, so that every number is rounded once.
    """
    count = out.shape[2]
    sums = np.empty(ARMS)
    for first in range(0, count, ARMS):
        last = min(first + ARMS, count)
        total = sums[: last - first]
        for k in range(out.shape[0]):
            for row in range(2):
                for i in range(last - first):
                    total[i] = 0
                for h in range(tables.shape[0]):
                    weight = weights[k, h]
                    old = tables[h, row, first:last]
                    for i in range(last - first):
                        total[i] += weight * old[i]
                new = out[k, row, first:last]
                for i in range(last - first):
                    new[i] = total[i]
