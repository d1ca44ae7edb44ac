"""The exact engine: every arm against every observation, compiled, on all cores."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.screen import Screen
from quickdraw_bandits.observations import Observations


class ExactEngine(Engine):
    """The non-stationary estimate (E2 with E3), and the arms of the largest index, from all observations.

    ``estimate`` sums in float64. ``best`` first bounds the index of every euclidean arm in float32, and then
    evaluates in float64 only those arms that can be the largest. The result is the same as that of float64
    throughout.
    """

    def __init__(self, arms: Arms, kernel: Kernel, observations: Observations) -> None:
        super().__init__(observations)
        self._arms = arms
        self._direct = DirectSum(arms, kernel, observations)
        self._screen = Screen.build(arms, kernel)
        if self._screen is None:
            self._low = np.full(len(arms), -np.inf, dtype=np.float32)
            self._high = np.full(len(arms), np.inf, dtype=np.float32)
        else:
            self._low, self._high = self._screen.low, self._screen.high
        self._positions = np.empty(len(arms), dtype=np.int64)
        self._index = np.empty(len(arms))

    def extend(self) -> None:
        """Take in the observations that are new in the store."""
        if self._screen is not None:
            self._screen.extend(self._seen)

    def estimate(self, time: float, arms: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them."""
        return self._direct.estimate(time, self._arms.points if arms is None else self._arms.points[arms])

    def best(self, time: float, gamma: float, cap: float) -> Integers:
        """Return the arms of the largest index min(mu + gamma Sigma, cap)."""
        threshold, capped_from = -np.inf, np.inf
        if self._screen is not None:
            threshold, capped_from = self._screen.bound(self._seen, time, gamma, cap)
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
        return self._positions[:ties].copy()
