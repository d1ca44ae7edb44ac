"""The exact engine: every arm against every observation, compiled, on all cores."""

import os

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.history import History
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.threads import on_all_cores

WORTH_SCREENING = 0.02
"""Largest relative error of a precision in float32 at which bounds are still tight enough to rule arms out."""


class ExactEngine:
    """The non-stationary estimate (E2 with E3), and the arms of the largest index, from all observations.

    ``estimate`` sums in float64. ``best`` first bounds the index of every euclidean arm in float32, which takes
    a third of the time, and then evaluates in float64 only those arms that can be the largest. The result is the
    same as that of float64 throughout.
    """

    def __init__(self, arms: Arms, kernel: Kernel) -> None:
        from quickdraw_bandits.interpolation import compiled  # numba is imported only here

        self._compiled = compiled
        self._arms = arms
        self._kernel = kernel
        self._metric = compiled.METRIC_CODES[arms.metric]
        self._weight = (1 / (arms.unit * kernel.length_scale)) ** 2
        self._history = History(arms.dimension)
        self._terms = np.empty(0)
        workers = os.cpu_count() or 1
        self._buffers = np.empty((workers, compiled.BLOCK))
        self._screen = _Screen.build(arms, kernel, workers, compiled.BLOCK)

    @property
    def n_observations(self) -> int:
        """How many observations there are."""
        return self._history.n

    def add(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        """Take in observations, in any order of their times."""
        points = np.empty((len(arms), 0)) if self._arms.metric == "precomputed" else self._arms.points[arms]
        self._history.add(times, arms, rewards, points)
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
        """Return arms and their index min(mu + gamma Sigma, cap), all arms of the largest index among them."""
        self._set_terms(time)
        if self._screen is None:
            mean, std = self._estimate_at(self._arms.points)
            return np.arange(len(mean)), np.minimum(mean + gamma * std, cap)
        candidates, capped = self._screen.candidates(self._history, self._terms, gamma, cap)
        index = np.full(len(candidates), cap)
        if not capped.all():
            mean, std = self._estimate_at(self._arms.points[candidates[~capped]])
            index[~capped] = np.minimum(mean + gamma * std, cap)
        return candidates, index

    def _set_terms(self, time: float) -> None:
        seen, kernel = self._history, self._kernel
        self._compiled.time_terms(seen.times, seen.n, time, kernel.time_scale, kernel.noise_variance, self._terms)

    def _estimate_at(self, points: np.ndarray) -> tuple[Floats, Floats]:
        seen = self._history
        mean, std = np.empty(len(points)), np.empty(len(points))
        on_all_cores(
            self._compiled.estimate,
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


class _Screen:
    """Bounds of the index in float32, in units where rho is 1.

    The relative error of one precision is at most ``error``, the sum of four parts. With u = 2^-24:

    - coordinates of size X are rounded, so that a difference is off by delta <= 2 u X, and r² = 1 + … + d² by
      2 d delta / (1 + d²) <= delta for one coordinate, sqrt(dimension) times that for all together;
    - the age, the square, the sum and the reciprocal are rounded a few times each;
    - all that counts p times for r^(2p);
    - a sum over one block is rounded once an observation.
    """

    def __init__(self, arms: Arms, kernel: Kernel, error: float, workers: int, block: int) -> None:
        from quickdraw_bandits.interpolation import compiled

        self._compiled = compiled
        self._kernel = kernel
        self._error = error
        self._points = _in_units_of_rho(arms, kernel).astype(np.float32)
        self._coordinates = np.empty((arms.dimension, 0), dtype=np.float32)
        self._n = 0
        self._terms = np.empty(0, dtype=np.float32)
        self._rewards = np.empty(0, dtype=np.float32)
        self._low = np.empty(len(arms), dtype=np.float32)
        self._high = np.empty(len(arms), dtype=np.float32)
        self._positions = np.empty(len(arms), dtype=np.int64)
        self._buffers = np.empty((workers, block), dtype=np.float32)

    @classmethod
    def build(cls, arms: Arms, kernel: Kernel, workers: int, block: int) -> "_Screen | None":
        """Return a screen, or None where float32 cannot help: for other metrics, and for a tiny rho or l_x."""
        if arms.metric != "euclidean":
            return None
        u = 2.0**-24
        largest = float(np.abs(_in_units_of_rho(arms, kernel)).max())
        rounding = 2 * u * largest * arms.dimension**0.5 + (8 + arms.dimension) * u
        error = kernel.sharpness * rounding + (block + 4) * u
        return cls(arms, kernel, error, workers, block) if error < WORTH_SCREENING else None

    def add(self, arms: Integers, n: int, capacity: int) -> None:
        """Take in the arms of new observations, ``n`` in all."""
        if self._coordinates.shape[1] < capacity:
            grown = np.empty((len(self._coordinates), capacity), dtype=np.float32)
            grown[:, : self._n] = self._coordinates[:, : self._n]
            self._coordinates = grown
            self._terms = np.empty(capacity, dtype=np.float32)
            self._rewards = np.empty(capacity, dtype=np.float32)
        self._coordinates[:, self._n : n] = self._points[arms].T
        self._n = n

    def candidates(self, seen: History, terms: Floats, gamma: float, cap: float) -> tuple[Integers, np.ndarray]:
        """Return the arms that can have the largest index, and which of them certainly reach the cap."""
        centre, spread = self._compiled.screen_terms(
            terms, seen.rewards, seen.n, self._kernel.noise_variance, self._terms, self._rewards
        )
        best = on_all_cores(
            self._compiled.screen,
            len(self._points) * seen.n,
            self._points,
            self._coordinates,
            self._rewards,
            self._terms,
            seen.n,
            self._kernel.sharpness,
            gamma * self._kernel.noise_variance**0.5,
            spread,
            self._error,
            self._low,
            self._high,
            self._buffers,
        )
        # The bounds are stored in float32, counted from the centre: a little slack for that.
        slack = 1e-6 * (abs(best) + spread)
        sure_to_be_capped = cap - centre + slack
        threshold = min(best, sure_to_be_capped) - slack
        found = self._compiled.at_least(self._high, threshold, self._positions)
        positions = self._positions[:found].copy()
        return positions, self._low[positions] >= sure_to_be_capped


def _in_units_of_rho(arms: Arms, kernel: Kernel) -> Floats:
    """Return coordinates counted from the middle of the arms, such that distances are D / (l_x rho)."""
    middle = (arms.points.max(axis=0).astype(np.float64) + arms.points.min(axis=0)) / 2
    scale = arms.unit * kernel.length_scale * kernel.noise_variance**0.5
    return np.asarray((arms.points - middle) / scale)
