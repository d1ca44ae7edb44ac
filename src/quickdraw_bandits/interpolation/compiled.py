"""The compiled loops over arms and observations: the only place where numba is used for the estimate.

Importing this module imports numba, so it is imported where a policy first needs it. Every function has a plain
twin in ``plain.py`` that tests compare it with. Loops that sum in float64 may be reordered but not assume that
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

# Sums outside of these limits are found again by the two-pass form, which neither overflows nor underflows.
SMALLEST, LARGEST = 1e-290, 1e290

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


@_exact
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
            s1 += nu * rewards[start + s]
    return s1 / s0, np.sqrt(smallest) * s0 ** (-0.5 / sharpness)


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
                worker,
                workers,
                metric,
                points,
                coordinates,
                arms,
                rewards,
                terms,
                n,
                weight,
                sharpness,
                mean,
                std,
                buffers[worker],
            )
    else:
        estimate_share(
            0, 1, metric, points, coordinates, arms, rewards, terms, n, weight, sharpness, mean, std, buffers[0]
        )


@_exact
def time_terms(times, n, time, time_scale, noise_variance, out):
    """Fill ``out`` with rho² + ((t - t_s) / l_t)²."""
    seen = times[:n]
    terms = out[:n]
    for s in range(n):
        age = (time - seen[s]) / time_scale
        terms[s] = noise_variance + age * age


@_exact
def screen_terms(terms, rewards, n, noise_variance, terms32, rewards32):
    """Fill the float32 copies, in units where rho is 1 and rewards are counted from the middle of their range.

    Return that middle and half the range.
    """
    least = np.inf
    most = -np.inf
    for s in range(n):
        least = min(least, rewards[s])
        most = max(most, rewards[s])
    spread = (most - least) / 2
    centre = least + spread
    for s in range(n):
        terms32[s] = terms[s] / noise_variance
        rewards32[s] = rewards[s] - centre
    return centre, spread


@_fast
def screen_sums(point, coordinates, rewards, terms, n, sharpness, buffer):
    """Return sum nu_s and sum nu_s y_s in float32, in units where rho is 1; blocks are added up in float64."""
    one = np.float32(1)
    total0 = 0.0
    total1 = 0.0
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        y = rewards[start : start + m]
        r2 = buffer[:m]
        x = point[0]
        seen_x = coordinates[0, start : start + m]
        c = terms[start : start + m]
        s0 = np.float32(0)
        s1 = np.float32(0)
        if coordinates.shape[0] == 1 and sharpness == 1:  # the common case in one loop, without the buffer
            for s in range(m):
                d = x - seen_x[s]
                nu = one / (c[s] + d * d)
                s0 += nu
                s1 += nu * y[s]
        else:
            for s in range(m):
                d = x - seen_x[s]
                r2[s] = c[s] + d * d
            for j in range(1, coordinates.shape[0]):
                x = point[j]
                seen_x = coordinates[j, start : start + m]
                for s in range(m):
                    d = x - seen_x[s]
                    r2[s] += d * d
            if sharpness == 1:
                for s in range(m):
                    nu = one / r2[s]
                    s0 += nu
                    s1 += nu * y[s]
            elif sharpness == 2:
                for s in range(m):
                    nu = one / r2[s]
                    nu = nu * nu
                    s0 += nu
                    s1 += nu * y[s]
            else:
                for s in range(m):
                    nu = one / r2[s]
                    nu = nu * nu * nu
                    s0 += nu
                    s1 += nu * y[s]
        total0 += s0
        total1 += s1
    return total0, total1


@_exact
def screen_share(
    worker, workers, points, coordinates, rewards, terms, n, sharpness, gamma, spread, error, low, high, buffer
):
    """Bound the index at every ``workers``-th chunk of arms; return the largest lower bound among them."""
    best = -np.inf
    slack = error / (1 - error)
    for first in range(worker * CHUNK, points.shape[0], workers * CHUNK):
        for i in range(first, min(first + CHUNK, points.shape[0])):
            s0, s1 = screen_sums(points[i], coordinates, rewards, terms, n, sharpness, buffer)
            if s0 < 1e-30:  # what is left may be less than what underflowed
                low[i] = -np.inf
                high[i] = np.inf
                continue
            deviation = gamma * (1.0 / np.sqrt(s0) if sharpness == 1 else s0 ** (-0.5 / sharpness))
            index = s1 / s0 + deviation
            margin = slack * (2 * spread + deviation)
            low[i] = index - margin
            high[i] = index + margin
            best = max(best, low[i])
    return best


@_exact_parallel
def screen(parallel, points, coordinates, rewards, terms, n, sharpness, gamma, spread, error, low, high, buffers):
    """Fill ``low`` and ``high`` with bounds of the index at every arm; return the largest lower bound.

    All in the units of ``screen_terms``. If every precision is known to a relative error e, then
    |S0' - S0| <= e S0 and |S1' - S1| <= e S0 spread, where spread bounds |y_s|. Hence the mean is off by at most
    2 e spread / (1 - e) and the deviation by at most a factor 1 ± e / (1 - e).
    """
    if not parallel:
        return screen_share(
            0, 1, points, coordinates, rewards, terms, n, sharpness, gamma, spread, error, low, high, buffers[0]
        )
    workers = buffers.shape[0]
    best = np.empty(workers)
    for worker in prange(workers):
        best[worker] = screen_share(
            worker,
            workers,
            points,
            coordinates,
            rewards,
            terms,
            n,
            sharpness,
            gamma,
            spread,
            error,
            low,
            high,
            buffers[worker],
        )
    return best.max()


@_exact
def at_least(values, threshold, positions):
    """Fill ``positions`` with those of the values that reach the threshold; return how many."""
    found = 0
    for i in range(values.shape[0]):
        if values[i] >= threshold:
            positions[found] = i
            found += 1
    return found


# Compensated sums must not be reordered.
@njit(cache=True, nogil=True, error_model="numpy")
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
            std[i] = rho * s0 ** (-0.5 / sharpness)
        else:
            mean[i] = average
            std[i] = np.inf
