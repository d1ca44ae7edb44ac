"""The tables engine: any metric and dimension; a round hardly depends on how long the history is."""

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.index import TIE
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.reference import upper_bound
from quickdraw_bandits.interpolation.tables.arm_index import LOWEST, ROUND, index_at_arms
from quickdraw_bandits.interpolation.tables.levels import RECENT, Levels
from quickdraw_bandits.interpolation.tables.node_sums import measure
from quickdraw_bandits.observations import Observations

SMALLEST_SHARE = 1e-30
"""Sums of precisions below this, an observation, may have lost what float32 cannot hold."""
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
    """

    def __init__(self, arms: Arms, kernel: Kernel, tolerance: float, observations: Observations) -> None:
        super().__init__(observations)
        self._arms = arms
        self._sharpness = kernel.sharpness
        self._rho = kernel.noise_variance**0.5
        self._tolerance = tolerance
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

    def extend(self) -> None:
        """Take in the observations that are new in the store."""
        self._levels.extend()

    def estimate(self, time: float, arms: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them, summed directly in float64."""
        return self._direct.estimate(time, self._arms.points, arms)

    def best(self, time: float, gamma: float, cap: float, keep: bool = False) -> Integers:
        """Return all arms that ``choose`` may return, in ascending order; keep the tables made for it if asked to."""
        return self._best(self._levels if keep else self._levels.fork(), time, gamma, cap)

    def upper_bounds(self, time: float, gamma: float, keep: bool) -> Floats | None:
        """Return an upper bound of mu + gamma Sigma at every arm, from the tables."""
        seen, levels = self._seen, self._levels if keep else self._levels.fork()
        if seen.n <= 2 * RECENT:
            return None
        best = self._fill_index(levels, time, gamma)
        if not abs(best) < BEYOND_FLOAT32:
            return None
        units, slack = levels.units, levels.error / (1 - levels.error)
        spread = max(seen.largest_reward - units.centre, units.centre - seen.least_reward) / units.half
        index = self._index.astype(np.float64)
        margin = slack * (2 * spread + np.maximum(index + spread, 0.0)) + 1e-6 * (abs(best) + spread)
        return np.asarray((index + margin) * units.half + units.centre)

    def _best(self, levels: Levels, time: float, gamma: float, cap: float) -> Integers:
        """Return the best arms, from tables that are advanced to ``time``."""
        seen = self._seen
        if seen.n <= 2 * RECENT and not self._tolerance:  # no tables yet, so nothing to gain
            return self._directly(np.arange(len(self._arms)), time, gamma, cap)
        best = self._fill_index(levels, time, gamma)
        if not abs(best) < BEYOND_FLOAT32:
            return self._directly(np.arange(len(self._arms)), time, gamma, cap)
        error, units = levels.error, levels.units
        slack = error / (1 - error)
        spread = max(seen.largest_reward - units.centre, units.centre - seen.least_reward) / units.half
        limit = (cap - units.centre) / units.half
        tolerance = self._tolerance / units.half
        # Both bounds grow with the index, so that the largest of each are those at the largest index. The deviation is
        # the index less the mean, and the mean is at least -spread.
        margin = slack * (2 * spread + max(best + spread, 0.0))
        high, low = min(best + margin, limit), min(best - margin, limit)
        if tolerance and high - low <= tolerance and self._index.max() < np.inf:
            # Some of the arms at the cap may not be within the tolerance of it.
            least = min(best, max(limit, _surely_above(limit - tolerance, slack, spread)))
            return self._is_from(least).nonzero()[0]
        # The least index whose upper bound reaches ``low``. The index itself is rounded, too, and ties are within it.
        rounding = 1e-6 * (abs(best) + spread) + 2 * TIE * abs(units.centre) / units.half
        least = min(low - 2 * slack * spread, (low - 3 * slack * spread) / (1 + slack)) - rounding
        candidates = self._is_from(least).nonzero()[0]
        at_cap = _surely_above(limit, slack, spread) + rounding
        if best < at_cap:
            return self._directly(candidates, time, gamma, cap)
        # All from here on reach the cap; of the others, those that a direct sum takes there.
        sure = (self._is_from(at_cap) & (self._index < np.inf))[candidates]
        others = candidates[~sure]
        reach = upper_bound(*self.estimate(time, others), gamma, cap) >= cap - TIE * abs(cap)
        return np.union1d(candidates[sure], others[reach])

    def _fill_index(self, levels: Levels, time: float, gamma: float) -> float:
        """Set the index at every arm in units of the rewards, not capped; return the largest.

        It is infinite where deviations are beyond the range of float32 in these units.
        """
        seen, nodes = self._seen, levels.nodes
        begin, u, tables = levels.advance(time)
        gamma_here = gamma * self._rho / levels.units.half
        if not gamma_here < BEYOND_FLOAT32:
            return np.inf
        known = max(self._measured, seen.n - 2 * RECENT)
        if known < seen.n:
            arms, places = levels.arms, np.ascontiguousarray(seen.coordinates[:, known : seen.n].T)
            measure(arms.metric, arms.points, arms.weight, places, seen.arms[known : seen.n], known, self._squared)
            self._measured = seen.n
        asked = (time, begin, seen.n, u, *levels.units, gamma_here, self._sharpness, SMALLEST_SHARE * seen.n)
        return float(
            index_at_arms(
                tables,
                nodes.places,
                nodes.weights,
                self._squared,
                seen.times,
                seen.rewards,
                np.array([asked], dtype=ROUND),
                self._index,
            )
        )

    def _is_from(self, least: float) -> NDArray[np.bool_]:
        """Tell for every arm whether its index is at least so much."""
        return self._index >= np.float32(max(least, float(LOWEST)))

    def _directly(self, arms: Integers, time: float, gamma: float, cap: float) -> Integers:
        return self._direct.best(time, self._arms.points, arms, gamma, cap)


def _surely_above(value: float, slack: float, spread: float) -> float:
    """Return the least index whose lower bound is at least ``value``."""
    return max(value + 2 * slack * spread, (value + 3 * slack * spread) / (1 - slack))
