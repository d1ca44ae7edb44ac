"""What observations contribute to the sums over a box: polynomials of second degree in place and time.

All lengths are in units of rho: places are x / (unit l_x rho), times t / (l_t rho), so that a precision is
g(w) = (1 + |w|²)^-p for the difference w in space-time, at most 1, and Sigma = rho · S0^(-1/(2p)).

The polynomials of S0 and S1 lie in one array, one after the other: constant, slopes, and the upper triangle of the
curvature row by row.
"""

import numpy as np

from quickdraw_bandits.numerics.jit import inner_inlined


def n_terms(dimension: int) -> int:
    """Return how many coefficients a polynomial of second degree has."""
    return 1 + dimension + dimension * (dimension + 1) // 2


@inner_inlined
def precision(r2, p):
    """Return g = r2^-p at R² = 1 + |w|²."""
    inverse = 1.0 / r2
    if p == 1:
        return inverse
    if p == 2:
        return inverse * inverse
    return inverse * inverse * inverse


@inner_inlined
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


@inner_inlined
def binomial(p):
    """Return C(2p + 2, 3)."""
    return 4.0 if p == 1 else (20.0 if p == 2 else 56.0)


@inner_inlined
def tail(r, p):
    """Return r^-(2p + 3). Times C(2p + 2, 3) it bounds a sixth of the third derivative of g along any line."""
    inverse = 1.0 / r
    squared = inverse * inverse
    result = squared * squared * inverse
    if p > 1:
        result *= squared
    if p > 2:
        result *= squared
    return result


@inner_inlined
def deviation(s0, p):
    """Return Sigma / rho = S0^(-1/(2p))."""
    if p == 1:
        return 1.0 / np.sqrt(s0)
    if p == 2:
        return 1.0 / np.sqrt(np.sqrt(s0))
    return 1.0 / np.cbrt(np.sqrt(s0))


@inner_inlined
def add_point(sums, u, y, g0, g1, g2):
    """Add to the two polynomials what one observation contributes, to second order in the arm's place and time."""
    terms = len(sums) // 2
    sums[0] += g0
    sums[terms] += y * g0
    position = 1 + len(u)
    for j in range(len(u)):
        slope = g1 * u[j]
        sums[1 + j] += slope
        sums[terms + 1 + j] += y * slope
        for k in range(j, len(u)):
            curve = g2 * u[j] * u[k]
            if k == j:
                curve = 0.5 * (curve + g1)
            sums[position] += curve
            sums[terms + position] += y * curve
            position += 1


@inner_inlined
def shape(u, group, level, g1, g2):
    """Return what the places of a group around its centroid contribute to S0 and S1 at ``u`` from the centroid.

    The third number is the sum of (u · delta_s) y_s.
    """
    projected = trace0 = trace1 = form0 = form1 = 0.0
    position = 0
    for j in range(len(u)):
        projected += u[j] * group.first[j]
        trace0 += group.second[position]
        trace1 += group.second_of_rewards[position]
        for k in range(j, len(u)):
            product = u[j] * u[k] if k == j else 2.0 * u[j] * u[k]
            form0 += group.second[position] * product
            form1 += group.second_of_rewards[position] * product
            position += 1
    s0 = 0.5 * (g1 * trace0 + g2 * form0)
    return s0, 0.5 * (g1 * trace1 + g2 * form1) - level * s0 - g1 * projected, projected


@inner_inlined
def add_shape(sums, u, group, level, g1, g2):
    """Add to the two polynomials what the places of a group around its centroid contribute, to second order."""
    terms = len(sums) // 2
    s0, s1, projected = shape(u, group, level, g1, g2)
    sums[0] += s0
    sums[terms] += s1
    for j in range(len(u)):
        sums[terms + 1 + j] -= g1 * group.first[j] + g2 * u[j] * projected


@inner_inlined
def shift(source, target, step):
    """Fill ``target`` with the two polynomials counted from a centre that lies ``step`` away."""
    terms = len(source) // 2
    for which in range(2):
        at = which * terms
        constant = source[at]
        position = at + 1 + len(step)
        for j in range(len(step)):
            constant += source[at + 1 + j] * step[j]
            target[at + 1 + j] = source[at + 1 + j]
        for j in range(len(step)):
            for k in range(j, len(step)):
                curve = source[position]
                constant += curve * step[j] * step[k]
                target[at + 1 + j] += curve * step[k]
                target[at + 1 + k] += curve * step[j]
                target[position] = curve
                position += 1
        target[at] = constant


@inner_inlined
def at_moment(source, target, dimension, age):
    """Fill ``target`` with the two polynomials of the place alone at a moment ``age`` after the centre's."""
    terms = len(source) // 2
    few = 1 + dimension + dimension * (dimension + 1) // 2
    for which in range(2):
        at = which * terms
        to = which * few
        constant = source[at] + source[at + 1 + dimension] * age
        position = at + 2 + dimension
        place = to + 1 + dimension
        for j in range(dimension):
            for _ in range(j, dimension):
                target[place] = source[position]
                place += 1
                position += 1
            target[to + 1 + j] = source[at + 1 + j] + source[position] * age
            position += 1
        target[to] = constant + source[position] * age * age


@inner_inlined
def at_place(sums, which, step):
    """Return the value of one of the two polynomials at ``step`` from their centre."""
    at = which * (len(sums) // 2)
    value = sums[at]
    position = at + 1 + len(step)
    for j in range(len(step)):
        slope = sums[at + 1 + j]
        for k in range(j, len(step)):
            slope += sums[position] * step[k]
            position += 1
        value += slope * step[j]
    return value
