"""Upper bounds of the index in single precision, for very many arms, and the search of groups of arms with them.

They are those of ``upper_bounds.py``. Differences of coordinates are taken in double precision, so that length scales
may be as small as there: what is rounded are correlations and sums, to about 1e-6 of the sum of |weights|.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.jit import compiled
from quickdraw_bandits.policies.adaptive.correlation import JAGGED, SQUARINGS
from quickdraw_bandits.policies.adaptive.space import Targets
from quickdraw_bandits.policies.adaptive.upper_bounds import ROUNDING, Observed, apart

Singles = NDArray[np.float32]
BLOCK = 256
"""Arms for each pass over the observations."""
WIDE = 0.5
"""Groups are wide if their diagonal is longer, in units of the length over which correlations fall."""
CREEP = 0.02
"""How fast what a group may have is supposed to grow from one choice to the next, in units of gamma."""
LOST = 4e-6
"""What squared correlations may lack: of the smooth family, they are the 32nd power of a rounded number."""
LATEST = 1e30
"""Lateness in single precision is at most this: no correlation is left."""


class Rounded(NamedTuple):
    """Numbers of the observations in single precision: weights C⁻¹ y, 1 / (1 + noise), and one over the eigenvalue."""

    weights: Singles
    parts: Singles
    lateness: Floats
    inverse: np.float32

    @classmethod
    def of(cls, observed: Observed) -> "Rounded":
        """Return the numbers of a model."""
        parts = 1.0 / (1.0 + observed.noises)
        rounded = observed.weights.astype(np.float32), parts.astype(np.float32)
        return cls(*rounded, np.minimum(observed.lateness, LATEST), np.float32(1.0 / observed.eigenvalue))


class Groups(NamedTuple):
    """Groups of arms.

    ``edges`` are where they begin, and the end of the last; ``diagonals`` those of their bounding boxes. ``heads`` says
    which arm represents each, ``columns`` where it is, and ``found`` its bound when the group was last searched.
    """

    edges: Integers
    diagonals: Floats
    heads: Integers
    columns: Floats
    found: Floats


@compiled
def bound_rounded(targets: Targets, observed: Observed, rounded: Rounded, gamma: float) -> tuple[Singles, Singles]:
    """Return means of arms with coordinates, and upper bounds of mean + gamma s, as ``bound`` does.

    The bounds have ROUNDING gamma and ``error`` more, so that they are upper bounds in spite of their precision.
    """
    count, n, dimension = targets.arms.shape[0], rounded.weights.shape[0], targets.columns.shape[0]
    one, nought = np.float32(1.0), np.float32(0.0)
    width, lost = np.float32(gamma), np.float32(LOST)
    extra = np.float32(ROUNDING * gamma + observed.error)
    near, family = observed.rates.near, observed.rates.family
    squarings = SQUARINGS[family]
    share, rest = np.float32(observed.rates.share), np.float32(1.0 - observed.rates.share)
    means, bounds = np.zeros(count, np.float32), np.zeros(count, np.float32)
    wide, both, squares_of_all = np.empty(BLOCK), np.empty((2, BLOCK), np.float32), np.empty(BLOCK, np.float32)
    for start in range(0, count, BLOCK):
        end = min(start + BLOCK, count)
        m = end - start
        sums, highest, squares = means[start:end], bounds[start:end], squares_of_all[:m]
        squares[:] = nought
        column, other = targets.columns[0, start:end], targets.columns[min(1, dimension - 1), start:end]
        for i in range(0, n, 2):
            last = min(i + 1, n - 1)
            for each in range(i, last + 1):
                c, late, x = both[each - i, :m], rounded.lateness[each], observed.columns[0, each]
                if dimension == 2:  # the commonest case, in one pass
                    y = observed.columns[1, each]
                    for k in range(m):
                        d, e = column[k] - x, other[k] - y
                        c[k] = np.float32(near * (d * d + e * e) + late)
                else:
                    for k in range(m):
                        d = column[k] - x
                        wide[k] = d * d
                    for axis in range(1, dimension - 1, 2):
                        y, along = observed.columns[axis, each], targets.columns[axis, start:end]
                        z, across = observed.columns[axis + 1, each], targets.columns[axis + 1, start:end]
                        for k in range(m):
                            d, e = along[k] - y, across[k] - z
                            wide[k] += d * d + e * e
                    if dimension % 2 == 0:
                        y, along = observed.columns[dimension - 1, each], targets.columns[dimension - 1, start:end]
                        for k in range(m):
                            d = along[k] - y
                            wide[k] += d * d
                    for k in range(m):
                        c[k] = np.float32(near * wide[k] + late)
                if family == JAGGED:
                    for k in range(m):
                        c[k] = one / (one + math.sqrt(c[k]))
                else:
                    for k in range(m):
                        c[k] = one / (one + c[k])
                    for _ in range(squarings):  # outside, so that the loop over the arms is vectorised
                        for k in range(m):
                            c[k] *= c[k]
                if share > 0.0:
                    for k in range(m):
                        c[k] = rest * c[k] + (share if targets.arms[start + k] == observed.arms[each] else nought)
            # Two observations at a time, so that the sums are read and written half as often.
            first, second = both[0, :m], both[1, :m]
            if last == i:
                second[:] = nought
            w, v, h, j = rounded.weights[i], rounded.weights[last], rounded.parts[i], rounded.parts[last]
            for k in range(m):
                a, b = first[k], second[k]
                sums[k] += w * a + v * b
                a *= a
                b *= b
                squares[k] += a + b
                highest[k] = max(highest[k], max(h * a, j * b))
        for k in range(m):
            left = one - max(highest[k], squares[k] * rounded.inverse) + lost
            highest[k] = sums[k] + width * math.sqrt(max(left, nought)) + extra
    return means, bounds


@compiled
def members(
    columns: Floats, arms: Integers, groups: Groups, some: Integers, others: Integers
) -> tuple[Integers, Floats, Integers]:
    """Return which arms are in some groups, one group after the other, and others, with coordinates and positions."""
    total = others.shape[0]
    for g in some:
        total += groups.edges[g + 1] - groups.edges[g]
    rows, names = np.empty(total, np.int64), np.empty(total, np.int64)
    places, n = np.empty((columns.shape[0], total)), 0
    for g in some:
        begin, end = groups.edges[g], groups.edges[g + 1]
        for row in range(begin, end):
            rows[n + row - begin] = row
            names[n + row - begin] = arms[row]
        for axis in range(columns.shape[0]):
            for row in range(begin, end):
                places[axis, n + row - begin] = columns[axis, row]
        n += end - begin
    for row in others:
        rows[n], names[n] = row, arms[row]
        for axis in range(columns.shape[0]):
            places[axis, n] = columns[axis, row]
        n += 1
    return rows, places, names


@compiled
def renew(
    groups: Groups,
    some: Integers,
    targets: Targets,
    observed: Observed,
    gamma: float,
    least: float,
    deviations: Floats,
    draws: Floats,
    means: Singles,
    bounds: Singles,
) -> None:
    """Let the arm of the highest bound represent each of some groups; of several, the one that is drawn.

    ``targets`` are all arms of these groups, one group after the other, with their means and bounds. Bounds of at least
    ``least`` are lowered first: with x the arm that represented the group, s(x') is no larger than s(x) plus the
    deviation of the difference of x and x'. ``deviations`` are upper bounds of gamma s(x).
    """
    begin = 0
    for place in range(some.shape[0]):
        g = some[place]
        size = groups.edges[g + 1] - groups.edges[g]
        highest, ties = np.float32(-np.inf), 0
        for k in range(begin, begin + size):
            if bounds[k] >= least:
                far = gamma * apart(targets.columns, k, groups.columns, g, observed.rates)
                high = means[k] + deviations[place] + far + ROUNDING * gamma + observed.error
                bounds[k] = min(bounds[k], np.float32(high))
            if bounds[k] > highest:
                highest, ties = bounds[k], 0
            ties += bounds[k] == highest
        rank = int(draws[place] * ties)
        for k in range(begin, begin + size):
            if bounds[k] == highest:
                if rank == 0:
                    groups.heads[g] = groups.edges[g] + k - begin
                    for axis in range(targets.columns.shape[0]):
                        groups.columns[axis, g] = targets.columns[axis, k]
                rank -= 1
        groups.found[g] = highest
        begin += size


@compiled
def potentials(groups: Groups, rises: Floats, latest: Floats, index: Floats, gamma: float, near: float) -> Floats:
    """Return about how large the index can be in each group; ``index`` has bounds at the arms that represent them.

    An arm of the group can have a larger index than the one that represents it, by ``rises`` at most. Most likely it is
    no larger than what was found when the group was last searched, unless the group is wider than half a length scale
    and near one of the latest observations, whose coordinates are the columns of ``latest``.
    """
    out, length = np.empty(index.shape[0]), 1.0 / math.sqrt(near)
    for g in range(index.shape[0]):
        if groups.diagonals[g] > WIDE * length:
            limit = groups.diagonals[g] + length
            for k in range(latest.shape[1]):
                squared = 0.0
                for axis in range(latest.shape[0]):
                    d = groups.columns[axis, g] - latest[axis, k]
                    squared += d * d
                if squared < limit * limit:
                    groups.found[g] = np.inf
        groups.found[g] = max(groups.found[g] + CREEP * gamma, index[g])
        out[g] = min(groups.found[g], index[g] + rises[g])
    return out


@compiled
def highest(values: Floats, count: int, floor: float) -> Integers:
    """Return the places of the largest values that are at least ``floor``, the largest first."""
    out, found = np.empty(count, np.int64), 0
    for k in range(values.shape[0]):
        if values[k] >= floor and (found < count or values[k] > values[out[count - 1]]):
            place = min(found, count - 1)
            found = place + 1
            while place > 0 and values[out[place - 1]] < values[k]:
                out[place] = out[place - 1]
                place -= 1
            out[place] = k
    return out[:found]


class Wanted(NamedTuple):
    """Which groups to search.

    ``least`` of the highest bounds; those with a potential of at least ``enough`` that have ``room`` arms together, or
    are among the first ``least``, and no more than ``most``; ``in_turn`` from ``turn`` on; and ``last``.
    """

    least: int
    most: int
    enough: float
    room: int
    turn: int
    in_turn: int
    last: Integers


@compiled
def to_search(groups: Groups, potential: Floats, index: Floats, wanted: Wanted) -> Integers:
    """Return groups to search, in increasing order; ``index`` has the bounds of their representatives."""
    marked, arms = np.zeros(index.shape[0], np.bool_), 0
    for rank, g in enumerate(highest(potential, wanted.most, wanted.enough)):
        arms += groups.edges[g + 1] - groups.edges[g]
        if arms <= wanted.room or rank < wanted.least:
            marked[g] = True
    for g in highest(index, wanted.least, -np.inf):
        marked[g] = True
    for k in range(wanted.in_turn):
        marked[(wanted.turn + k) % index.shape[0]] = True
    for g in wanted.last:
        marked[g] = True
    return np.flatnonzero(marked)
