"""How likely given scales make the observations, compiled; ``plain.py`` has the same formulas in NumPy.

Distances are squared throughout. ``near`` is h / l_x² and ``recent`` is h / l_t², with h = 1 / 2^(1 + doublings), so
that the correlation of two observations is

    c = (1 / ((1 + near D²) (1 + recent (t - t')²)))^(2^doublings)

which is a product of rational quadratic covariances. For 0 doublings it falls as Quick-Draw's precision does; for 4
it is close to the squared exponential. It needs no exponential function, and so its loops are vectorised.
"""

import numpy as np
from numba import njit

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})


@_compiled
def raised(q, doublings):
    """Return q^(2^doublings)."""
    for _ in range(doublings):
        q *= q
    return q


@_compiled
def condense(places, arms, matrix, times, most, kernel, keep, leaders, joined):
    """Choose observations from the first on that lead groups, and join to one the others that are almost at its point.

    An observation is almost at the point of another if that, known without noise, would leave less than ``keep`` of
    its variance: 1 - c². Squared distances are between rows of ``places``, or in ``matrix`` where it is not empty;
    ``kernel`` is (doublings, near, recent).

    Fills ``leaders``, and the number of its group for each observation up to the first that would lead one group too
    many. Returns how many groups and how many such observations there are.
    """
    doublings, near, recent = kernel
    m = 0
    n = times.shape[0]
    for i in range(n):
        same = -1
        for j in range(m - 1, -1, -1):
            s = leaders[j]
            squared = 0.0
            if matrix.shape[0]:
                squared = matrix[arms[i], arms[s]]
            else:
                for axis in range(places.shape[1]):
                    d = places[i, axis] - places[s, axis]
                    squared += d * d
            age = times[i] - times[s]
            c = raised(1.0 / ((1.0 + near * squared) * (1.0 + recent * age * age)), doublings)
            if 1.0 - c * c < keep:
                same = j
                break
        if same < 0:
            if m == most:
                return m, i
            leaders[m] = i
            same = m
            m += 1
        joined[i] = same
    return m, n


@_compiled
def pair_distances(places, squared):
    """Fill ``squared[i, j]`` for j > i with squared distances between rows of ``places``."""
    n = places.shape[0]
    for i in range(n):
        out = squared[i]
        for j in range(i + 1, n):
            total = 0.0
            for k in range(places.shape[1]):
                d = places[i, k] - places[j, k]
                total += d * d
            out[j] = total


@_compiled
def covariance(squared, times, doublings, near, recent, noises, out):
    """Fill the upper triangle of ``out``: correlations, and 1 + the noise of each on the diagonal.

    Returns the largest sum of a row, which the largest eigenvalue does not exceed.
    """
    n = times.shape[0]
    sums = 1.0 + noises
    for i in range(n):
        row, distances, later, t = out[i, i + 1 :], squared[i, i + 1 :], times[i + 1 :], times[i]
        rest = sums[i + 1 :]
        for j in range(n - i - 1):
            age = t - later[j]
            row[j] = 1.0 / ((1.0 + near * distances[j]) * (1.0 + recent * age * age))
        for _ in range(doublings):
            for j in range(n - i - 1):
                row[j] *= row[j]
        total = 0.0
        for j in range(n - i - 1):
            total += row[j]
            rest[j] += row[j]
        sums[i] += total
        out[i, i] = 1.0 + noises[i]
    return sums.max()


@_compiled
def whiten(factor, values, out):
    """Fill ``out`` with U'^-1 values."""
    n = values.shape[0]
    for i in range(n):
        out[i] = values[i]
    for i in range(n):
        out[i] /= factor[i, i]
        row, rest, f = factor[i, i + 1 :], out[i + 1 :], out[i]
        for j in range(n - i - 1):
            rest[j] -= f * row[j]


@_compiled
def unwhiten(factor, values, out):
    """Fill ``out`` with U^-1 values."""
    n = values.shape[0]
    for i in range(n - 1, -1, -1):
        row, rest = factor[i, i + 1 :], out[i + 1 :]
        total = 0.0
        for j in range(n - i - 1):
            total += row[j] * rest[j]
        out[i] = (values[i] - total) / factor[i, i]


@_compiled
def likelihood(factor, rewards, noise, counts, within, floor, white):
    """Return the log likelihood up to a constant, with the signal's variance at its best, and that variance.

    With N observations at n points, whose means are whitened to z, and w the squared differences from these means:
    variance v = (z'z + w / noise) / N, likelihood -N/2 log v - sum log U_ii - (N - n)/2 log noise. ``white`` is
    filled with z.
    """
    whiten(factor, rewards, white)
    n = white.shape[0]
    total = within / noise
    logs = 0.0
    observed = 0.0
    for i in range(n):
        total += white[i] * white[i]
        logs += np.log(factor[i, i])
        observed += counts[i]
    variance = max(total / observed, floor)
    return -0.5 * observed * np.log(variance) - logs - 0.5 * (observed - n) * np.log(noise), variance
