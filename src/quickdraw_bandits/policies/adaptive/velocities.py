"""Velocities of travelling patterns: how well they explain observations, and how far patterns came with them."""

import math

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.cholesky import factorise
from quickdraw_bandits.numerics.jit import compiled, inner
from quickdraw_bandits.policies.adaptive.correlation import Rates
from quickdraw_bandits.policies.adaptive.covariance import fill_covariance, likelihood_sums

FINENESS = 12.0
"""Neighbouring velocities differ by a length scale in so many steps of the clock."""
FASTEST = 0.5
"""Largest velocity along a coordinate, in length scales per step of the clock."""
MOVING = 1.0
"""How much larger the log likelihood of a velocity must be than that of none."""


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
        squares, shift, precision, logs = likelihood_sums(upper)
        # Rewards that are all the same have no variance; any velocity then explains them as well.
        total = max(squares - shift * shift / (1.0 + precision), 1e-300)
        scores[k] = -0.5 * n * math.log(total) - logs - 0.5 * math.log1p(precision)
    return scores


@compiled
def likeliest_velocity(
    velocity: Floats,
    length: float,
    columns: Floats,
    arms: Integers,
    times: Floats,
    rates: Rates,
    noises: Floats,
    values: Floats,
) -> Floats:
    """Return the velocity of the largest log likelihood, of those near the one in use.

    Tried are ``velocity`` itself, its opposite, none, and those one or two steps away along a coordinate, unless they
    are too fast. Any but none must be better by ``MOVING``.
    """
    dimension = velocity.shape[0]
    tried = np.zeros((3 + 4 * dimension, dimension))
    for axis in range(dimension):
        tried[1:, axis] = velocity[axis]
        tried[2, axis] = -velocity[axis]
    for axis in range(dimension):
        for k, step in enumerate((-2, -1, 1, 2)):
            tried[3 + 4 * axis + k, axis] += step * length / FINENESS
    scores = velocity_scores(tried, columns, arms, times, rates, noises, values)
    best, largest = 0, scores[0] + MOVING
    for k in range(1, tried.shape[0]):
        fast = False
        for axis in range(dimension):
            fast |= abs(tried[k, axis]) > FASTEST * length
        if scores[k] > largest and not fast:
            best, largest = k, scores[k]
    found: Floats = tried[best].copy()
    return found


@compiled
def distance_travelled(ages: Floats, knots: Floats, places: Floats, velocity: Floats) -> Floats:
    """Return D(0) - D(age) for a path through ``places`` at ``knots`` that goes on with ``velocity`` after the last.

    Before the first knot, D stays as it is there. Time 0 may be before the last knot, where the past is asked for.
    """
    n, dimension, last = ages.shape[0], velocity.shape[0], knots.shape[0] - 1
    found = np.empty((n, dimension))
    # D(0), less what it would be if 0 were after the last knot.
    early = np.zeros(dimension)
    if knots[last] > 0.0:
        k, part = _piece(knots, 0.0)
        for axis in range(dimension):
            early[axis] = places[k, axis] - places[last, axis] + knots[last] * velocity[axis]
            if part > 0.0:
                early[axis] -= part * (places[k, axis] - places[k - 1, axis])
    for i in range(n):
        age = ages[i]
        k, part = _piece(knots, age)
        for axis in range(dimension):
            if k > last:
                found[i, axis] = -age * velocity[axis]
            else:
                found[i, axis] = places[last, axis] - places[k, axis] - knots[last] * velocity[axis]
                if part > 0.0:
                    found[i, axis] += part * (places[k, axis] - places[k - 1, axis])
            found[i, axis] += early[axis]
    return found


@inner
def _piece(knots: Floats, age: float) -> tuple[np.intp, float]:
    """Return the first knot that is not before a time, and which part of the piece that ends there comes after it."""
    k = np.searchsorted(knots, age)
    if 0 < k < knots.shape[0]:
        return k, (knots[k] - age) / (knots[k] - knots[k - 1])
    return k, 0.0
