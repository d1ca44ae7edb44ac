"""The far past in groups: observations of a stretch of time, replaced by a few at the Chebyshev nodes of it."""

from typing import NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.engines.tables.far_past import FarPast
from quickdraw_bandits.interpolation.engines.tables.node_sums import Units
from quickdraw_bandits.interpolation.engines.tables.nodes import TimeNodes
from quickdraw_bandits.numerics.chebyshev import lagrange_bases
from quickdraw_bandits.observations import Observations

FINEST = 32
"""The shortest groups are at most so many times shorter than the least age of the far past."""
REMEMBERED = 4
"""States that are kept, for clocks that go back a little."""
AT_ONCE = 1 << 19
"""Numbers of a pass: features of some observations."""


class Group(NamedTuple):
    """Observations from ``start`` on, within ``length``: their moments at the nodes, of shape (nodes, 2, features)."""

    start: float
    length: float
    moments: Floats


class Grouped(NamedTuple):
    """The first ``end`` observations in groups, as they are where the far past reaches up to ``reach``."""

    units: Units
    end: int
    reach: float
    groups: tuple[Group, ...]


class FarGroups:
    """Groups of observations that are far, each as long as a share of its age.

    At a given time, the precision of an observation is a smooth function of its own time t_s. On a stretch behind, it
    is interpolated at the Chebyshev nodes tau_j of the stretch, with the Lagrange polynomials l_j:

    nu(t - t_s) = sum_j l_j(t_s) nu(t - tau_j),     hence     sum_s nu(t - t_s) f_s = sum_j nu(t - tau_j) M_j,

    where M_j = sum_s l_j(t_s) f_s is a moment for any features f_s. It does not depend on t. So each observation is
    summed once. Later times only lower the error, which is that of ``TimeNodes``.

    As they get older, two groups of one length are put together: l_j of the longer stretch is a polynomial, which the
    nodes of the shorter ones determine, so that its moments follow from theirs without error.

    Stretches are cut from a fixed grid of time. Their lengths are c 2^k, with c a power of two, so that all edges are
    exact in float64, and each starts at a multiple of its length. Times up to t - A are far, with A the least age;
    they are reckoned up to ``reach``, a multiple of c. A group is the longest stretch with length <= share · age,
    where age = A + reach - its end. So what is in which group depends on the time alone, and the number of groups grows
    with the logarithm of the oldest age.

    Parameters
    ----------
    far
        Says which observations are far, and what their features are.
    nodes
        The interpolation on each stretch.
    time_unit
        l_t rho, the unit of ages.
    """

    def __init__(self, far: FarPast, nodes: TimeNodes, time_unit: float) -> None:
        self._far, self._nodes = far, nodes
        self._least_age = max(far.least_age, 1.0) * time_unit
        exponent = np.frexp(self._least_age / FINEST)[1] - 1
        self._finest = float(np.ldexp(1.0, exponent)) if 0 < self._least_age < np.inf else 0.0

    @property
    def error(self) -> float:
        """How far precisions may be off, relative to their size."""
        return self._nodes.error

    def reach(self, time: float) -> float:
        """Return the moment before which observations are far; -inf where none is."""
        if not self._finest > 0:
            return -np.inf
        # Rounded down, lest observations of this very moment count as far where the clock cannot tell so short a time.
        with np.errstate(over="ignore"):
            reach = float(_multiple(np.nextafter(time - self._least_age, -np.inf), self._finest))
        return reach if abs(reach) < np.inf else -np.inf

    def extended(
        self, before: tuple[Grouped, ...], seen: Observations, units: Units, end: int, reach: float
    ) -> tuple[Grouped, ...]:
        """Return states of which the last has the first ``end`` observations, made from the best of those before."""
        usable = [some for some in before if some.units == units]
        fitting = [some for some in usable if some.end <= end and some.reach <= reach]
        best = max(fitting, key=lambda some: (some.end, some.reach), default=Grouped(units, 0, -np.inf, ()))
        usable = [some for some in usable if some is not best]
        new = best if (best.end, best.reach) == (end, reach) else self._extend(best, seen, end, reach)
        return (*usable, best, new)[-REMEMBERED:] if new is not best else (*usable, best)

    def ages(self, grouped: Grouped, time: float) -> tuple[Floats, Floats]:
        """Return what stands for the observations of all groups: moments, and ages at ``time``."""
        # The first difference is exact but for its last digit, and the second is at least half of it.
        behind = (1 + self._nodes.places) / 2
        ages = [(time - group.start) - group.length * behind for group in grouped.groups]
        return np.concatenate([group.moments for group in grouped.groups]), np.concatenate(ages)

    def _extend(self, before: Grouped, seen: Observations, end: int, reach: float) -> Grouped:
        sums: dict[tuple[float, float], Floats] = {}
        starts, lengths = self._stretches(np.array([group.start for group in before.groups]), reach)
        for group, start, length in zip(before.groups, starts.tolist(), lengths.tolist(), strict=True):
            if length <= group.length:  # as it was
                self._put(sums, group.start, group.length, group.moments)
            else:
                nodes = (group.start - start) + group.length * (1 + self._nodes.places) / 2
                self._put(sums, start, length, np.tensordot(self._bases(nodes, length), group.moments, axes=1))
        new = slice(before.end, end)
        places = self._stretches(seen.times[new], reach)
        order = np.lexsort(places)  # stable: in the order in which they came
        changes = np.flatnonzero(np.any([np.diff(place[order]) != 0 for place in places], axis=0)) + 1
        for some in np.split(order, changes) if len(order) else []:
            start, length = (float(place[some[0]]) for place in places)
            self._put(sums, start, length, self._moments(seen, before.units, before.end + some, start, length))
        groups = (Group(start, length, moments) for (start, length), moments in sums.items())
        return Grouped(before.units, end, reach, tuple(groups))

    def _put(self, sums: dict[tuple[float, float], Floats], start: float, length: float, moments: Floats) -> None:
        known = sums.get((start, length))
        sums[start, length] = moments if known is None else known + moments

    def _moments(self, seen: Observations, units: Units, some: Integers, start: float, length: float) -> Floats:
        """Return the moments of some observations on a stretch."""
        at_once = max(1, AT_ONCE // self._far.n_features)
        parts = []
        for begin in range(0, len(some), at_once):
            part = some[begin : begin + at_once]
            features = self._far.features(seen.coordinates[:, part])
            paid = (seen.rewards[part] - units.centre) / units.half
            both = np.stack([features, features * paid[:, None]], axis=1)
            parts.append(np.tensordot(self._bases(seen.times[part] - start, length), both, axes=1))
        return np.asarray(sum(parts[1:], parts[0]))

    def _bases(self, after: Floats, length: float) -> Floats:
        """Return the Lagrange polynomials at times after the start of a stretch, a column for each."""
        return lagrange_bases(2 * after / length - 1, self._nodes.places, self._nodes.weights)

    def _stretches(self, times: Floats, reach: float) -> tuple[Floats, Floats]:
        """Return start and length of the stretch that each time is in."""
        length = self._finest
        with np.errstate(over="ignore", invalid="ignore"):
            starts = _multiple(times, length)
            starts = np.where(np.isfinite(starts), starts, times)  # the clock cannot tell so short a time
            lengths = np.full(len(times), length)
            longest = np.ones(len(times), dtype=np.bool_)
            while longest.any():
                length *= 2
                start = _multiple(times, length)
                longest = length <= self._nodes.share * (self._least_age + (reach - start) - length)
                starts[longest], lengths[longest] = start[longest], length
        return starts, lengths


def _multiple(times: Floats, length: float) -> Floats:
    """Return the largest multiples of a length, a power of two, up to some times."""
    return np.asarray(np.floor(times / length) * length)
