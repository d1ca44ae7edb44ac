"""The covariance of observations, with the correlation of ``correlation.py``."""

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.jit import compiled
from quickdraw_bandits.policies.adaptive.correlation import SQUARINGS, Rates


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
    """Fill the upper triangle of ``out`` with the covariance of n observations, and its last column with ``values``.

    Coordinates are in the rows of ``columns``; where there are none, ``matrix`` has the squared distances of all arms.
    Noise is added to the diagonal. Returns the largest sum of a row, which the largest eigenvalue does not exceed.
    """
    n = times.shape[0]
    sums = np.zeros(n)
    largest = 0.0
    for i in range(n):
        m = n - i - 1
        row, later, rest, t = out[i, i + 1 : n], times[i + 1 :], sums[i + 1 :], times[i]
        if matrix.shape[0]:
            for j in range(m):
                row[j] = matrix[arms[i], arms[i + 1 + j]]
        for axis in range(columns.shape[0]):
            x, others = columns[axis, i], columns[axis, i + 1 :]
            for j in range(m):
                d = others[j] - x
                row[j] = d * d if axis == 0 else row[j] + d * d
        total = sums[i] + 1.0 + noises[i]
        for j in range(m):
            age = t - later[j]
            c = 1.0 / ((1.0 + rates.near * row[j]) * (1.0 + rates.recent * age * age))
            if rates.smooth:
                for _ in range(SQUARINGS):
                    c *= c
            row[j] = c
            rest[j] += c
            total += c
        largest = max(largest, total)
        out[i, i] = 1.0 + noises[i]
        out[i, n] = values[i]
    return largest
