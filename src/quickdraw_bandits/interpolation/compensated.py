"""Compiled sums over observations that carry their rounding errors along (Neumaier's summation), one per arm."""

from functools import partial
from typing import NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.estimate import precision
from quickdraw_bandits.numerics.distances import squared_distance
from quickdraw_bandits.numerics.jit import compiled, in_order

CHUNK = 64
"""Arms a task: small enough to keep all cores busy, large enough to be worth handing out."""


@partial(in_order, inner=True)
def add(sums, row, i, value):
    """Add ``value`` to the sum of arm ``i`` in ``row``, and its rounding error to the next row."""
    total = sums[row, i]
    new = total + value
    if abs(total) >= abs(value):
        sums[row + 1, i] += (total - new) + value
    else:
        sums[row + 1, i] += (value - new) + total
    sums[row, i] = new


class Added(NamedTuple):
    """Observations, those of one arm together: its coordinates and position, their number and the sum of rewards."""

    places: Floats
    arms: Integers
    counts: Floats
    totals: Floats


@compiled
def add_to_sums(metric, points, added, weight, sharpness, sums, begin, end):
    """Add observations to the sums of the arms from ``begin`` to ``end`` - 1.

    In units of rho^(-2p): rows of ``sums`` are sum nu, its rounding error, sum nu y, its rounding error.
    """
    for s in range(added.arms.shape[0]):
        place, arm = added.places[s], added.arms[s]
        for i in range(begin, end):
            squared = squared_distance(metric, points[i], place, arm)
            nu = precision(1.0, 1.0 + weight * squared, sharpness)
            add(sums, 0, i, nu * added.counts[s])
            add(sums, 2, i, nu * added.totals[s])


@compiled
def from_sums(sums, sharpness, rho, average, mean, std):
    """Fill ``mean`` and ``std`` at every arm; where no observation counts they are ``average`` and infinite."""
    for i in range(sums.shape[1]):
        s0 = sums[0, i] + sums[1, i]
        if s0 > 0:
            mean[i] = (sums[2, i] + sums[3, i]) / s0
            std[i] = rho / np.sqrt(s0) if sharpness == 1 else rho * s0 ** (-0.5 / sharpness)
        else:
            mean[i] = average
            std[i] = np.inf
