"""The exact engine: every arm against every observation, compiled, on all cores."""

import os

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation import compiled
from quickdraw_bandits.interpolation.history import History
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.screen import Screen
from quickdraw_bandits.interpolation.threads import WORTHWHILE, on_all_cores


class ExactEngine:
    """The non-stationary estimate (E2 with E3), and the arms of the largest index, from all observations.

    ``estimate`` sums in float64. ``best`` first bounds the index of every euclidean arm in float32, and then
    evaluates in float64 only those arms that can be the largest. The result is the same as that of float64
    throughout.
    """

    def __init__(self, arms: Arms, kernel: Kernel) -> None:
        self._arms = arms
        self._kernel = kernel
        self._metric = compiled.METRIC_CODES[arms.metric]
        self._weight = (1 / (arms.unit * kernel.length_scale)) ** 2
        self._history = History(arms.dimension)
        self._terms = np.empty(0)
        workers = os.cpu_count() or 1
        self._buffers = np.empty((workers, compiled.BLOCK))
        self._screen = Screen.build(arms, kernel)
        if self._screen is None:
            self._low = np.full(len(arms), -np.inf, dtype=np.float32)
            self._high = np.full(len(arms), np.inf, dtype=np.float32)
        else:
            self._low, self._high = self._screen.low, self._screen.high
        self._positions = np.empty(len(arms), dtype=np.int64)
        self._index = np.empty(len(arms))

    @property
    def n_observations(self) -> int:
        """How many observations there are."""
        return self._history.n

    def add(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        """Take in observations, in any order of their times."""
        self._history.add(times, arms, rewards, self._arms.points)
        capacity = len(self._history.times)
        if len(self._terms) < capacity:
            self._terms = np.empty(capacity)
        if self._screen is not None:
            self._screen.add(arms, self._history.n, capacity)

    def estimate(self, time: float, arms: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them."""
        self._set_terms(time)
        points = self._arms.points if arms is None else self._arms.points[arms]
        return self._estimate_at(points)

    def best(self, time: float, gamma: float, cap: float) -> tuple[Integers, Floats]:
        """Return the arms of the largest index min(mu + gamma Sigma, cap), and that index."""
        seen, kernel = self._history, self._kernel
        threshold, capped_from = -np.inf, np.inf
        if self._screen is not None:
            threshold, capped_from = self._screen.bound(seen, time, gamma, cap)
        self._set_terms(time)
        # Few arms are left after screening as a rule; to count them takes longer than to be wrong about few arms.
        left = len(self._index)
        if left * seen.n > WORTHWHILE and threshold > -np.inf:
            left = int(np.count_nonzero(self._high >= threshold))
        work = left * seen.n
        ties = on_all_cores(
            compiled.decide,
            work,
            self._metric,
            self._arms.points,
            seen.coordinates,
            seen.arms,
            seen.rewards,
            self._terms,
            seen.n,
            self._weight,
            kernel.sharpness,
            gamma,
            cap,
            self._low,
            self._high,
            threshold,
            capped_from,
            self._positions,
            self._index,
            self._buffers,
        )
        return self._positions[:ties].copy(), self._index[:ties].copy()

    def _set_terms(self, time: float) -> None:
        seen, kernel = self._history, self._kernel
        compiled.time_terms(seen.times, seen.n, time, kernel.time_scale, kernel.noise_variance, self._terms)

    def _estimate_at(self, points: np.ndarray) -> tuple[Floats, Floats]:
        seen = self._history
        mean, std = np.empty(len(points)), np.empty(len(points))
        on_all_cores(
            compiled.estimate,
            len(points) * seen.n,
            self._metric,
            points,
            seen.coordinates,
            seen.arms,
            seen.rewards,
            self._terms,
            seen.n,
            self._weight,
            self._kernel.sharpness,
            mean,
            std,
            self._buffers,
        )
        return mean, std
