"""The exact engine: every arm against every observation, compiled, on all cores."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.history import History
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.screen import Screen


class ExactEngine:
    """The non-stationary estimate (E2 with E3), and the arms of the largest index, from all observations.

    ``estimate`` sums in float64. ``best`` first bounds the index of every euclidean arm in float32, and then
    evaluates in float64 only those arms that can be the largest. The result is the same as that of float64
    throughout.
    """

    def __init__(self, arms: Arms, kernel: Kernel) -> None:
        self._arms = arms
        self._direct = DirectSum(arms, kernel)
        self._screen = Screen.build(arms, kernel)
        if self._screen is None:
            self._low = np.full(len(arms), -np.inf, dtype=np.float32)
            self._high = np.full(len(arms), np.inf, dtype=np.float32)
        else:
            self._low, self._high = self._screen.low, self._screen.high
        self._positions = np.empty(len(arms), dtype=np.int64)
        self._index = np.empty(len(arms))

    @property
    def history(self) -> History:
        """All observations."""
        return self._direct.history

    @property
    def n_observations(self) -> int:
        """How many observations there are."""
        return self.history.n

    @property
    def times(self) -> Floats:
        """When arms were pulled, in the order of arrival."""
        return self.history.times[: self.history.n]

    @property
    def least_reward(self) -> float:
        """The least reward of all."""
        return self.history.least_reward

    @property
    def average_reward(self) -> float:
        """The average of all rewards."""
        return self.history.average_reward

    def add(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        """Take in observations, in any order of their times."""
        points = np.empty((len(arms), 0)) if self._arms.metric == "precomputed" else self._arms.points[arms]
        self._direct.add(times, arms, rewards, points)
        if self._screen is not None:
            self._screen.add(arms, self.history.n, len(self.history.times))

    def estimate(self, time: float, arms: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them."""
        return self._direct.estimate(time, self._arms.points if arms is None else self._arms.points[arms])

    def best(self, time: float, gamma: float, cap: float) -> tuple[Integers, Floats]:
        """Return the arms of the largest index min(mu + gamma Sigma, cap), and that index."""
        threshold, capped_from = -np.inf, np.inf
        if self._screen is not None:
            threshold, capped_from = self._screen.bound(self.history, time, gamma, cap)
        ties = self._direct.decide(
            time,
            gamma,
            cap,
            self._arms.points,
            self._low,
            self._high,
            threshold,
            capped_from,
            self._positions,
            self._index,
        )
        return self._positions[:ties].copy(), self._index[:ties].copy()
