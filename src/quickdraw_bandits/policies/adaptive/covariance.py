"""The covariance of observations, with the correlation of ``correlation.py``, and what its factor says of them."""

import math
from functools import partial

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.jit import compiled
from quickdraw_bandits.policies.adaptive.correlation import JAGGED, SQUARINGS, Rates

FARTHEST = 1e150
"""Larger q count as this, so that the product of two is a number; the correlation is 0 to all digits that count."""


@partial(compiled, inner=True)
def correlate(values: Floats, arms: Integers, arm: int, rates: Rates) -> None:
    """Replace q = near D² + recent (t - t')² by correlations, of an arm or observation with others at ``arms``.

    A loop for each family, so that each is vectorised and passes over the numbers once: ``SQUARINGS`` times, the
    reciprocal is squared.
    """
    n = values.shape[0]
    if rates.family == JAGGED:
        for k in range(n):
            values[k] = 1.0 / (1.0 + math.sqrt(values[k]))
    elif SQUARINGS[rates.family] == 0:
        for k in range(n):
            values[k] = 1.0 / (1.0 + values[k])
    elif SQUARINGS[rates.family] == 2:
        for k in range(n):
            c = 1.0 / (1.0 + values[k])
            c *= c
            values[k] = c * c
    else:
        for k in range(n):
            c = 1.0 / (1.0 + values[k])
            c *= c
            c *= c
            c *= c
            values[k] = c * c
    if rates.share > 0.0:
        for k in range(n):
            values[k] = (1.0 - rates.share) * values[k] + (rates.share if arms[k] == arm else 0.0)


@partial(compiled, inner=True)
def correlate_two(first: Floats, second: Floats, arms: Integers, one: int, other: int, rates: Rates) -> None:
    """Do as ``correlate`` for two arms or observations, with half as many divisions: 1 / a = b · 1 / (a b)."""
    if rates.family == JAGGED or rates.share > 0.0:
        correlate(first, arms, one, rates)
        correlate(second, arms, other, rates)
        return
    squarings = SQUARINGS[rates.family]
    for k in range(first.shape[0]):
        a, b = 1.0 + min(first[k], FARTHEST), 1.0 + min(second[k], FARTHEST)
        inverse = 1.0 / (a * b)
        a, b = inverse * b, inverse * a
        if squarings >= 2:
            a, b = a * a, b * b
            a, b = a * a, b * b
        if squarings == 4:
            a, b = a * a, b * b
            a, b = a * a, b * b
        first[k], second[k] = a, b


@compiled
def fill_covariance(
    columns: Floats,
    matrix: Floats,
    arms: Integers,
    times: Floats,
    rates: Rates,
    noises: Floats,
    values: Floats,
    out: Floats,
) -> float:
    """Fill the upper triangle of ``out`` with the covariance of n observations, and its last two columns.

    The last but one has ``values``, the last has 1.

    Coordinates are in the rows of ``columns``; where there are none, ``matrix`` has the squared distances of all arms.
    Noise is added to the diagonal. Returns the largest sum of a row, which the largest eigenvalue does not exceed.
    """
    n = times.shape[0]
    sums = np.zeros(n)
    largest = 0.0
    for i in range(n):
        m = n - i - 1
        row, later, rest, others = out[i, i + 1 : n], times[i + 1 :], sums[i + 1 :], arms[i + 1 :]
        if matrix.shape[0]:
            for j in range(m):
                row[j] = matrix[arms[i], others[j]]
        for axis in range(columns.shape[0]):
            x, column = columns[axis, i], columns[axis, i + 1 :]
            for j in range(m):
                d = column[j] - x
                row[j] = d * d if axis == 0 else row[j] + d * d
        for j in range(m):
            age = later[j] - times[i]
            row[j] = rates.near * row[j] + rates.recent * age * age
        correlate(row, others, arms[i], rates)
        total = sums[i] + 1.0 + noises[i]
        for j in range(m):
            rest[j] += row[j]
            total += row[j]
        largest = max(largest, total)
        out[i, i] = 1.0 + noises[i]
        out[i, n] = values[i]
        out[i, n + 1] = 1.0
    return largest


@compiled
def likelihood_sums(upper: Floats) -> tuple[float, float, float, float]:
    """Return z'z, o'z, o'o and sum log U_ii of what ``factorise`` left: U, and z = L⁻¹ y and o = L⁻¹ 1 beside it."""
    n = upper.shape[0]
    squares, shift, precision, logs = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        z, o = upper[i, n], upper[i, n + 1]
        squares += z * z
        shift += o * z
        precision += o * o
        logs += math.log(upper[i, i])
    return squares, shift, precision, logs
