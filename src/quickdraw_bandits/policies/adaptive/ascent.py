"""Climbing to the nearest maximum of the index in a continuum, along its gradient."""

import math
from functools import partial

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.jit import compiled
from quickdraw_bandits.policies.adaptive.correlation import JAGGED, SQUARINGS
from quickdraw_bandits.policies.adaptive.upper_bounds import Observed

SUFFICIENT = 1e-4
"""Part of the rise that the gradient promises which a step must bring."""
NEAREST = 1e-12
"""Distances and deviations below this count as this, because the jagged family has no gradient at an observation."""


@partial(compiled, inner=True)
def climb_from(place: Floats, observed: Observed, lower: Floats, gamma: float, work: Floats, gradient: Floats) -> float:
    """Return mean + gamma s at a place, and fill ``gradient``.

    With c the correlations of the observations with the place, w = C⁻¹ y, u = C⁻¹ c and s² = 1 - c'u::

        gradient = sum_i (w_i - gamma u_i / s) dc_i,    dc_i = c'(q_i) · 2 near (x - x_i)

    ``work`` has two rows, each of as many numbers as there are observations.
    """
    n, rates = observed.weights.shape[0], observed.rates
    solved, slopes = work[0], work[1]
    mean = 0.0
    for i in range(n):
        q = 0.0
        for axis in range(place.shape[0]):
            d = place[axis] - observed.columns[axis, i]
            q += d * d
        q = rates.near * q + observed.lateness[i]
        if rates.family == JAGGED:
            root = max(math.sqrt(q), NEAREST)
            c = 1.0 / (1.0 + root)
            slope = -c * c / (2.0 * root)
        else:
            c = near = 1.0 / (1.0 + q)
            power = 1.0
            for _ in range(SQUARINGS[rates.family]):
                c *= c
                power *= 2.0
            slope = -power * c * near
        c *= 1.0 - rates.share
        solved[i] = c
        slopes[i] = slope * (1.0 - rates.share) * 2.0 * rates.near
        mean += observed.weights[i] * c
    left = 1.0
    for i in range(n):
        row, before = lower[i, :i], solved[:i]
        total = solved[i]
        for k in range(i):
            total -= row[k] * before[k]
        total /= lower[i, i]
        solved[i] = total
        left -= total * total
    deviation = math.sqrt(max(left, NEAREST))
    for i in range(n - 1, -1, -1):
        row, before = lower[i, :i], solved[:i]
        total = solved[i] / lower[i, i]
        solved[i] = total
        for k in range(i):
            before[k] -= total * row[k]
    gradient[:] = 0.0
    for i in range(n):
        factor = (observed.weights[i] - gamma * solved[i] / deviation) * slopes[i]
        for axis in range(place.shape[0]):
            gradient[axis] += factor * (place[axis] - observed.columns[axis, i])
    return mean + gamma * math.sqrt(max(left, 0.0))


@compiled
def ascend(places: Floats, high: Floats, observed: Observed, lower: Floats, gamma: float, steps: int) -> Floats:
    """Move every row of ``places`` uphill within the box from 0 to ``high``, and return the index at each.

    Projected gradient ascent. The length of a step follows from the change of the gradient over the last one (Barzilai
    and Borwein), and is cut to a quarter until the index rises. The index never falls. At most ``steps`` evaluations
    are made for each place.
    """
    count, dimension = places.shape
    work, index = np.empty((2, observed.weights.shape[0])), np.empty(count)
    gradient, other, slope = np.empty(dimension), np.empty(dimension), np.empty(dimension)
    scale = 1.0 / math.sqrt(observed.rates.near)
    for k in range(count):
        place = places[k]
        best = climb_from(place, observed, lower, gamma, work, gradient)
        steep = 0.0
        for axis in range(dimension):
            steep += gradient[axis] * gradient[axis]
        length = 0.1 * scale / max(math.sqrt(steep), 1e-300)
        for _ in range(steps):
            rise, moved = 0.0, 0.0
            for axis in range(dimension):
                other[axis] = min(max(place[axis] + length * gradient[axis], 0.0), high[axis])
                d = other[axis] - place[axis]
                rise += gradient[axis] * d
                moved += d * d
            if not moved > 1e-18 * scale * scale:
                break
            value = climb_from(other, observed, lower, gamma, work, slope)
            if not value > best + SUFFICIENT * rise:
                length *= 0.25
                continue
            turned = 0.0
            for axis in range(dimension):
                turned += (other[axis] - place[axis]) * (gradient[axis] - slope[axis])
                place[axis] = other[axis]
                gradient[axis] = slope[axis]
            # Where the index is convex, the gradient says nothing about how far to go.
            length = min(moved / turned, 10.0 * length) if turned > 0.0 else 4.0 * length
            best = value
        index[k] = best
    return index
