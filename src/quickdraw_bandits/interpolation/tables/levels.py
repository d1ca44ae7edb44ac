"""Sums over old observations as functions of time: what is in which tables, and until when they serve."""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.tables.far_past import FarPast
from quickdraw_bandits.interpolation.tables.geometry import UNIT_ROUNDOFF, Geometry
from quickdraw_bandits.interpolation.tables.node_sums import (
    ARMS,
    LARGEST_TERM,
    Observed,
    ScaledArms,
    Units,
    add_observations,
    carry_over,
)
from quickdraw_bandits.interpolation.tables.nodes import TimeNodes
from quickdraw_bandits.numerics.distances import METRIC_CODES
from quickdraw_bandits.numerics.threads import in_parts
from quickdraw_bandits.observations import Observations

RECENT = 16
"""Observations that the lowest level leaves out when it is made; up to twice as many are summed every round."""
SHORTEST = 1e-250
"""A stretch must not be shorter, lest its parts underflow."""
ERROR_OF_NODES = 5e-5
"""Relative error that comparing coordinates in float32, or taking the far past for straight lines, may add."""
BACK_FADES = 0.9
"""Part of how far the clock went back that is still reckoned with at the next choice: stretches start earlier by it."""
LARGEST_SPREAD = 10.0
"""How far rewards may leave the range that they had when tables were made, in halves of it."""


@dataclass
class Level:
    """The sums over the first ``included`` observations, for every arm and for a stretch of time from ``start`` on.

    ``error`` bounds the relative error of every precision in them, rounding left aside.
    """

    included: int
    start: float
    length: float
    error: float
    tables: NDArray[np.float32] = field(repr=False)
    served: int = 0


def left_out(number: int) -> int:
    """Return how many of the latest observations a level leaves out when it is made."""
    return RECENT << number


def top_number(n: int) -> int:
    """Return the number of the highest level for ``n`` observations: it has at least half of them."""
    return max(0, (n // (2 * RECENT)).bit_length() - 1)


def serves(level: Level, number: int, time: float, n: int) -> bool:
    """Tell whether a level's sums hold at ``time`` and leave out few enough of ``n`` observations."""
    return 0 <= time - level.start <= level.length and n - level.included <= 2 * left_out(number)


class Levels:
    """Tables of sums over all but the latest observations, on stretches of time that grow with their age.

    As a function of time, the precision of an observation changes on the scale of its age. Level j has the sums over
    all but the latest 16 · 2^j observations, at a few Chebyshev nodes of a stretch about as long as they are old. It
    is made from the level above, which is a polynomial on a longer stretch and so is carried over without error, and
    from the observations in between. A choice needs only the lowest level and the latest observations. Every level
    takes a few kernel evaluations per arm and round.

    Parameters
    ----------
    arms
        The arms.
    kernel
        The parameters of the interpolation, with a time scale.
    observations
        The policy's store.
    """

    def __init__(self, arms: Arms, kernel: Kernel, observations: Observations) -> None:
        assert kernel.time_scale is not None
        self._kernel = kernel
        self._seen = observations
        self.nodes = TimeNodes(kernel.sharpness)
        rho = kernel.noise_variance**0.5
        self.units = Units(kernel.time_scale * rho, 0.0, 0.0)
        self._geometry = Geometry(arms)
        weight = (1 / (arms.unit * kernel.length_scale * rho)) ** 2
        self.arms = ScaledArms(METRIC_CODES[arms.metric], arms.points, self._geometry.centre, weight)
        self._node_error = ERROR_OF_NODES / self.nodes.growth
        self._far = FarPast(
            arms, self._geometry.centre, self._geometry.radius, weight, kernel.sharpness, self._node_error
        )
        self._latest: Floats = np.empty(0)  # the latest time among the first observations, for every number of them
        self._indexed = 0
        sums = {"euclidean": 1 / 8, "cosine": 2 / 8}.get(arms.metric, 0.0) * arms.dimension
        self._once = (8 + sums) * kernel.sharpness + 28
        self._levels: dict[int, Level] = {}
        self._waiting = 0
        self._last = np.inf
        self._back = 0.0  # how far the clock went back lately, as that of several threads does
        self._reuse = True
        self._none = np.empty((0, 2, len(arms)), dtype=np.float32)

    @property
    def kernel(self) -> Kernel:
        """The parameters of the interpolation."""
        return self._kernel

    def fork(self) -> Self:
        """Return a copy that can be advanced without changing this one; tables are shared, not copied."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._levels = {number: replace(level) for number, level in self._levels.items()}
        twin._reuse = False
        return twin

    def extend(self) -> None:
        """Take in the observations that are new in the store."""
        seen, before = self._seen, self._indexed
        if len(self._latest) < len(seen.times):
            self._latest = np.concatenate([self._latest[:before], np.empty(len(seen.times) - before)])
        if seen.n == before + 1:
            time = seen.times[before]
            self._latest[before] = max(time, self._latest[before - 1]) if before else time
        else:
            new = np.maximum.accumulate(seen.times[before : seen.n])
            self._latest[before : seen.n] = np.maximum(new, self._latest[before - 1]) if before else new
        self._indexed = seen.n

    def advance(self, time: float) -> tuple[int, float, NDArray[np.float32]]:
        """Make the lowest level serve at ``time``.

        Return how many observations it includes, where the time lies on its stretch scaled to [-1, 1], and its tables.
        """
        self._set_units()
        if self._last < np.inf:
            self._back = max(self._last - time, BACK_FADES * self._back)
        self._last = time
        self._set_levels(time)
        level = self._levels.get(0)
        if level is None:
            return 0, 0.0, self._none
        u = 2 * (time - level.start) / level.length - 1 if level.length else 0.0
        return level.included, u, level.tables

    @property
    def error(self) -> float:
        """A bound of the relative error of every precision, and so of their sums, at the time last asked about.

        Rounding in float32, in units of u: of every term and of sums over up to 32 of them (``once``), and two of every
        level's tables, all of which interpolation can enlarge; and of the sum over tables and the latest observations.
        A squared distance is a sum over eighths of the coordinates, is squared by cosine, and counts p times.
        """
        level = self._levels.get(0)
        rounding = (self._once + 2 * len(self._levels) + len(self.nodes)) * self.nodes.growth + 2 * RECENT + 8
        return float(rounding * UNIT_ROUNDOFF) + (self.nodes.error + level.error if level else 0.0)

    def _set_units(self) -> None:
        """Count rewards from the middle of their range, in halves of it, until they leave it by far."""
        seen, units = self._seen, self.units
        farthest = max(seen.largest_reward - units.centre, units.centre - seen.least_reward)
        if units.half == 0 or not farthest <= LARGEST_SPREAD * units.half:
            half = seen.largest_reward / 2 - seen.least_reward / 2
            self.units = Units(units.time, seen.least_reward + half, half if half > 0 else 1.0)
            self._levels.clear()

    def _set_levels(self, time: float) -> None:
        """Make the lowest level serve at ``time``, and all above that are needed for it."""
        n = self._seen.n
        lowest = self._levels.get(0)
        if lowest and serves(lowest, 0, time, n):
            lowest.served += 1
            return
        if n <= 2 * RECENT:
            self._levels.clear()
            return
        if lowest and lowest.length and lowest.served < 2:
            # The clock jumps, or many observations arrive at once: making sums for a while ahead was not worth it.
            self._waiting = len(self.nodes)
        number, parent = self._lowest_parent(time)
        if self._waiting:
            self._waiting -= 1
        else:
            while number > 0:
                level = self._make(time, number - 1, parent)
                if level is None:
                    break
                number, parent = number - 1, level
                self._levels[number] = level
            else:
                return
        self._levels[0] = self._make_moment(time, parent)

    def _lowest_parent(self, time: float) -> tuple[int, Level | None]:
        """Return the lowest level above 0 that serves for long enough to make others from it, and its number."""
        top = top_number(self._seen.n)
        # Levels are of no use where all that they would hold is far.
        near = self._seen.n - self._far_count(time, self._seen.n)
        while top > 0 and near <= left_out(top):
            top -= 1
        for number in [number for number in self._levels if number > top]:
            del self._levels[number]
        for number in range(1, top + 1):
            level = self._levels.get(number)
            if level and serves(level, number, time, self._seen.n):
                left = level.length - (time - level.start)
                if 8 * left >= level.length:
                    return number, level
        return top + 1, None

    def _make(self, time: float, number: int, parent: Level | None) -> Level | None:
        """Return a level for the stretch ahead, or None where observations are not in the past."""
        included = max(self._seen.n - left_out(number), parent.included if parent else 0)
        start, length = self._stretch(time - self._back, included, parent)
        if self._back and not 2 * self._back < length:
            start, length = self._stretch(time, included, parent)
        if not SHORTEST < length < np.inf:
            return None
        return self._sum(number, included, start, length, self.nodes.after_start(length), parent)

    def _stretch(self, start: float, included: int, parent: Level | None) -> tuple[float, float]:
        """Return where a stretch starts, not before its parent's, and how long it can be."""
        if parent:
            start = max(start, parent.start)
        length = self.nodes.share * (start - float(self._latest[included - 1]))
        return start, min(length, parent.length - (start - parent.start)) if parent else length

    def _make_moment(self, time: float, parent: Level | None) -> Level:
        """Return a level for this moment alone."""
        included = max(self._seen.n - RECENT, parent.included if parent else 0)
        return self._sum(0, included, time, 0.0, np.zeros(1), parent)

    def _sum(
        self, number: int, included: int, time: float, length: float, after: Floats, parent: Level | None
    ) -> Level:
        """Return a level with tables at ``time + after``, from its parent's and from the observations since."""
        old, seen = self._levels.get(number), self._seen
        shape = (len(after), 2, len(self.arms.points))
        reuse = self._reuse and old and old.tables.shape == shape
        tables = old.tables if old and reuse else np.empty(shape, dtype=np.float32)
        error = 0.0
        if parent:
            begin, error = parent.included, parent.error
            moments = 2 * (time - parent.start + after) / parent.length - 1
            carry_over(parent.tables, self.nodes.places, self.nodes.weights, moments, tables)
        else:
            begin = self._far_count(time, included)
            if begin:
                ages = (time - seen.times[:begin]) + after[:, None]
                self._far.fill(seen.coordinates[:, :begin], self._terms(ages), self._paid(0, begin), tables)
                error = ERROR_OF_NODES
            else:
                tables[:] = 0
        if begin < included:
            error = max(error, self._add(tables, begin, included, time, after))
        return Level(included, time, length, error, tables)

    def _add(self, tables: NDArray[np.float32], begin: int, end: int, time: float, after: Floats) -> float:
        """Add the observations from ``begin`` to ``end`` to tables at ``time + after``; return the error it adds."""
        seen, sharpness, arms = self._seen, self._kernel.sharpness, self.arms
        age = max(time - float(seen.times[begin:end].max()), 0.0) + float(after[-1])  # the nodes go back in time
        narrowing = self._geometry.narrowing(arms.weight, 1 + (age / self.units.time) ** 2, sharpness)
        narrow = narrowing <= self._node_error
        places = np.empty((end - begin, len(arms.centre)), dtype=np.float32 if narrow else np.float64)
        np.subtract(seen.coordinates[:, begin:end].T, arms.centre, out=places, casting="same_kind")
        observed = Observed(places, seen.arms[begin:end], seen.times[begin:end], seen.rewards[begin:end])
        in_parts(
            partial(add_observations, arms, observed, time, after, self.units, sharpness, tables),
            tables.shape[2],
            (end - begin) * len(after) * tables.shape[2],
            ARMS,
        )
        return narrowing * self.nodes.growth if narrow else 0.0

    def _far_count(self, time: float, n: int) -> int:
        """Return how many of the first ``n`` observations are in the far past, together with all before them."""
        # Rounded down, lest observations of this very moment count as far where the clock cannot tell so short a time.
        latest = np.nextafter(time - self._far.least_age * self.units.time, -np.inf)
        return int(np.searchsorted(self._latest[:n], latest, side="right"))

    def _terms(self, ages: Floats) -> Floats:
        """Return 1 + (age / (l_t rho))²."""
        with np.errstate(over="ignore"):
            return np.asarray(np.minimum(1.0 + np.square(ages / self.units.time), LARGEST_TERM))

    def _paid(self, begin: int, end: int) -> Floats:
        return np.asarray((self._seen.rewards[begin:end] - self.units.centre) / self.units.half)
