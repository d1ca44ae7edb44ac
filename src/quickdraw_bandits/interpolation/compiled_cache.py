"""Compiled loops of the cached engine: sums over observations at several moments, for every arm."""

import numpy as np

from quickdraw_bandits.interpolation.compiled import (
    COSINE,
    EUCLIDEAN,
    exact_jit,
    squared_distances,
)
from quickdraw_bandits.interpolation.compiled_screen import fast_jit

ARMS = 128
"""Arms a task: their coordinates and sums stay in the first-level cache."""
OBSERVATIONS = 32
"""Observations a pass over those arms: so do the distances between the two."""
ROUND_ARMS = 512
"""Arms a task of a round, which has fewer numbers for each."""
LARGEST_TERM = 1e36
"""Squares beyond are cut off, so that sums and reciprocals stay in the range of float32."""


@fast_jit
def add_squared_differences(point, coordinates, out):
    """Fill ``out`` with |point - column|² for every column, eight rows at a time: an eighth of the traffic."""
    out[:] = 0
    d, m = coordinates.shape[0], out.shape[0]
    whole = d - d % 8
    for j in range(0, whole, 8):
        xa, xb, xc, xd = point[j], point[j + 1], point[j + 2], point[j + 3]
        xe, xf, xg, xh = point[j + 4], point[j + 5], point[j + 6], point[j + 7]
        ya, yb, yc, yd = coordinates[j], coordinates[j + 1], coordinates[j + 2], coordinates[j + 3]
        ye, yf, yg, yh = coordinates[j + 4], coordinates[j + 5], coordinates[j + 6], coordinates[j + 7]
        for s in range(m):
            a, b, c, e = xa - ya[s], xb - yb[s], xc - yc[s], xd - yd[s]
            f, g, h, i = xe - ye[s], xf - yf[s], xg - yg[s], xh - yh[s]
            out[s] += ((a * a + b * b) + (c * c + e * e)) + ((f * f + g * g) + (h * h + i * i))
    for j in range(whole, d):
        x, y = point[j], coordinates[j]
        for s in range(m):
            a = x - y[s]
            out[s] += a * a


@exact_jit
def scale_squares(cosine, squared, factor, most, out):
    """Fill ``out`` with the factor times |a - b|², or times |a - b|⁴ by cosine, where D = |a - b|² / 2.

    At most ``most``; both numbers have the type of ``squared``, and so has all arithmetic.
    """
    if cosine:
        for s in range(squared.shape[0]):
            out[s] = min(factor * (squared[s] * squared[s]), most)
    else:
        for s in range(squared.shape[0]):
            out[s] = min(factor * squared[s], most)


@fast_jit
def add_row(squared, term, y, sharpness, s0, s1):
    """Add one observation to the sums of some arms."""
    one = np.float32(1)
    if sharpness == 1:
        for i in range(s0.shape[0]):
            nu = one / (term + squared[i])
            s0[i] += nu
            s1[i] += nu * y
    elif sharpness == 2:
        for i in range(s0.shape[0]):
            nu = one / (term + squared[i])
            nu = nu * nu
            s0[i] += nu
            s1[i] += nu * y
    else:
        for i in range(s0.shape[0]):
            nu = one / (term + squared[i])
            nu = nu * nu * nu
            s0[i] += nu
            s1[i] += nu * y


@fast_jit
def add_four_rows(a, b, c, d, terms, rewards, s0, s1):
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


@exact_jit
def fill_block(metric, points, first, near, coordinates, arms, begin, seen, factors, raw, squared, block):
    """Fill ``block`` with scaled squared distances, a row for every observation, from the arms from ``first`` on.

    Coordinates are compared in ``near``, a column for every arm, and ``seen``, a row for every observation; without
    them distances are taken from the arms one by one.
    """
    if near.shape[0] > 0:
        for s in range(block.shape[0]):
            add_squared_differences(seen[s], near, squared)
            scale_squares(metric == COSINE, squared, factors[0], factors[1], block[s])
        return
    for i in range(min(block.shape[1], points.shape[0] - first)):
        squared_distances(metric, points[first + i], coordinates, arms, begin, raw[: block.shape[0]])
        for s in range(block.shape[0]):
            block[s, i] = min(factors[0] * raw[s], factors[1])


@exact_jit
def add_block(block, terms, rewards, start, sharpness, part):
    """Add the observations of a block to the sums of every moment."""
    n = block.shape[0]
    whole = n - n % 4 if sharpness == 1 else 0
    for k in range(terms.shape[0]):
        term, s0, s1 = terms[k, start : start + n], part[0, k], part[1, k]
        for s in range(0, whole, 4):
            add_four_rows(
                block[s], block[s + 1], block[s + 2], block[s + 3], term[s : s + 4],
                rewards[start + s : start + s + 4], s0, s1,
            )  # fmt: skip
        for s in range(whole, n):
            add_row(block[s], term[s], rewards[start + s], sharpness, s0, s1)


@exact_jit
def add_observations(
    metric, points, centre, coordinates, arms, begin, end, terms, rewards, weight, sharpness, tables, narrow
):
    """Add to ``tables`` the sums over the observations from ``begin`` to ``end``, at every moment and arm.

    ``terms`` and ``rewards`` begin with observation ``begin``. ``narrow`` is an empty array of the type in which
    coordinates, counted from ``centre``, are compared; other metrics have float64 throughout.
    """
    count, n, moments = points.shape[0], end - begin, terms.shape[0]
    d = points.shape[1] if metric in (EUCLIDEAN, COSINE) else 0
    seen = np.empty((n, d), dtype=narrow.dtype)
    for s in range(n):
        for j in range(d):
            seen[s, j] = coordinates[j, begin + s] - centre[j]
    near = np.zeros((d, ARMS), dtype=narrow.dtype)
    squared = np.empty(ARMS, dtype=narrow.dtype)
    factors = np.empty(2, dtype=narrow.dtype)
    factors[0], factors[1] = weight / 4 if metric == COSINE else weight, LARGEST_TERM
    raw = np.empty(OBSERVATIONS)
    block = np.zeros((OBSERVATIONS, ARMS), dtype=np.float32)
    part = np.empty((2, moments, ARMS), dtype=np.float32)
    sums = np.empty((2, moments, ARMS))
    for first in range(0, count, ARMS):
        chunk = min(ARMS, count - first)
        for i in range(chunk):
            for j in range(d):
                near[j, i] = points[first + i, j] - centre[j]
        sums[:] = 0
        for start in range(0, n, OBSERVATIONS):
            some = block[: min(OBSERVATIONS, n - start)]
            fill_block(
                metric, points, first, near, coordinates, arms, begin + start, seen[start:], factors, raw, squared, some
            )
            part[:] = 0
            add_block(some, terms, rewards, start, sharpness, part)
            for row in range(2):
                for k in range(moments):
                    total, more = sums[row, k], part[row, k]
                    for i in range(ARMS):
                        total[i] += more[i]
        for row in range(2):
            for k in range(moments):
                table, total = tables[k, row, first : first + chunk], sums[row, k]
                for i in range(chunk):
                    table[i] += total[i]


@exact_jit
def distances_from(metric, points, coordinates, arms, s, weight, out):
    """Fill ``out`` with the scaled squared distances from all arms to observation ``s``."""
    if metric in (EUCLIDEAN, COSINE):  # the same formulas, over coordinates that lie side by side
        place = np.ascontiguousarray(coordinates[:, s])
        for i in range(points.shape[0]):
            point = points[i]
            total = 0.0
            for j in range(place.shape[0]):
                d = point[j] - place[j]
                total += d * d
            if metric == COSINE:
                total = total * total / 4
            out[i] = min(weight * total, LARGEST_TERM)
        return
    one = np.empty(1)
    for i in range(points.shape[0]):
        squared_distances(metric, points[i], coordinates, arms, s, one)
        out[i] = min(weight * one[0], LARGEST_TERM)


@fast_jit
def carry_over(tables, weights, out):
    """Fill ``out`` with the sums at other moments: row k of ``weights`` has Lagrange's polynomials at moment k.

    In float64, so that every number is rounded once.
    """
    count = out.shape[2]
    sums = np.empty(ROUND_ARMS)
    for first in range(0, count, ROUND_ARMS):
        last = min(first + ROUND_ARMS, count)
        total = sums[: last - first]
        for row in range(2):
            for k in range(out.shape[0]):
                total[:] = 0
                for h in range(tables.shape[0]):
                    weight = weights[k, h]
                    old = tables[h, row, first:last]
                    for i in range(last - first):
                        total[i] += weight * old[i]
                new = out[k, row, first:last]
                for i in range(last - first):
                    new[i] = total[i]


@fast_jit
def add_weighted(table0, table1, weight, s0, s1):
    """Add the sums of one moment, times a weight."""
    for i in range(s0.shape[0]):
        s0[i] += weight * table0[i]
        s1[i] += weight * table1[i]


@fast_jit
def index_of_sums(s0, s1, gamma, sharpness, out):
    """Fill ``out`` with S1 / S0 + gamma S0^(-1/(2p)); return the largest of them."""
    one = np.float32(1)
    power = np.float32(-0.5 / sharpness)
    for i in range(s0.shape[0]):
        if sharpness == 1:
            sigma = one / np.sqrt(s0[i])
        elif sharpness == 2:
            sigma = one / np.sqrt(np.sqrt(s0[i]))
        else:
            sigma = s0[i] ** power
        index = s1[i] / s0[i] + gamma * sigma
        out[i] = index
    best = out[0]
    for i in range(1, s0.shape[0]):
        best = max(best, out[i])
    return best


@exact_jit
def play_round(tables, basis, squared, rows, terms, rewards, gamma, sharpness, enough, out):
    """Fill ``out`` with the index at every arm; return the largest.

    From the sums in ``tables``, weighted by ``basis``, and recent observations, whose scaled squared distances from
    all arms are in the given rows of ``squared``. Arms whose sum of precisions is not above ``enough`` get infinity,
    and are left out of the largest.
    """
    count, recent = out.shape[0], rows.shape[0]
    sums = np.empty((2, ROUND_ARMS), dtype=np.float32)
    best = -np.inf
    whole = recent - recent % 4 if sharpness == 1 else 0
    for first in range(0, count, ROUND_ARMS):
        last = min(first + ROUND_ARMS, count)
        s0, s1 = sums[0, : last - first], sums[1, : last - first]
        s0[:] = 0
        s1[:] = 0
        for k in range(tables.shape[0]):
            add_weighted(tables[k, 0, first:last], tables[k, 1, first:last], np.float32(basis[k]), s0, s1)
        for r in range(0, whole, 4):
            add_four_rows(
                squared[rows[r], first:last], squared[rows[r + 1], first:last], squared[rows[r + 2], first:last],
                squared[rows[r + 3], first:last], terms[r : r + 4], rewards[r : r + 4], s0, s1,
            )  # fmt: skip
        for r in range(whole, recent):
            add_row(squared[rows[r], first:last], terms[r], rewards[r], sharpness, s0, s1)
        smallest = s0[0]
        for i in range(last - first):
            smallest = min(smallest, s0[i])
        if smallest > enough:
            found = index_of_sums(s0, s1, np.float32(gamma), sharpness, out[first:last])
            best = max(best, found)
            continue
        for i in range(last - first):
            if s0[i] > enough:
                found = index_of_sums(
                    s0[i : i + 1], s1[i : i + 1], np.float32(gamma), sharpness, out[first + i : first + i + 1]
                )
                best = max(best, found)
            else:
                out[first + i] = np.inf
    return best
