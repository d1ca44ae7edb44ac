"""The compiled loops that bound the index in float32 (``screen.py``) and interpolate it in time (``frozen_past.py``).

Their input is bounded, so that they may assume that every value is finite, which makes reciprocals cheap.
"""

import numpy as np
from numba import njit, prange

from quickdraw_bandits.interpolation.compiled import BLOCK, exact_jit, parallel_jit

SCREEN_CHUNK = 512
"""Arms a task: five numbers for each of them fit the first-level cache."""

fast_jit = njit(cache=True, nogil=True, error_model="numpy", fastmath=True)


@exact_jit
def screen_terms(times, begin, n, time, time_scale, rho, largest, out):
    """Fill ``out`` with 1 + ((t - t_s) / (l_t rho))² in float32, at most ``largest``, from observation ``begin`` on."""
    for s in range(begin, n):
        age = (time - times[s]) / (time_scale * rho)
        out[s] = min(1.0 + age * age, largest)


@exact_jit
def screen_rewards(rewards, begin, n, centre, unit, out):
    """Fill ``out`` with (y_s - centre) / unit in float32, from observation ``begin`` on."""
    for s in range(begin, n):
        out[s] = (rewards[s] - centre) / unit


@fast_jit
def add_line_precisions(x, seen_x, terms, rewards, s0, s1):
    """Add nu_s and nu_s y_s for arms on a line and p = 1, four observations at a time: a quarter of the traffic."""
    one = np.float32(1)
    n = seen_x.shape[0]
    whole = n - n % 4
    for s in range(0, whole, 4):
        xa, xb, xc, xd = seen_x[s], seen_x[s + 1], seen_x[s + 2], seen_x[s + 3]
        ta, tb, tc, td = terms[s], terms[s + 1], terms[s + 2], terms[s + 3]
        ya, yb, yc, yd = rewards[s], rewards[s + 1], rewards[s + 2], rewards[s + 3]
        for i in range(x.shape[0]):
            d = x[i] - xa
            a = one / (ta + d * d)
            d = x[i] - xb
            b = one / (tb + d * d)
            d = x[i] - xc
            c = one / (tc + d * d)
            d = x[i] - xd
            e = one / (td + d * d)
            s0[i] += (a + b) + (c + e)
            s1[i] += (a * ya + b * yb) + (c * yc + e * yd)
    for s in range(whole, n):
        for i in range(x.shape[0]):
            d = x[i] - seen_x[s]
            nu = one / (terms[s] + d * d)
            s0[i] += nu
            s1[i] += nu * rewards[s]


@fast_jit
def add_precisions(points, first, s, coordinates, term, reward, sharpness, r2, s0, s1):
    """Add nu_s and nu_s y_s of one observation, for any dimension and sharpness, at the arms from ``first`` on."""
    one = np.float32(1)
    m = s0.shape[0]
    r2[:m] = term
    for j in range(points.shape[0]):
        x = points[j, first : first + m]
        seen_x = coordinates[j, s]
        for i in range(m):
            d = x[i] - seen_x
            r2[i] += d * d
    if sharpness == 1:
        for i in range(m):
            nu = one / r2[i]
            s0[i] += nu
            s1[i] += nu * reward
    elif sharpness == 2:
        for i in range(m):
            nu = one / r2[i]
            nu = nu * nu
            s0[i] += nu
            s1[i] += nu * reward
    else:
        for i in range(m):
            nu = one / r2[i]
            nu = nu * nu * nu
            s0[i] += nu
            s1[i] += nu * reward


@fast_jit
def screen_sums(points, first, coordinates, rewards, terms, begin, end, sharpness, buffers, s0, s1):
    """Add to ``s0`` and ``s1`` the float32 sums over observations from ``begin`` to ``end``.

    In units where rho is 1, at the arms from ``first`` on: few enough to stay in cache, all of one coordinate side
    by side. Every block of observations is summed by itself, which keeps rounding errors apart.
    """
    m = s0.shape[0]
    part0, part1, r2 = buffers[0, :m], buffers[1, :m], buffers[2, :m]
    for start in range(begin, end, BLOCK):
        stop = min(start + BLOCK, end)
        part0[:] = 0
        part1[:] = 0
        if points.shape[0] == 1 and sharpness == 1:
            add_line_precisions(
                points[0, first : first + m],
                coordinates[0, start:stop],
                terms[start:stop],
                rewards[start:stop],
                part0,
                part1,
            )
        else:
            for s in range(start, stop):
                add_precisions(points, first, s, coordinates, terms[s], rewards[s], sharpness, r2, part0, part1)
        for i in range(m):
            s0[i] += part0[i]
            s1[i] += part1[i]


@parallel_jit
def screen_table(parallel, points, coordinates, rewards, terms, n, sharpness, table, buffers):
    """Fill ``table`` with sum nu_s and sum nu_s y_s over the first ``n`` observations, at every arm."""
    table[:] = 0
    count = points.shape[1]
    chunks = (count + SCREEN_CHUNK - 1) // SCREEN_CHUNK
    if parallel:
        workers = buffers.shape[0]
        for worker in prange(workers):
            for chunk in range(worker, chunks, workers):
                first, last = chunk * SCREEN_CHUNK, min((chunk + 1) * SCREEN_CHUNK, count)
                screen_sums(
                    points, first, coordinates, rewards, terms, 0, n, sharpness, buffers[worker],
                    table[0, first:last], table[1, first:last],
                )  # fmt: skip
    else:
        for chunk in range(chunks):
            first, last = chunk * SCREEN_CHUNK, min((chunk + 1) * SCREEN_CHUNK, count)
            screen_sums(
                points, first, coordinates, rewards, terms, 0, n, sharpness, buffers[0],
                table[0, first:last], table[1, first:last],
            )  # fmt: skip


@exact_jit
def lagrange_basis(u, nodes, weights, out):
    """Fill ``out`` with Lagrange's polynomials at ``u`` by the barycentric formula; return the sum of their sizes."""
    total = 0.0
    for k in range(nodes.shape[0]):
        if u == nodes[k]:
            out[:] = 0.0
            out[k] = 1.0
            return 1.0
        out[k] = weights[k] / (u - nodes[k])
        total += out[k]
    size = 0.0
    for k in range(nodes.shape[0]):
        out[k] /= total
        size += abs(out[k])
    return size


@fast_jit
def blend(tables, basis, out):
    """Fill ``out`` with the sums interpolated in time: tables at the nodes, weighted by Lagrange's polynomials."""
    for row in range(2):
        total = out[row]
        total[:] = 0
        for k in range(tables.shape[0]):
            weight = np.float32(basis[k])
            table = tables[k, row]
            for i in range(total.shape[0]):
                total[i] += weight * table[i]


@fast_jit
def index_bounds(s0, s1, sharpness, gamma, spread, slack, low, high):
    """Fill ``low`` and ``high`` from the sums; return the smallest sum of precisions and the largest lower bound."""
    smallest = np.float32(np.inf)
    best = np.float32(-np.inf)
    power = np.float32(-0.5 / sharpness)
    for i in range(s0.shape[0]):
        if sharpness == 1:
            deviation = gamma / np.sqrt(s0[i])
        else:
            deviation = gamma * s0[i] ** power
        index = s1[i] / s0[i] + deviation
        margin = slack * (spread + deviation)
        low[i] = index - margin
        high[i] = index + margin
        smallest = min(smallest, s0[i])
        best = max(best, low[i])
    return smallest, best


@exact_jit
def screen_chunk(
    chunk, points, coordinates, rewards, terms, begin, n, sharpness, gamma, spread, error, sums, low, high, buffers
):
    """Bound the index at the arms of one chunk; return the largest lower bound among them."""
    first, last = chunk * SCREEN_CHUNK, min((chunk + 1) * SCREEN_CHUNK, points.shape[1])
    s0, s1 = sums[0, first:last], sums[1, first:last]
    screen_sums(points, first, coordinates, rewards, terms, begin, n, sharpness, buffers, s0, s1)
    slack = np.float32(error / (1 - error))
    smallest, best = index_bounds(
        s0, s1, sharpness, np.float32(gamma), np.float32(2 * spread), slack, low[first:last], high[first:last]
    )
    # A precision beyond the range of float32 is off by as much as its smallest one, 1e-36 (SMALLEST_PRECISION).
    enough = 1e-30 * n
    if smallest > enough:
        return best
    best = -np.float32(np.inf)
    for i in range(first, last):
        if not sums[0, i] > enough:
            low[i], high[i] = -np.inf, np.inf
        best = max(best, low[i])
    return best


@parallel_jit
def screen(
    parallel, points, coordinates, times, rewards, begin, n, time, time_scale, rho, largest_term, centre, unit, tables,
    basis, sharpness, gamma, spread, error, terms32, rewards32, sums, low, high, buffers,
):  # fmt: skip
    """Fill ``low`` and ``high`` with bounds of the index at every arm; return the largest lower bound.

    Observations before ``begin`` are in ``tables``, to be weighted by ``basis``; the others are summed. All in units
    where rho is 1 and rewards count from ``centre`` in ``unit``s. If every sum of precisions is known to a relative
    error e, then |S0' - S0| <= e S0 and |S1' - S1| <= e S0 spread, where spread bounds |y_s|. Hence the mean is off
    by at most 2 e spread / (1 - e) and the deviation by at most a factor 1 ± e / (1 - e).
    """
    screen_terms(times, begin, n, time, time_scale, rho, largest_term, terms32)
    screen_rewards(rewards, begin, n, centre, unit, rewards32)
    if begin > 0:
        blend(tables, basis, sums)
    else:
        sums[:] = 0
    chunks = (points.shape[1] + SCREEN_CHUNK - 1) // SCREEN_CHUNK
    if not parallel:
        most = -np.inf
        for chunk in range(chunks):
            found = screen_chunk(
                chunk, points, coordinates, rewards32, terms32, begin, n, sharpness, gamma, spread, error, sums, low,
                high, buffers[0],
            )  # fmt: skip
            most = max(most, found)
        return most
    workers = buffers.shape[0]
    best = np.full(workers, -np.inf)
    for worker in prange(workers):
        for chunk in range(worker, chunks, workers):
            found = screen_chunk(
                chunk, points, coordinates, rewards32, terms32, begin, n, sharpness, gamma, spread, error, sums, low,
                high, buffers[worker],
            )  # fmt: skip
            best[worker] = max(best[worker], found)
    return best.max()
