"""The compiled loops of a round: the index at every arm, from tables, the latest observations and pending pulls."""

from functools import partial

import numpy as np

from quickdraw_bandits.interpolation.engines.tables.node_sums import add_block, age_term
from quickdraw_bandits.interpolation.estimate import precision
from quickdraw_bandits.interpolation.index import upper_bound
from quickdraw_bandits.numerics.chebyshev import lagrange_basis
from quickdraw_bandits.numerics.distances import squared_distances
from quickdraw_bandits.numerics.jit import brief, compiled, finite

ARMS = 512
"""Arms a pass: their sums stay in the first-level cache."""


LOWEST = np.finfo(np.float32).min


ROUND = np.dtype(
    [
        ("time", np.float64),
        ("first", np.int64),  # the first of the arms
        ("begin", np.int64),  # the observations from here on are in no table
        ("end", np.int64),
        ("u", np.float64),  # where the time lies on the stretch of the tables, scaled to [-1, 1]
        ("time_unit", np.float64),  # l_t rho
        ("centre", np.float64),  # rewards count from here ...
        ("half", np.float64),  # ... in this unit
        ("gamma", np.float64),  # in units of rewards and of rho
        ("sharpness", np.int64),  # p
        ("enough", np.float64),  # sums of precisions up to this one may have lost what float32 cannot hold
    ]
)
"""What is asked, in a record: Numba takes an array of one several times faster than a named tuple."""


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
def index_at_arms(tables, nodes, weights, squared, times, rewards, rounds, out):
    """Fill ``out`` with the index at all arms of a block, not capped; return the largest.

    ``tables`` has the sums over old observations, of shape (moments, 2, arms): at Chebyshev ``nodes``, at this moment
    alone, or at no moment where no observation is old. Row s % rows of ``squared`` has the scaled squared distances
    from observation s to all arms, those of the block from column ``first`` on.

    Arms whose sum of precisions is not above ``enough`` get infinity, and are left out of the largest; if there
    are no others, it is ``LOWEST`` up to rounding.
    """
    asked = rounds[0]
    begin, n, sharpness, enough, gamma = (
        asked.begin,
        asked.end - asked.begin,
        asked.sharpness,
        asked.enough,
        asked.gamma,
    )
    moments = tables.shape[0]
    basis = np.empty(moments)
    if moments == 1:
        basis[0] = 1.0
    elif moments > 1:
        lagrange_basis(asked.u, nodes, weights, basis)
    terms = np.empty(n, dtype=np.float32)
    paid = np.empty(n, dtype=np.float32)
    for r in range(n):
        terms[r] = age_term(asked.time - times[begin + r], asked.time_unit)
        paid[r] = (rewards[begin + r] - asked.centre) / asked.half
    sums0 = np.empty(ARMS, dtype=np.float32)
    sums1 = np.empty(ARMS, dtype=np.float32)
    best = LOWEST
    for first in range(0, out.shape[0], ARMS):
        m = out.shape[0] - first if out.shape[0] - first < ARMS else ARMS
        s0, s1, chunk = sums0[:m], sums1[:m], out[first : first + m]
        for i in range(m):
            s0[i] = s1[i] = 0
        for k in range(moments):
            table = tables[k]
            add_weighted(table[0, first : first + m], table[1, first : first + m], np.float32(basis[k]), s0, s1)
        add_block(squared, begin, asked.first + first, terms, paid, sharpness, s0, s1)
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


@brief
def add_pulls(points, columns, positions, metric, arms, terms, weight, sharpness, squares, total):
    """Add to ``total``, at every arm, the precisions of pulls of ``arms``.

    A pull has r² = term + weight D², where its term is rho² and what its age adds. ``squares`` is a buffer.
    """
    for s in range(arms.shape[0]):
        squared_distances(metric, points[arms[s]], columns, positions, 0, squares)
        for k in range(total.shape[0]):
            total[k] += precision(1.0, terms[s] + weight * squares[k], sharpness)


@brief
def best_so_far(mean, known, added, ready, barred, slack, gamma, cap, sharpness, index, found):
    """Find the arms of the largest index among those that are ready, and tell whether others could be as good.

    Fills ``index`` at every arm, from the precision that is ``known`` and what pulls add to it; at an arm that is not
    ready, the true index is at most that plus ``slack``. Writes the best arms to ``found``. Returns how many these are,
    and how many arms that are not ready could be among them. No arm is barred where ``barred`` is empty.
    """
    power = -0.5 / sharpness
    best = -np.inf
    for k in range(mean.shape[0]):
        total = known[k] + added[k]
        sigma = 1.0 / np.sqrt(total) if sharpness == 1 else total**power
        index[k] = upper_bound(mean[k], sigma, gamma, cap)
    for k in range(barred.shape[0]):
        if barred[k]:
            index[k] = -np.inf
    for k in range(mean.shape[0]):
        if ready[k] and index[k] > best:
            best = index[k]
    # As ``numerics.ties`` has it: values that differ by rounding alone count as equal.
    least = best - 1e-12 * abs(best) if best > -np.inf else best
    n, rivals = 0, 0
    for k in range(mean.shape[0]):
        if index[k] == -np.inf:
            continue
        if ready[k]:
            if index[k] >= least:
                found[n] = k
                n += 1
        elif index[k] + slack >= least:
            rivals += 1
    return n, rivals
