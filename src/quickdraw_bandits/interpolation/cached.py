"""The cached engine: any metric and dimension; a round hardly depends on how long the history is."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation import compiled, compiled_cache
from quickdraw_bandits.interpolation.compiled_cache import LARGEST_TERM
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.far_past import FarPast
from quickdraw_bandits.interpolation.geometry import Geometry
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.plain import upper_bound
from quickdraw_bandits.interpolation.time_levels import (
    RECENT,
    SHORTEST,
    ChebyshevNodes,
    Level,
    left_out,
    serves,
    top_number,
)
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.observations import Observations

UNIT_ROUNDOFF = 2.0**-24
ERROR_OF_NODES = 5e-5
"""Relative error that comparing coordinates in float32, or taking the far past for straight lines, may add."""
SMALLEST_SHARE = 1e-30
"""Sums of precisions below this, an observation, may have lost what float32 cannot hold."""
LOWEST_INDEX = float(np.finfo(np.float32).min)
LARGEST_SPREAD = 10.0
"""How far rewards may leave the range that they had when tables were made, in halves of it."""


class CachedEngine(Engine):
    """An arm whose index is within ``tolerance`` of the largest, from sums that are kept for every arm.

    As a function of time, the precision of an observation changes on the scale of its age. Level j has the sums over
    all but the latest 16 · 2^j observations, at a few Chebyshev nodes of a stretch about as long as they are old. It is
    made from the level above, which is a polynomial on a longer stretch and so is carried over without error, and from
    the observations in between. A round needs only the lowest level, and the latest observations, whose distances from
    all arms are kept. Every level takes a few kernel evaluations for every arm and round.

    If every precision is known to a relative error e, S0 is off by at most e S0, and S1, with rewards counted from the
    middle of their range of half width H, by at most e S0 H. Hence the mean is off by at most 2 e H / (1 - e) and the
    deviation by a factor 1 ± e / (1 - e). Where these bounds leave it open whether the arm found is within the
    tolerance, those that could be better are summed directly.

    Parameters
    ----------
    arms
        The arms.
    kernel
        The parameters, with a time scale.
    tolerance
        How far from the largest the index of the chosen arm may be.
    """

    def __init__(self, arms: Arms, kernel: Kernel, tolerance: float, observations: Observations) -> None:
        assert kernel.time_scale is not None
        super().__init__(observations)
        self._arms = arms
        self._kernel = kernel
        self._tolerance = tolerance
        self._direct = DirectSum(arms, kernel, observations)
        self._metric = compiled.METRIC_CODES[arms.metric]
        self._rho = kernel.noise_variance**0.5
        self._time_unit = kernel.time_scale * self._rho
        self._weight = (1 / (arms.unit * kernel.length_scale * self._rho)) ** 2
        self._nodes = ChebyshevNodes(kernel.sharpness)
        self._geometry = Geometry(arms)
        self._node_error = ERROR_OF_NODES / self._nodes.growth
        self._far = FarPast(
            arms, self._geometry.centre, self._geometry.radius, self._weight, kernel.sharpness, self._node_error
        )
        self._levels: dict[int, Level] = {}
        self._waiting = 0
        self._latest: Floats = np.empty(0)
        self._indexed = 0
        self._known = 0
        # Row s % (2 RECENT) has the distances from observation s, which is among the latest.
        self._squared = np.empty((2 * RECENT, len(arms)), dtype=np.float32)
        self._index = np.empty(len(arms), dtype=np.float32)
        self._centre, self._half = 0.0, 0.0

    def extend(self) -> None:
        """Take in the observations that are new in the store."""
        seen, before = self._seen, self._indexed
        if len(self._latest) < len(seen.times):
            self._latest = np.concatenate([self._latest[:before], np.empty(len(seen.times) - before)])
        new = np.maximum.accumulate(seen.times[before : seen.n])
        self._latest[before : seen.n] = np.maximum(new, self._latest[before - 1]) if before else new
        self._indexed = seen.n

    def estimate(self, time: float, arms: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them, summed directly in float64."""
        return self._direct.estimate(time, self._arms.points if arms is None else self._arms.points[arms])

    def best(self, time: float, gamma: float, cap: float) -> Integers:
        """Return arms whose index min(mu + gamma Sigma, cap) is within the tolerance of the largest."""
        seen, p = self._seen, self._kernel.sharpness
        self._set_units()
        if not np.isfinite(self._half):
            return self._directly(np.arange(len(self._arms)), time, gamma, cap)
        self._set_levels(time)
        level = self._levels.get(0)
        included = level.included if level else 0
        self._set_distances(included)
        best = compiled_cache.play_round(
            level.tables if level else np.empty((0, 2, len(self._arms)), dtype=np.float32),
            self._basis(level, time),
            self._squared,
            np.arange(included, seen.n) % len(self._squared),
            self._terms(time - seen.times[included : seen.n]).astype(np.float32),
            self._paid(included, seen.n).astype(np.float32),
            gamma * self._rho / self._half,
            p,
            SMALLEST_SHARE * seen.n,
            self._index,
        )
        if not np.isfinite(best):
            return self._directly(np.arange(len(self._arms)), time, gamma, cap)
        error = self._error(level)
        slack = error / (1 - error)
        spread = max(seen.largest_reward - self._centre, self._centre - seen.least_reward) / self._half
        limit = (cap - self._centre) / self._half
        # Both bounds grow with the index, so that the largest of each are those at the largest index. The deviation is
        # the index less the mean, and the mean is at least -spread.
        margin = slack * (2 * spread + max(best + spread, 0.0))
        high, low = min(best + margin, limit), min(best - margin, limit)
        tolerance = self._tolerance / self._half
        if self._index.max() < np.inf and high - low <= tolerance:
            # The least index whose lower bound is within the tolerance of the cap; for some at the cap it may not be.
            surely = max(limit - tolerance + 2 * slack * spread, (limit - tolerance + 3 * slack * spread) / (1 - slack))
            return self._from(min(best, max(limit, surely)))
        # The least index whose upper bound reaches ``low``, less a rounding error of its own.
        least = min(low - 2 * slack * spread, (low - 3 * slack * spread) / (1 + slack))
        return self._directly(self._from(least - 1e-6 * abs(least)), time, gamma, cap)

    def _from(self, least: float) -> Integers:
        """Return the arms whose index is at least so much, in units of the rewards."""
        return np.flatnonzero(self._index >= max(least, LOWEST_INDEX))

    def _directly(self, arms: Integers, time: float, gamma: float, cap: float) -> Integers:
        mean, std = self.estimate(time, arms)
        return arms[argmaxes(upper_bound(mean, std, gamma, cap))]

    def _set_units(self) -> None:
        """Count rewards from the middle of their range, in halves of it, until they leave it by far."""
        seen = self._seen
        farthest = max(seen.largest_reward - self._centre, self._centre - seen.least_reward)
        if self._half == 0 or not farthest <= LARGEST_SPREAD * self._half:
            half = seen.largest_reward / 2 - seen.least_reward / 2
            self._centre = seen.least_reward + half
            self._half = half if half > 0 else 1.0
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
            # The clock jumps, or observations come in crowds: making sums for a while ahead did not pay.
            self._waiting = len(self._nodes)
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
        length = self._nodes.share * (time - float(self._latest[included - 1]))
        if parent:
            length = min(length, parent.length - (time - parent.start))
        if not SHORTEST < length < np.inf:
            return None
        return self._sum(number, included, time, length, self._nodes.after_start(length), parent)

    def _make_moment(self, time: float, parent: Level | None) -> Level:
        """Return a level for this moment alone."""
        included = max(self._seen.n - RECENT, parent.included if parent else 0)
        return self._sum(0, included, time, 0.0, np.zeros(1), parent)

    def _sum(
        self, number: int, included: int, time: float, length: float, after: Floats, parent: Level | None
    ) -> Level:
        """Return a level with tables at ``time + after``, from its parent's and from the observations since."""
        old, seen = self._levels.get(number), self._seen
        shape = (len(after), 2, len(self._arms))
        tables = old.tables if old and old.tables.shape == shape else np.empty(shape, dtype=np.float32)
        error = 0.0
        if parent:
            begin, error = parent.included, parent.error
            weights = self._nodes.basis(time - parent.start + after, parent.length)
            compiled_cache.carry_over(parent.tables, weights, tables)
        else:
            begin = self._far_count(time, included)
            if begin:
                ages = (time - seen.times[:begin]) + after[:, None]
                self._far.fill(seen.coordinates[:, :begin], self._terms(ages), self._paid(0, begin), tables)
                error = ERROR_OF_NODES
            else:
                tables[:] = 0
        if begin < included:
            terms = self._terms((time - seen.times[begin:included]) + after[:, None])
            narrowing = self._geometry.narrowing(self._weight, float(terms.min()), self._kernel.sharpness)
            narrow = narrowing <= self._node_error
            if narrow:
                error = max(error, narrowing * self._nodes.growth)
            compiled_cache.add_observations(
                self._metric,
                self._arms.points,
                self._geometry.centre,
                seen.coordinates,
                seen.arms,
                begin,
                included,
                terms.astype(np.float32),
                self._paid(begin, included).astype(np.float32),
                self._weight,
                self._kernel.sharpness,
                tables,
                np.empty(0, dtype=np.float32 if narrow else np.float64),
            )
        return Level(included, time, length, error, tables)

    def _far_count(self, time: float, n: int) -> int:
        """Return how many of the first ``n`` observations are in the far past, together with all before them."""
        # Rounded down, lest observations of this very moment count as far where the clock cannot tell so short a time.
        latest = np.nextafter(time - self._far.least_age * self._time_unit, -np.inf)
        return int(np.searchsorted(self._latest[:n], latest, side="right"))

    def _set_distances(self, included: int) -> None:
        """Find the distances from all arms to the latest observations, where they are not known yet."""
        seen = self._seen
        for s in range(max(self._known, included), seen.n):
            row = self._squared[s % len(self._squared)]
            compiled_cache.distances_from(
                self._metric, self._arms.points, seen.coordinates, seen.arms, s, self._weight, row
            )
        self._known = seen.n

    def _basis(self, level: Level | None, time: float) -> Floats:
        """Return the weights of a level's tables at ``time``."""
        if level is None:
            return np.empty(0)
        if not level.length:
            return np.ones(1)
        return np.asarray(self._nodes.basis(np.array([time - level.start]), level.length)[0])

    def _terms(self, ages: Floats) -> Floats:
        """Return 1 + (age / (l_t rho))²."""
        with np.errstate(over="ignore"):
            return np.asarray(np.minimum(1.0 + np.square(ages / self._time_unit), LARGEST_TERM))

    def _paid(self, begin: int, end: int) -> Floats:
        return np.asarray((self._seen.rewards[begin:end] - self._centre) / self._half)

    def _error(self, level: Level | None) -> float:
        """Return a bound of the relative error of every precision, and so of their sums.

        Rounding in float32, in units of u: of every term and of sums over up to 32 of them (``once``), and two of every
        level's tables, all of which interpolation can enlarge; and of the sum over tables and the latest observations.
        A squared distance is a sum over eighths of the coordinates, is squared by cosine, and counts p times.
        """
        sums = {"euclidean": 1 / 8, "cosine": 2 / 8}.get(self._arms.metric, 0.0) * self._arms.dimension
        once = (8 + sums) * self._kernel.sharpness + 28
        rounding = (once + 2 * len(self._levels) + len(self._nodes)) * self._nodes.growth + 2 * RECENT + 8
        return float(rounding * UNIT_ROUNDOFF) + (self._nodes.error + level.error if level else 0.0)
