"""What observations contribute to the sums over a box: polynomials of second degree in place and time.

All lengths are in units of rho: places are x / (unit l_x rho), times t / (l_t rho), so that a precision is
g(w) = (1 + |w|²)^-p for the difference w in space-time, at most 1, and Sigma = rho · S0^(-1/(2p)).

The two polynomials of S0 and S1 lie in one array, one after the other: constant, slopes, and the upper triangle of the
curvature row by row.
"""

import numpy as np
from numba import njit

from quickdraw_bandits.interpolation.compiled_forest import CENTROID, COUNT, REWARD

# Short, and called for every observation: what they are called from has their loops unrolled.
_compiled = njit(
    cache=True,
    nogil=True,
    error_model="numpy",
    fastmath={"reassoc", "contract", "arcp", "nsz"},
    forceinline=True,
)


@_compiled
def power(r2, p):
    """Return r2^-p."""
    inverse = 1.0 / r2
    if p == 1:
        return inverse
    if p == 2:
        return inverse * inverse
    return inverse * inverse * inverse


@_compiled
def derivatives(r2, p):
    """Return g, g1 and g2 at R² = r2: g's gradient is g1 w, and its second derivative g1 times 1 plus g2 w w'."""
    inverse = 1.0 / r2
    g0 = inverse
    if p > 1:
        g0 *= inverse
    if p > 2:
        g0 *= inverse
    g1 = -2 * p * g0 * inverse
    return g0, g1, -(2 * p + 2) * g1 * inverse


@_compiled
def tail(rest, p):
    """Return rest^-(2p + 3)."""
    inverse = 1.0 / rest
    squared = inverse * inverse
    result = squared * squared * inverse
    if p > 1:
        result *= squared
    if p > 2:
        result *= squared
    return result


@_compiled
def root(a, p):
    """Return a^(-1/(2p))."""
    if p == 1:
        return 1.0 / np.sqrt(a)
    if p == 2:
        return 1.0 / np.sqrt(np.sqrt(a))
    return 1.0 / np.cbrt(np.sqrt(a))


@_compiled
def n_terms(dimension):
    """Return how many coefficients a polynomial of second degree has."""
    return 1 + dimension + dimension * (dimension + 1) // 2


@_compiled
def add_point(dims, sums, u, y, g0, g1, g2):
    """Add to the two polynomials what one observation contributes, to second order in the arm's place and time."""
    full = len(dims) + 1
    terms = n_terms(full)
    sums[0] += g0
    sums[terms] += y * g0
    position = 1 + full
    for j in range(full):
        slope = g1 * u[j]
        sums[1 + j] += slope
        sums[terms + 1 + j] += y * slope
        for k in range(j, full):
            curve = g2 * u[j] * u[k]
            if k == j:
                curve = 0.5 * (curve + g1)
            sums[position] += curve
            sums[terms + position] += y * curve
            position += 1


@_compiled
def add_shape(dims, sums, u, row, level, g1, g2):
    """Add to the two polynomials what the places of a group around its centroid contribute, to second order."""
    full = len(dims) + 1
    terms = n_terms(full)
    first = CENTROID + full
    counts = first + full
    rewards = counts + full * (full + 1) // 2
    projected = trace0 = trace1 = form0 = form1 = 0.0
    position = 0
    for j in range(full):
        projected += u[j] * row[first + j]
        trace0 += row[counts + position]
        trace1 += row[rewards + position]
        for k in range(j, full):
            product = u[j] * u[k] if k == j else 2.0 * u[j] * u[k]
            form0 += row[counts + position] * product
            form1 += row[rewards + position] * product
            position += 1
    s0 = 0.5 * (g1 * trace0 + g2 * form0)
    sums[0] += s0
    sums[terms] += 0.5 * (g1 * trace1 + g2 * form1) - level * s0 - g1 * projected
    for j in range(full):
        sums[terms + 1 + j] -= g1 * row[first + j] + g2 * u[j] * projected


@_compiled
def add_group(dims, sums, u, row, level, g0, g1, g2):
    """Add to the two polynomials what a group of observations contributes, to second order in both places."""
    n = row[COUNT]
    add_point(dims, sums, u, row[REWARD] / n - level, n * g0, n * g1, n * g2)
    add_shape(dims, sums, u, row, level, g1, g2)


@_compiled
def shift(dims, source, target, step):
    """Fill ``target`` with the two polynomials counted from a centre that lies ``step`` away."""
    full = len(dims) + 1
    terms = n_terms(full)
    for which in range(2):
        at = which * terms
        constant = source[at]
        position = at + 1 + full
        for j in range(full):
            constant += source[at + 1 + j] * step[j]
            target[at + 1 + j] = source[at + 1 + j]
        for j in range(full):
            for k in range(j, full):
                curve = source[position]
                constant += curve * step[j] * step[k]
                target[at + 1 + j] += curve * step[k]
                target[at + 1 + k] += curve * step[j]
                target[position] = curve
                position += 1
        target[at] = constant


@_compiled
def at_moment(dims, source, target, age):
    """Fill ``target`` with the two polynomials of the place alone at a moment ``age`` after the centre's."""
    d = len(dims)
    terms = n_terms(d + 1)
    few = n_terms(d)
    for which in range(2):
        at = which * terms
        to = which * few
        constant = source[at] + source[at + 1 + d] * age
        position = at + 2 + d
        place = to + 1 + d
        for j in range(d):
            for _ in range(j, d):
                target[place] = source[position]
                place += 1
                position += 1
            target[to + 1 + j] = source[at + 1 + j] + source[position] * age
            position += 1
        target[to] = constant + source[position] * age * age
