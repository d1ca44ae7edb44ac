"""How well velocities of travelling patterns explain some observations."""

import math

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.cholesky import factorise
from quickdraw_bandits.numerics.jit import compiled
from quickdraw_bandits.policies.adaptive.correlation import Rates
from quickdraw_bandits.policies.adaptive.covariance import fill_covariance


@compiled
def velocity_scores(
    velocities: Floats,
    columns: Floats,
    arms: Integers,
    times: Floats,
    rates: Rates,
    noises: Floats,
    values: Floats,
) -> Floats:
    """Return the log likelihood of observations for each velocity, a row of ``velocities``, up to a constant.

    It is that of ``Model``, for points that have moved by velocity times age. Coordinates are in the rows of
    ``columns``; times are in steps of the clock, 0 being now.
    """
    n = times.shape[0]
    scores = np.empty(velocities.shape[0])
    moved, matrix = np.empty_like(columns), np.empty((0, 0))
    upper, least = np.empty((n, n + 2)), np.zeros(n)
    for k in range(velocities.shape[0]):
        for axis in range(columns.shape[0]):
            for i in range(n):
                moved[axis, i] = columns[axis, i] - velocities[k, axis] * times[i]
        fill_covariance(moved, matrix, arms, times, rates, noises, values, upper)
        factorise(upper, least)
        logs, squares, shift, precision = 0.0, 0.0, 0.0, 1.0
        for i in range(n):
            z, o = upper[i, n], upper[i, n + 1]
            logs += math.log(upper[i, i])
            squares += z * z
            shift += z * o
            precision += o * o
        # Rewards that are all the same have no variance; any velocity then explains them as well.
        total = max(squares - shift * shift / precision, 1e-300)
        scores[k] = -0.5 * n * math.log(total) - logs - 0.5 * math.log(precision)
    return scores
