"""The arms of the largest index, compiled: a bound at all of them, then the index itself where the bound is high.

The correlation is that of ``compiled_likelihood.py``.
"""

import numpy as np
from numba import njit

from quickdraw_bandits.policies.adaptive.compiled_likelihood import raised

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})

BLOCK = 512
"""Arms a pass over the observations."""
TOGETHER = 8
"""Arms whose deviation is found at once in ``settle``; ``_explain`` is written out for so many."""
AT_ONCE = 32
"""Observations between two looks at whether these arms still promise anything."""


@_compiled
def _distances_to(targets, rows, sources, i, start, out):
    """Fill ``out`` with squared distances from observation i to arms from ``start`` on."""
    m = out.shape[0]
    if rows.shape[0]:
        known = rows[i, start : start + m]
        for k in range(m):
            out[k] = known[k]
        return
    x = sources[i, 0]
    column = targets[0, start : start + m]
    for k in range(m):
        d = column[k] - x
        out[k] = d * d
    for axis in range(1, targets.shape[0]):
        x = sources[i, axis]
        column = targets[axis, start : start + m]
        for k in range(m):
            d = column[k] - x
            out[k] += d * d


@_compiled
def _add_two(near, f, g, w, v, h, j, first, second, doublings, sums, squares, highest):
    """Add two observations to the sums of ``survey``: one division for both, since dividing takes the longest."""
    for k in range(sums.shape[0]):
        a = 1.0 + near * first[k]
        b = 1.0 + near * second[k]
        r = 1.0 / (a * b)
        c = f * r * b
        d = g * r * a
        if doublings == 4:
            c *= c
            c *= c
            c *= c
            c *= c
            d *= d
            d *= d
            d *= d
            d *= d
        sums[k] += w * c + v * d
        c *= c
        d *= d
        squares[k] += c + d
        top = max(h * c, j * d)
        highest[k] = max(highest[k], top)


@_compiled
def survey(targets, rows, sources, fading, weights, doublings, near, noises, eigenvalue, mean, variance):
    """Fill ``mean`` with sum w_i c_i and ``variance`` with a bound of the posterior variance from above.

    Conditioning on more only lowers a variance. So the observation of the largest correlation gives one bound,
    1 - max c_i² / (1 + noise_i). The estimator with weights c_i / e gives another: it is off by at most
    1 - sum c_i² / e, if e is no less than the largest eigenvalue of the covariance. ``doublings`` is 0 or 4.
    """
    count, n = mean.shape[0], sources.shape[0]
    buffers = np.zeros((3, BLOCK))
    for start in range(0, count, BLOCK):
        m = min(BLOCK, count - start)
        first, second, squares = buffers[0, :m], buffers[1, :m], buffers[2, :m]
        sums, highest = mean[start : start + m], variance[start : start + m]
        for k in range(m):
            sums[k] = 0.0
            highest[k] = 0.0
            squares[k] = 0.0
        for i in range(0, n, 2):
            _distances_to(targets, rows, sources, i, start, first)
            f, w, h = fading[i], weights[i], 1.0 / (1.0 + noises[i])
            g, v, j = 0.0, 0.0, 0.0
            if i + 1 < n:
                _distances_to(targets, rows, sources, i + 1, start, second)
                g, v, j = fading[i + 1], weights[i + 1], 1.0 / (1.0 + noises[i + 1])
            if doublings == 4:
                _add_two(near, f, g, w, v, h, j, first, second, 4, sums, squares, highest)
            else:
                _add_two(near, f, g, w, v, h, j, first, second, 0, sums, squares, highest)
        for k in range(m):
            highest[k] = max(1.0 - max(highest[k], squares[k] / eigenvalue), 0.0)


@_compiled
def correlations(targets, rows, sources, fading, doublings, near, arms, out):
    """Fill ``out[i, k]`` with the correlation of observation i and the k-th of some arms."""
    for i in range(sources.shape[0]):
        for k in range(arms.shape[0]):
            squared = 0.0
            if rows.shape[0]:
                squared = rows[i, arms[k]]
            else:
                for axis in range(targets.shape[0]):
                    d = targets[axis, arms[k]] - sources[i, axis]
                    squared += d * d
            out[i, k] = raised(fading[i] / (1.0 + near * squared), doublings)


@_compiled
def _explain(lower, table, begin, end, sums):
    """Go on with |L^-1 c|² from one row to another, for the eight columns c of ``table``, which become L^-1 c.

    Written out, because the compiler keeps eight sums in registers and not an array of eight.
    """
    s0, s1, s2, s3, s4, s5, s6, s7 = sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
    for i in range(begin, end):
        row, c = lower[i], table[i]
        t0 = t1 = t2 = t3 = t4 = t5 = t6 = t7 = 0.0
        for k in range(i):
            f, w = row[k], table[k]
            t0 += f * w[0]
            t1 += f * w[1]
            t2 += f * w[2]
            t3 += f * w[3]
            t4 += f * w[4]
            t5 += f * w[5]
            t6 += f * w[6]
            t7 += f * w[7]
        r = 1.0 / row[i]
        c[0] = (c[0] - t0) * r
        c[1] = (c[1] - t1) * r
        c[2] = (c[2] - t2) * r
        c[3] = (c[3] - t3) * r
        c[4] = (c[4] - t4) * r
        c[5] = (c[5] - t5) * r
        c[6] = (c[6] - t6) * r
        c[7] = (c[7] - t7) * r
        s0 += c[0] * c[0]
        s1 += c[1] * c[1]
        s2 += c[2] * c[2]
        s3 += c[3] * c[3]
        s4 += c[4] * c[4]
        s5 += c[5] * c[5]
        s6 += c[6] * c[6]
        s7 += c[7] * c[7]
    sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7] = s0, s1, s2, s3, s4, s5, s6, s7


@_compiled
def _most_promising(index, exact, best, arms):
    """Fill ``arms`` with those of the highest bounds above ``best``, the highest first; return how many there are."""
    found = 0
    least = best
    for k in range(index.shape[0]):
        if index[k] > least and not exact[k]:
            place = found if found < arms.shape[0] else found - 1
            found = place + 1
            while place > 0 and index[arms[place - 1]] < index[k]:
                arms[place] = arms[place - 1]
                place -= 1
            arms[place] = k
            if found == arms.shape[0]:
                least = index[arms[found - 1]]
    return found


@_compiled
def settle(targets, rows, sources, fading, doublings, near, lower, gamma, slack, mean, index, exact):
    """Replace bounds in ``index`` by what they bound, mean + gamma s, until none exceeds the largest of those by slack.

    Arms are looked at eight at a time, in the order of their bounds. Every observation lowers s; where some of them
    suffice to see that none of the eight is the largest, the rest is not looked at, and the lower bounds are kept.
    ``exact`` says which arms were looked at to the end. Returns the largest index.
    """
    n = sources.shape[0]
    arms = np.empty(TOGETHER, dtype=np.int64)
    table = np.zeros((n, TOGETHER))
    explained = np.empty(TOGETHER)
    best = -np.inf
    while True:
        found = _most_promising(index, exact, best + slack, arms)
        if found == 0:
            return best
        for k in range(TOGETHER):
            explained[k] = 0.0
        end, promising = 0, True
        while promising and end < n:
            begin, end = end, min(end + AT_ONCE, n)
            known, seen, faded, filled = rows[begin:end], sources[begin:end], fading[begin:end], table[begin:end]
            correlations(targets, known, seen, faded, doublings, near, arms[:found], filled)
            _explain(lower, table, begin, end, explained)
            promising = False
            for k in range(found):
                arm = arms[k]
                index[arm] = min(index[arm], mean[arm] + gamma * np.sqrt(max(1.0 - explained[k], 0.0)))
                promising |= index[arm] > best + slack
        for k in range(found):
            if end == n:
                exact[arms[k]] = True
                best = max(best, index[arms[k]])
