"""The tables engine: any metric and dimension; a round hardly depends on how long the history is."""

import copy
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.metrics import Points
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation import aside
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.engines.tables.arm_index import LOWEST, ROUND, index_at_arms
from quickdraw_bandits.interpolation.engines.tables.highest import HIGHEST, highest_of_parts, surely_above
from quickdraw_bandits.interpolation.engines.tables.level import Served
from quickdraw_bandits.interpolation.engines.tables.levels import Levels
from quickdraw_bandits.interpolation.engines.tables.moment import Asked, Moment, Places
from quickdraw_bandits.interpolation.engines.tables.node_sums import measure
from quickdraw_bandits.interpolation.engines.tables.turns import RECENT
from quickdraw_bandits.interpolation.index import TIE
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.limits import FREE, Limits, PendingPulls, best_below
from quickdraw_bandits.interpolation.reference import upper_bound
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.observations import Observations

SMALLEST_SHARE = 1e-30
"""Sums of precisions below this, an observation, may have lost what float32 cannot hold."""
MOST_SUMMED = 2_000_000
"""Arms times observations up to which arms in question are summed directly, though a tolerance is allowed."""
WORK_PER_ARM = 100
"""Kernel evaluations that take as long as to read the tables of an arm."""
MOST_AT_ONCE = 4096
"""Arms that may still be the best up to which pending pulls are counted at all of them."""
LEAST_DEVIATION = 1e-30
"""What is taken for a deviation that is lost in the rounding of the index."""
BEYOND_FLOAT32 = 1e30
"""Numbers from here on leave the range of float32 when they are added or multiplied by others."""


class TablesEngine(Engine):
    """The arms of the largest index, from sums that are kept for every arm.

    Sums over old observations are in tables (``Levels``); the latest ones are summed for every choice. From these, the
    index is bounded at every arm in float32. If every precision is known to a relative error e, S0 is off by at most
    e S0, and S1, with rewards counted from the middle of their range of half width H, by at most e S0 H. Hence the mean
    is off by at most 2 e H / (1 - e) and the deviation by a factor 1 ± e / (1 - e). Where these bounds leave open
    which arm to choose, those that could be the best are summed directly in float64.

    Parameters
    ----------
    arms
        The arms.
    kernel
        The parameters of the interpolation, with a time scale.
    tolerance
        How far below the largest the index of the chosen arm may be. 0 is exact: all arms of the largest index are
        found, up to rounding in float64. With a larger one, fewer arms are summed directly.
    observations
        The policy's store.
    exact_until
        Observations up to which choices are exact all the same, by the same tables. Default 0. While compiled code is
        on its way (``aside``), they are exact for longer.
    """

    _is_fork = False
    _moment: tuple[Asked, Moment | None] | None = None

    def __init__(
        self, arms: Arms, kernel: Kernel, tolerance: float, observations: Observations, exact_until: int = 0
    ) -> None:
        super().__init__(observations)
        self._arms = arms
        self._sharpness = kernel.sharpness
        self._rho = kernel.noise_variance**0.5
        self._later_tolerance, self._exact_until = tolerance, exact_until
        self._tolerance = 0.0 if exact_until else tolerance
        if self._starts_exact:
            aside.ask(arms.points)
        self._direct = DirectSum(arms, kernel, observations)
        self._levels = Levels(arms, kernel, observations)
        # Row s % (2 RECENT) has the distances from observation s, which is among the latest.
        self._squared = np.empty((2 * RECENT, len(arms)), dtype=np.float32)
        self._measured = 0
        self._index = np.empty(len(arms), dtype=np.float32)

    @property
    def slack(self) -> float:
        """How far below the largest index those of the best arms may be."""
        return self._tolerance

    @property
    def work(self) -> int:
        """About how many kernel evaluations in float32 take as long as a choice among all arms."""
        return WORK_PER_ARM * len(self._arms)

    @property
    def _starts_exact(self) -> bool:
        """Whether choices are exact, or were at first and may be so for longer, while compiled code is on its way."""
        return not self._tolerance or self._exact_until > 0

    def extend(self) -> None:
        """Take in the observations that are new in the store."""
        if self._seen.n > self._exact_until:
            self._tolerance = self._later_tolerance
        self._levels.extend()

    def covers(self, points: Points) -> bool:
        """Tell whether observations at these points may come: error bounds hold in the bounding box of the arms."""
        if self._arms.metric != "euclidean":
            return True
        low, high = self._arms.extent
        return bool((points >= low).all() and (points <= high).all())

    def hold_back(self) -> None:
        """Keep nothing for choices after the next one: there may be none."""
        self._levels.hold_back()

    def estimate(self, time: float, arms: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them, summed directly in float64."""
        return self._direct.estimate(time, self._arms.points, arms)

    def best(self, time: float, gamma: float, cap: float, keep: bool = False, limits: Limits = FREE) -> Integers:
        """Return all arms that ``choose`` may return, in ascending order; ``keep`` the tables made to find them."""
        seen, pending = self._seen, limits.pending
        if self._starts_exact and aside.serves(self._arms.points, len(self._arms) * seen.n):
            if keep and seen.n > 2 * RECENT:
                self._levels.plan(time)  # later choices find the same tables
            return self._directly(time, gamma, cap, limits)
        levels = self._levels if keep else self._levels.fork()
        if pending is not None and keep and self._is_fork and gamma > 0 and len(self._arms) <= MOST_AT_ONCE:
            moment = self._moment_of(Asked(time, gamma, cap, seen.n))
            if moment is not None:
                return moment.best(pending, limits.among)
        if seen.n <= 2 * RECENT and (pending is not None or not self._tolerance):  # no tables yet: nothing to gain
            return self._directly(time, gamma, cap, limits)
        best = self._fill_index(levels, time, gamma)
        if limits.among is not None:
            self._index[~limits.among.mask] = -np.inf
            finite = self._index[self._index < np.inf]
            best = float(finite.max()) if len(finite) else np.inf
        if not abs(best) < BEYOND_FLOAT32:
            return self._directly(time, gamma, cap, limits)
        units = levels.units
        spread = max(seen.largest_reward - units.centre, units.centre - seen.least_reward) / units.half
        if pending is None:
            return self._best(levels, best, spread, time, gamma, cap)
        return self._best_with_pending(levels, best, spread, time, gamma, cap, pending)

    def _best_with_pending(
        self, levels: Levels, best: float, spread: float, time: float, gamma: float, cap: float, pending: PendingPulls
    ) -> Integers:
        """Return the best arms with pending pulls, which add to the precisions of the tables.

        The relative error of Sigma does not grow by what is added to the precision.
        """

        def exactly(some: Integers) -> Floats:
            return self.index_at(time, some, gamma, cap, pending)

        def nearly(some: Integers) -> Floats:
            mean, deviation = self._mean_and_deviation(levels, some, time, gamma)
            values = upper_bound(mean, pending.lowered(time, some, deviation), gamma, cap)
            values[self._index[some] == -np.inf] = -np.inf  # arms that may not be chosen
            return values

        def bounds() -> Floats:
            return self._index.astype(np.float64) * units.half + (units.centre + error)

        units, tolerance, error = levels.units, self._tolerance, self._margin(levels, best, spread)
        if gamma == 0 or self._index.max() == np.inf:
            return best_below(bounds(), exactly, cap, tolerance)
        # The best of some arms tells which others can be better: few, unless very many are nearly as good.
        known = highest_of_parts(self._index)
        values = nearly(known)
        some = self._is_from((values.max() - 2 * error - units.centre) / units.half).nonzero()[0]
        if not 0 < len(some) <= MOST_AT_ONCE:  # none, where rewards are too small for float32
            return best_below(bounds(), exactly, cap, tolerance)
        places = np.minimum(np.searchsorted(known, some), len(known) - 1)
        values = values[places] if (known[places] == some).all() else nearly(some)
        if 2 * error <= tolerance:
            return some[argmaxes(values)]
        candidates = some[values >= values.max() - 2 * error]
        best_of: Integers = candidates[argmaxes(exactly(candidates))]
        return best_of

    def _mean_and_deviation(self, levels: Levels, some: Integers, time: float, gamma: float) -> tuple[Floats, Floats]:
        """Return both at some arms, in ascending order, whose index is known; each is as close as the index is."""
        units, mean = levels.units, np.empty(len(some), dtype=np.float32)
        for block in levels.serving:
            if len(some) == len(self._index):
                self._fill_block(levels, block, self._squared, time, 0.0, mean[block.first : block.last])
                continue
            here = slice(*np.searchsorted(some, [block.first, block.last]))
            within = some[here]
            if len(within):
                tables = np.ascontiguousarray(block.tables[:, :, within - block.first])
                squared = np.ascontiguousarray(self._squared[:, within])
                self._fill_block(levels, block._replace(first=0, tables=tables), squared, time, 0.0, mean[here])
        deviation = np.maximum(self._index[some] - mean.astype(np.float64), LEAST_DEVIATION) * (units.half / gamma)
        return mean.astype(np.float64) * units.half + units.centre, deviation

    def _moment_of(self, asked: Asked) -> Moment | None:
        """Return what is kept for several choices at one time, None where sums leave the range of float32."""
        if self._moment is None or self._moment[0] != asked:
            self._moment = asked, self._new_moment(asked) if asked.n > 2 * RECENT else None
        return self._moment[1]

    @cached_property
    def _places(self) -> Places:
        return Places.of(self._arms)

    def _new_moment(self, asked: Asked) -> Moment | None:
        levels, seen, time = self._levels, self._seen, asked.time
        best = self._fill_index(levels, time, asked.gamma)
        if not abs(best) < BEYOND_FLOAT32 or self._index.max() == np.inf:
            return None
        units = levels.units
        spread = max(seen.largest_reward - units.centre, units.centre - seen.least_reward) / units.half
        error = self._margin(levels, min(best, (asked.cap - units.centre) / units.half), spread)
        mean, deviation = self._mean_and_deviation(levels, np.arange(len(self._arms)), time, asked.gamma)
        # Many choices together must not wait for sums over very many observations: there, tables alone decide.
        enough = error <= self._tolerance * max(1.0, units.half)
        enough |= self._tolerance > 0 and len(self._arms) * seen.n > MOST_SUMMED
        estimate = None if enough else lambda some: self.estimate(time, some)
        return Moment(asked, self._arms, levels.kernel, self._places, mean, deviation, error, estimate)

    def forked(self) -> Engine:
        """Return an engine with a fork of the tables, which keeps what several choices at one time share.

        While pulls are pending, its choices are within twice the later tolerance, times half the range of rewards if
        that is more than 1. With very many observations, they are within twice the error of the tables: a thousandth of
        the range, and more where the largest index is far above all rewards.
        """
        twin = copy.copy(self)
        twin._tolerance = self._later_tolerance
        twin._levels = self._levels.fork()
        self._levels.inherit_from(twin._levels)
        twin._is_fork, twin._moment = True, None
        return twin

    def tidy(self, time: float, later: bool = False) -> None:
        """Make the tables that serve at ``time``."""
        if self._levels.stands_at(time):
            return
        if later:
            self._levels.plan(time)
        else:
            self._levels.advance(time)

    def _margin(self, levels: Levels, best: float, spread: float) -> float:
        """Return how far the index in float32 may be off at any arm; that of the largest suffices for all."""
        slack = levels.error / (1 - levels.error)
        return (slack * (2 * spread + max(best + spread, 0.0)) + 1e-6 * (abs(best) + spread)) * levels.units.half

    def _best(self, levels: Levels, best: float, spread: float, time: float, gamma: float, cap: float) -> Integers:
        """Return the best arms from the index at every arm, of which ``best`` is the largest."""
        error, units = levels.error, levels.units
        slack = error / (1 - error)
        limit = (cap - units.centre) / units.half
        tolerance = self._tolerance / units.half
        # Both bounds grow with the index, so that the largest of each are those at the largest index. The deviation is
        # the index less the mean, and the mean is at least -spread.
        margin = slack * (2 * spread + max(best + spread, 0.0))
        high, low = min(best + margin, limit), min(best - margin, limit)
        if tolerance and high - low <= tolerance and self._index.max() < np.inf:
            # Some of the arms at the cap may not be within the tolerance of it.
            least = min(best, max(limit, surely_above(limit - tolerance, slack, spread)))
            return self._is_from(least).nonzero()[0]
        # The least index whose upper bound reaches ``low``. The index itself is rounded, too, and ties are within it.
        rounding = 1e-6 * (abs(best) + spread) + 2 * TIE * abs(units.centre) / units.half
        least = min(low - 2 * slack * spread, (low - 3 * slack * spread) / (1 + slack)) - rounding
        candidates = self._is_from(least).nonzero()[0]
        at_cap = surely_above(limit, slack, spread) + rounding
        long = self._tolerance > 0 and len(candidates) * self._seen.n > MOST_SUMMED
        if best < at_cap:
            if long:
                candidates = self._fewer(candidates, (margin + rounding) * units.half, time, gamma, cap)
            return self._direct.best(time, self._arms.points, candidates, gamma, cap)
        # All from here on reach the cap; of the others, those that a direct sum takes there.
        sure = (self._is_from(at_cap) & (self._index < np.inf))[candidates]
        if long and sure.any():
            return candidates[sure]
        others = candidates[~sure]
        reach = upper_bound(*self.estimate(time, others), gamma, cap) >= cap - TIE * abs(cap)
        return np.union1d(candidates[sure], others[reach])

    def _fewer(self, candidates: Integers, margin: float, time: float, gamma: float, cap: float) -> Integers:
        """Leave out candidates that are no better than the best of a few by more than the tolerance.

        ``margin`` bounds how far below its true value an index in float32 may be, in units of the rewards.
        """
        units = self._levels.units
        highest = candidates[np.argsort(-self._index[candidates], kind="stable")[:HIGHEST]]
        known = float(upper_bound(*self.estimate(time, highest), gamma, cap).max())
        least = (known + self._tolerance - margin - units.centre) / units.half
        return np.union1d(highest, candidates[self._index[candidates] >= least])

    def _fill_index(self, levels: Levels, time: float, gamma: float) -> float:
        """Set the index at every arm in units of the rewards, not capped; return the largest.

        It is infinite where deviations are beyond the range of float32 in these units.
        """
        seen = self._seen
        blocks = levels.advance(time)
        gamma_here = gamma * self._rho / levels.units.half
        if not gamma_here < BEYOND_FLOAT32:
            return np.inf
        known = max(self._measured, seen.n - 2 * RECENT)
        if known < seen.n:
            arms, places = levels.arms, np.ascontiguousarray(seen.coordinates[:, known : seen.n].T)
            measure(arms.metric, arms.points, arms.weight, places, seen.arms[known : seen.n], known, self._squared)
            self._measured = seen.n
        best = -np.inf
        for block in blocks:
            out = self._index[block.first : block.last]
            best = max(best, self._fill_block(levels, block, self._squared, time, gamma_here, out))
        return best

    def _fill_block(
        self,
        levels: Levels,
        block: Served,
        squared: NDArray[np.float32],
        time: float,
        gamma: float,
        out: NDArray[np.float32],
    ) -> float:
        """Fill ``out`` with the index at the arms of a block; return the largest. ``gamma`` has their units."""
        seen, nodes = self._seen, levels.nodes
        enough = SMALLEST_SHARE * seen.n
        asked = (time, block.first, block.included, seen.n, block.u, *levels.units, gamma, self._sharpness, enough)
        rounds = np.array([asked], dtype=ROUND)
        tables = block.tables, nodes.places, nodes.weights
        return float(index_at_arms(*tables, squared, seen.times, seen.rewards, rounds, out))

    def _is_from(self, least: float) -> NDArray[np.bool_]:
        """Tell for every arm whether its index is at least so much."""
        return self._index >= np.float32(max(least, float(LOWEST)))

    def _directly(self, time: float, gamma: float, cap: float, limits: Limits) -> Integers:
        """Return the best of the arms that may be chosen, from sums at each of them."""
        some = limits.positions(len(self._arms))
        if limits.pending is None:
            return self._direct.best(time, self._arms.points, some, gamma, cap)
        return some[argmaxes(self.index_at(time, some, gamma, cap, limits.pending))]
