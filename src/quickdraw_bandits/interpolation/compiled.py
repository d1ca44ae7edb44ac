"""The compiled loops over arms and observations: the only place where numba is used for the estimate.

Importing this module imports numba, so it is imported where a policy first needs it. Tests compare the
estimate with its plain twin in ``plain.py``. Loops that sum in float64 may be reordered but not assume that
values are finite; only the screening in float32, whose input is bounded, may assume that too.
"""

import numpy as np
from numba import njit, prange

EUCLIDEAN, COSINE, HAVERSINE, PRECOMPUTED = 0, 1, 2, 3
METRIC_CODES = {"euclidean": EUCLIDEAN, "cosine": COSINE, "haversine": HAVERSINE, "precomputed": PRECOMPUTED}

BLOCK = 512
"""Observations a pass: their squared distances fit the first-level cache beside what is read."""
CHUNK = 64
"""Arms a task: small enough to keep all cores busy, large enough to be worth handing out."""
SCREEN_CHUNK = 512
"""Arms a task in float32: five numbers for each of them fit the first-level cache."""

TIE = 1e-12
"""Relative difference of two indices up to which they count as equal."""

# Sums outside of these limits are found again by the two-pass form, which neither overflows nor underflows.
SMALLEST, LARGEST = 1e-290, 1e290

# For sums that lose digits, or leave the range of float64, when they are reordered. fastmath must be turned off here:
# left out, it is inherited from the caller.
_in_order = njit(cache=True, nogil=True, error_model="numpy", fastmath=False)
_reorder = {"reassoc", "contract", "arcp", "nsz"}
_exact = njit(cache=True, nogil=True, error_model="numpy", fastmath=_reorder)
_exact_parallel = njit(cache=True, nogil=True, error_model="numpy", fastmath=_reorder, parallel=True)
_fast = njit(cache=True, nogil=True, error_model="numpy", fastmath=True)


@_exact
def squared_distances(metric, point, coordinates, arms, start, out):
    """Fill ``out`` with the squared, unscaled distances from ``point`` to the observations from ``start`` on."""
    m = out.shape[0]
    if metric == PRECOMPUTED:
        seen = arms[start : start + m]
        for s in range(m):
            d = np.float64(point[seen[s]])
            out[s] = d * d
        return
    if metric == HAVERSINE:
        latitude, longitude = np.float64(point[0]), np.float64(point[1])
        cosine = np.cos(latitude)
        latitudes = coordinates[0, start : start + m]
        longitudes = coordinates[1, start : start + m]
        for s in range(m):
            a = np.sin((latitude - latitudes[s]) / 2)
            b = np.sin((longitude - longitudes[s]) / 2)
            h = a * a + cosine * np.cos(latitudes[s]) * b * b
            d = 2 * np.arcsin(np.sqrt(min(h, 1.0)))
            out[s] = d * d
        return
    x = np.float64(point[0])
    seen_x = coordinates[0, start : start + m]
    for s in range(m):
        d = x - seen_x[s]
        out[s] = d * d
    for j in range(1, coordinates.shape[0]):
        x = np.float64(point[j])
        seen_x = coordinates[j, start : start + m]
        for s in range(m):
            d = x - seen_x[s]
            out[s] += d * d
    if metric == COSINE:  # of vectors at unit length: 1 - cos = |a - b|² / 2
        for s in range(m):
            d = out[s] / 2
            out[s] = d * d


@_exact
def weighted_sums(squared, terms, rewards, weight, sharpness):
    """Return sum nu_s and sum nu_s y_s for nu_s = (terms_s + weight · squared_s)^-p."""
    s0 = 0.0
    s1 = 0.0
    if sharpness == 1:
        for s in range(squared.shape[0]):
            nu = 1.0 / (terms[s] + weight * squared[s])
            s0 += nu
            s1 += nu * rewards[s]
    elif sharpness == 2:
        for s in range(squared.shape[0]):
            nu = 1.0 / (terms[s] + weight * squared[s])
            nu = nu * nu
            s0 += nu
            s1 += nu * rewards[s]
    else:
        for s in range(squared.shape[0]):
            nu = 1.0 / (terms[s] + weight * squared[s])
            nu = nu * nu * nu
            s0 += nu
            s1 += nu * rewards[s]
    return s0, s1


@_exact
def arm_estimate(metric, point, coordinates, arms, rewards, terms, n, weight, sharpness, buffer):
    """Return mean and standard deviation at one point (E2), from the first ``n`` observations."""
    s0 = 0.0
    s1 = 0.0
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        squared = buffer[:m]
        squared_distances(metric, point, coordinates, arms, start, squared)
        a, b = weighted_sums(squared, terms[start : start + m], rewards[start : start + m], weight, sharpness)
        s0 += a
        s1 += b
    if SMALLEST < s0 < LARGEST and abs(s1) < LARGEST:
        if sharpness == 1:
            return s1 / s0, 1.0 / np.sqrt(s0)
        return s1 / s0, s0 ** (-0.5 / sharpness)
    return arm_estimate_two_pass(metric, point, coordinates, arms, rewards, terms, n, weight, sharpness, buffer)


@_in_order
def arm_estimate_two_pass(metric, point, coordinates, arms, rewards, terms, n, weight, sharpness, buffer):
    """Return the same with every precision divided by the largest, so that no power leaves the range of float64.

    With m = min_s r²_s: Sigma = sqrt(m) · (sum (m / r²_s)^p)^(-1/(2p)), and mu is unchanged.
    """
    smallest = np.inf
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        squared = buffer[:m]
        squared_distances(metric, point, coordinates, arms, start, squared)
        for s in range(m):
            smallest = min(smallest, terms[start + s] + weight * squared[s])
    if not smallest < np.inf:  # every observation is infinitely far: none says more than another
        return rewards[:n].mean(), np.inf
    s0 = 0.0
    s1 = 0.0
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        squared = buffer[:m]
        squared_distances(metric, point, coordinates, arms, start, squared)
        for s in range(m):
            nu = (smallest / (terms[start + s] + weight * squared[s])) ** sharpness
            s0 += nu
            s1 += nu * (rewards[start + s] / n)
    return s1 / (s0 / n), np.sqrt(smallest) * s0 ** (-0.5 / sharpness)


@_exact
def estimate_share(
    worker, workers, metric, points, coordinates, arms, rewards, terms, n, weight, sharpness, mean, std, buffer
):
    """Fill ``mean`` and ``std`` for every ``workers``-th chunk of arms, starting with number ``worker``."""
    for first in range(worker * CHUNK, points.shape[0], workers * CHUNK):
        for i in range(first, min(first + CHUNK, points.shape[0])):
            mean[i], std[i] = arm_estimate(
                metric, points[i], coordinates, arms, rewards, terms, n, weight, sharpness, buffer
            )


@_exact_parallel
def estimate(parallel, metric, points, coordinates, arms, rewards, terms, n, weight, sharpness, mean, std, buffers):
    """Fill ``mean`` and ``std`` at every row of ``points``; ``buffers`` has a row for every worker."""
    if parallel:
        workers = buffers.shape[0]
        for worker in prange(workers):
            estimate_share(
                worker, workers, metric, points, coordinates, arms, rewards, terms, n, weight, sharpness, mean, std,
                buffers[worker],
            )  # fmt: skip
    else:
        estimate_share(
            0, 1, metric, points, coordinates, arms, rewards, terms, n, weight, sharpness, mean, std, buffers[0]
        )


@_exact
def append(times, arms, rewards, new_times, new_arms, new_rewards, n):
    """Write observations behind the first ``n``; return the least and the largest reward among them."""
    least = np.inf
    largest = -np.inf
    for s in range(new_times.shape[0]):
        times[n + s] = new_times[s]
        arms[n + s] = new_arms[s]
        rewards[n + s] = new_rewards[s]
        least = min(least, new_rewards[s])
        largest = max(largest, new_rewards[s])
    return least, largest


@_exact
def append_coordinates(coordinates, points, rows, n):
    """Write the given rows of ``points`` into columns behind the first ``n``."""
    for s in range(rows.shape[0]):
        for j in range(coordinates.shape[0]):
            coordinates[j, n + s] = points[rows[s], j]


@_exact
def time_terms(times, n, time, time_scale, noise_variance, out):
    """Fill ``out`` with rho² + ((t - t_s) / l_t)²."""
    seen = times[:n]
    terms = out[:n]
    for s in range(n):
        age = (time - seen[s]) / time_scale
        terms[s] = noise_variance + age * age


@_exact
def screen_terms(times, begin, n, time, time_scale, rho, largest, out):
    """Fill ``out`` with 1 + ((t - t_s) / (l_t rho))² in float32, at most ``largest``, from observation ``begin`` on."""
    for s in range(begin, n):
        age = (time - times[s]) / (time_scale * rho)
        out[s] = min(1.0 + age * age, largest)


@_exact
def screen_rewards(rewards, begin, n, centre, unit, out):
    """Fill ``out`` with (y_s - centre) / unit in float32, from observation ``begin`` on."""
    for s in range(begin, n):
        out[s] = (rewards[s] - centre) / unit


@_fast
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


@_fast
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


@_fast
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


@_exact_parallel
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


@_exact
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


@_fast
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


@_fast
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


@_exact
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


@_exact_parallel
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


@_exact
def candidate_index(
    metric, points, i, coordinates, arms, rewards, terms, n, weight, sharpness, gamma, cap, low, capped_from, buffer
):
    """Return min(mu + gamma Sigma, cap) at arm ``i`` (E4); arms whose lower bound is high enough reach the cap."""
    if low[i] >= capped_from:
        return cap
    mean, std = arm_estimate(metric, points[i], coordinates, arms, rewards, terms, n, weight, sharpness, buffer)
    if gamma == 0:  # also where the deviation is infinite
        return min(mean, cap)
    return min(mean + gamma * std, cap)


@_exact_parallel
def decide(
    parallel, metric, points, coordinates, arms, rewards, terms, n, weight, sharpness, gamma, cap, low, high,
    threshold, capped_from, positions, index, buffers,
):  # fmt: skip
    """Evaluate in float64 the arms whose upper bound reaches the threshold, and keep those of the largest index.

    Fill ``positions`` and ``index`` with them and return how many there are; values within rounding count as equal.
    """
    found = 0
    for i in range(high.shape[0]):
        if high[i] >= threshold:
            positions[found] = i
            found += 1
    if parallel:
        workers = buffers.shape[0]
        for worker in prange(workers):
            for k in range(worker, found, workers):
                index[k] = candidate_index(
                    metric, points, positions[k], coordinates, arms, rewards, terms, n, weight, sharpness, gamma, cap,
                    low, capped_from, buffers[worker],
                )  # fmt: skip
    else:
        for k in range(found):
            index[k] = candidate_index(
                metric, points, positions[k], coordinates, arms, rewards, terms, n, weight, sharpness, gamma, cap,
                low, capped_from, buffers[0],
            )  # fmt: skip
    largest = -np.inf
    for k in range(found):
        largest = max(largest, index[k])
    if abs(largest) < np.inf:
        largest -= TIE * abs(largest)
    ties = 0
    for k in range(found):
        if index[k] >= largest:
            positions[ties], index[ties] = positions[k], index[k]
            ties += 1
    return ties


@_in_order
def compensated_add(sums, i, column, value):
    """Add ``value`` to the running sum in ``column`` and its rounding error to the next column (Neumaier)."""
    total = sums[i, column]
    new = total + value
    if abs(total) >= abs(value):
        sums[i, column + 1] += (total - new) + value
    else:
        sums[i, column + 1] += (value - new) + total
    sums[i, column] = new


@_exact
def add_to_sums_share(worker, workers, metric, points, coordinates, arms, counts, totals, weight, p, sums, buffer):
    """Add the observations to the sums at every ``workers``-th chunk of arms, starting with number ``worker``."""
    n = arms.shape[0]
    for first in range(worker * CHUNK, points.shape[0], workers * CHUNK):
        for i in range(first, min(first + CHUNK, points.shape[0])):
            for start in range(0, n, BLOCK):
                m = min(BLOCK, n - start)
                squared = buffer[:m]
                squared_distances(metric, points[i], coordinates, arms, start, squared)
                for s in range(m):
                    nu = (1.0 / (1.0 + weight * squared[s])) ** p
                    compensated_add(sums, i, 0, nu * counts[start + s])
                    compensated_add(sums, i, 2, nu * totals[start + s])


@_exact_parallel
def add_to_sums(parallel, metric, points, coordinates, arms, counts, totals, weight, p, sums, buffers):
    """Add to the sums of all arms what ``counts`` observations at each of ``arms``, paying ``totals``, say there."""
    if parallel:
        workers = buffers.shape[0]
        for worker in prange(workers):
            add_to_sums_share(
                worker, workers, metric, points, coordinates, arms, counts, totals, weight, p, sums, buffers[worker]
            )
    else:
        add_to_sums_share(0, 1, metric, points, coordinates, arms, counts, totals, weight, p, sums, buffers[0])


@_exact
def from_sums(sums, sharpness, rho, average, mean, std):
    """Fill ``mean`` and ``std`` from compensated sums in units of rho^(-2p)."""
    for i in range(sums.shape[0]):
        s0 = sums[i, 0] + sums[i, 1]
        if s0 > 0:
            mean[i] = (sums[i, 2] + sums[i, 3]) / s0
            std[i] = rho / np.sqrt(s0) if sharpness == 1 else rho * s0 ** (-0.5 / sharpness)
        else:
            mean[i] = average
            std[i] = np.inf
