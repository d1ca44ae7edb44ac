"""The compiled loop of a round: the index at every arm in float32, from tables and the latest observations."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.tables.node_sums import LARGEST_TERM, add_block
from quickdraw_bandits.numerics.chebyshev import lagrange_basis
from quickdraw_bandits.numerics.jit import compiled, finite

ARMS = 512
"""Arms a pass: their sums stay in the first-level cache."""


LOWEST = np.finfo(np.float32).min


class Tables(NamedTuple):
    """Sums over old observations at Chebyshev nodes in time."""

    values: NDArray[np.float32]
    """Of shape (moments, 2, arms); no moments where no observation is old, one where they are for this moment alone."""
    nodes: Floats
    weights: Floats
    u: float
    """Where the time asked about lies on the stretch of the tables, scaled to [-1, 1]."""


class Latest(NamedTuple):
    """The observations that are in no table."""

    squared: NDArray[np.float32]
    """Row s % rows has the scaled squared distances from observation s to all arms."""
    times: Floats
    rewards: Floats
    begin: int
    end: int


class Units(NamedTuple):
    """How numbers are counted: time in units of l_t rho, and rewards from a centre in halves of their range."""

    time: float
    centre: float
    half: float


@partial(finite, inner=True)
def add_weighted(table0, table1, weight, s0, s1):
    """Add the sums of one moment, times a weight."""
    for i in range(s0.shape[0]):
        s0[i] += weight * table0[i]
        s1[i] += weight * table1[i]


@partial(finite, inner=True)
def index_of_sums(s0, s1, gamma, sharpness, out):
    """Fill ``out`` with S1 / S0 + gamma S0^(-1/(2p)); return the largest of them."""
    one = np.float32(1)
    power = np.float32(-0.5 / sharpness)
    for i in range(s0.shape[0]):
        if sharpness == 1:
            sigma = one / np.sqrt(s0[i])
        elif sharpness == 2:
            sigma = one / np.sqrt(np.sqrt(s0[i]))
        else:
            sigma = s0[i] ** power
        index = s1[i] / s0[i] + gamma * sigma
        out[i] = index
    best = out[0]
    for i in range(1, s0.shape[0]):
        best = out[i] if out[i] > best else best
    return best


@partial(finite, inner=True)
def least_of(values):
    """Return the least of some numbers."""
    least = values[0]
    for i in range(1, values.shape[0]):
        least = values[i] if values[i] < least else least
    return least


@compiled
def index_at_arms(tables, latest, time, units, gamma, sharpness, enough, out):
    """Fill ``out`` with the index at every arm, not capped; return the largest.

    Arms whose sum of precisions is not above ``enough`` get infinity, and are left out of the largest; if there
    are no others, it is ``LOWEST`` up to rounding.
    """
    moments, n = tables.values.shape[0], latest.end - latest.begin
    basis = np.empty(moments)
    if moments == 1:
        basis[0] = 1.0
    elif moments > 1:
        lagrange_basis(tables.u, tables.nodes, tables.weights, basis)
    terms = np.empty(n, dtype=np.float32)
    rewards = np.empty(n, dtype=np.float32)
    for r in range(n):
        age = (time - latest.times[latest.begin + r]) / units.time
        term = 1.0 + age * age
        terms[r] = term if term < LARGEST_TERM else LARGEST_TERM
        rewards[r] = (latest.rewards[latest.begin + r] - units.centre) / units.half
    sums = np.empty((2, ARMS), dtype=np.float32)
    best = LOWEST
    for first in range(0, out.shape[0], ARMS):
        m = min(ARMS, out.shape[0] - first)
        s0, s1, chunk = sums[0, :m], sums[1, :m], out[first : first + m]
        for i in range(m):
            s0[i] = s1[i] = 0
        for k in range(moments):
            table = tables.values[k]
            add_weighted(table[0, first : first + m], table[1, first : first + m], np.float32(basis[k]), s0, s1)
        add_block(latest.squared, latest.begin, first, terms, rewards, sharpness, s0, s1)
        lacking = not least_of(s0) > enough
        if lacking:
            for i in range(m):
                if not s0[i] > enough:
                    s0[i], s1[i] = np.float32(1), LOWEST
        largest = index_of_sums(s0, s1, np.float32(gamma), sharpness, chunk)
        best = largest if largest > best else best
        if lacking:
            for i in range(m):
                if s1[i] == LOWEST:
                    chunk[i] = np.inf
    return best
