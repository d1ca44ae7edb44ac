"""The compiled loops over arms and observations: the only place where numba is used for the estimate.

Importing this module imports numba, so it is imported where a policy first needs it. Tests compare the
estimate with its plain twin in ``plain.py``. Loops may reorder their sums but not assume that values are
finite.
"""

import numpy as np
from numba import njit, prange

EUCLIDEAN, COSINE, HAVERSINE, PRECOMPUTED = 0, 1, 2, 3
METRIC_CODES = {"euclidean": EUCLIDEAN, "cosine": COSINE, "haversine": HAVERSINE, "precomputed": PRECOMPUTED}

BLOCK = 512
"""Observations a pass: their squared distances fit the first-level cache beside what is read."""
CHUNK = 64
"""Arms a task: small enough to keep all cores busy, large enough to be worth handing out."""

TIE = 1e-12
"""Relative difference of two indices up to which they count as equal."""

# Sums outside of these limits are found again by the two-pass form, which neither overflows nor underflows.
SMALLEST, LARGEST = 1e-290, 1e290

# For sums that lose digits, or leave the range of float64, when they are reordered. fastmath must be turned off here:
# left out, it is inherited from the caller.
in_order_jit = njit(cache=True, nogil=True, error_model="numpy", fastmath=False)
_reorder = {"reassoc", "contract", "arcp", "nsz"}
exact_jit = njit(cache=True, nogil=True, error_model="numpy", fastmath=_reorder)
parallel_jit = njit(cache=True, nogil=True, error_model="numpy", fastmath=_reorder, parallel=True)


@exact_jit
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


@exact_jit
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


@exact_jit
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


@in_order_jit
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


@exact_jit
def estimate_share(
    worker, workers, metric, points, coordinates, arms, rewards, terms, n, weight, sharpness, mean, std, buffer
):
    """Fill ``mean`` and ``std`` for every ``workers``-th chunk of arms, starting with number ``worker``."""
    for first in range(worker * CHUNK, points.shape[0], workers * CHUNK):
        for i in range(first, min(first + CHUNK, points.shape[0])):
            mean[i], std[i] = arm_estimate(
                metric, points[i], coordinates, arms, rewards, terms, n, weight, sharpness, buffer
            )


@parallel_jit
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


@exact_jit
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


@exact_jit
def append_coordinates(coordinates, points, rows, n):
    """Write the given rows of ``points`` into columns behind the first ``n``."""
    for s in range(rows.shape[0]):
        for j in range(coordinates.shape[0]):
            coordinates[j, n + s] = points[rows[s], j]


@exact_jit
def time_terms(times, n, time, time_scale, noise_variance, out):
    """Fill ``out`` with rho² + ((t - t_s) / l_t)²."""
    seen = times[:n]
    terms = out[:n]
    for s in range(n):
        age = (time - seen[s]) / time_scale
        terms[s] = noise_variance + age * age


@exact_jit
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


@parallel_jit
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


@in_order_jit
def compensated_add(sums, i, column, value):
    """Add ``value`` to the running sum in ``column`` and its rounding error to the next column (Neumaier)."""
    total = sums[i, column]
    new = total + value
    if abs(total) >= abs(value):
        sums[i, column + 1] += (total - new) + value
    else:
        sums[i, column + 1] += (value - new) + total
    sums[i, column] = new


@exact_jit
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


@parallel_jit
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


@exact_jit
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
