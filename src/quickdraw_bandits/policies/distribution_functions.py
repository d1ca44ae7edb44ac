"""Distribution functions of normal and Beta variables, to about 1e-12 of their values."""

import math

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.jit import in_order

SMALLEST = 1e-300
"""Probabilities below this count as this, so that their logarithm is finite."""
FRACTIONS = 10_000
"""Largest number of terms of a continued fraction; the square root of the parameters suffices."""
BISECTIONS = 20


@in_order
def log_normal(z: Floats) -> Floats:
    """Return the logarithm of the standard normal distribution function, for z of at least -37."""
    out = np.empty(z.size)
    flat = z.ravel()
    for k in range(z.size):
        tail = 0.5 * math.erfc(abs(flat[k]) * math.sqrt(0.5))
        out[k] = math.log1p(-tail) if flat[k] > 0 else math.log(max(tail, SMALLEST))
    return out.reshape(z.shape)


@in_order
def log_beta(one: Floats, other: Floats, x: Floats) -> Floats:
    """Return the logarithm of the distribution function of Beta(one_i, other_i) at every x, in row i."""
    out = np.empty((one.size, x.size))
    for i in range(one.size):
        for k in range(x.size):
            out[i, k] = math.log(max(beta(one[i], other[i], x[k]), SMALLEST))
    return out


@in_order
def beta_quantiles(one: Floats, other: Floats, probabilities: Floats) -> Floats:
    """Return where Beta(one_i, other_i) has these probabilities, in row i, to about 1e-4 standard deviations.

    Parameters are at least 1, and probabilities from 1e-14 to 1 - 1e-14.
    """
    out = np.empty((one.size, probabilities.size))
    for i in range(one.size):
        # log(x / (1 - x)) has about this mean and deviation, and a tail of at most 32 deviations.
        centre, deviation = math.log(one[i] / other[i]), math.sqrt(1.0 / one[i] + 1.0 / other[i])
        for k in range(probabilities.size):
            low, high = centre - 40.0 * deviation, centre + 40.0 * deviation
            for _ in range(BISECTIONS):
                middle = 0.5 * (low + high)
                if beta(one[i], other[i], 1.0 / (1.0 + math.exp(-middle))) < probabilities[k]:
                    low = middle
                else:
                    high = middle
            out[i, k] = 1.0 / (1.0 + math.exp(-low))
    return out


@in_order
def beta(a: float, b: float, x: float) -> float:
    """Return the distribution function of Beta(a, b) at x.

    That is x^a (1-x)^b / (a B(a, b)) times the continued fraction of Abramowitz & Stegun (1964), 26.5.8, which
    converges fast below the mean and is found by Lentz's method. Above the mean it is 1 less that of Beta(b, a) at
    1 - x.
    """
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    above = x > (a + 1.0) / (a + b + 2.0)
    if above:
        a, b, x = b, a, 1.0 - x
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    fraction = d
    for m in range(1, FRACTIONS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1.0 / (1.0 + even * d), 1.0 + even / c
        fraction *= c * d
        d, c = 1.0 / (1.0 + odd * d), 1.0 + odd / c
        fraction *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    below = math.exp(log_front) * fraction / a
    return 1.0 - below if above else below
