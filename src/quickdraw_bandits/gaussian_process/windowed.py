"""Gaussian processes on the latest observations, with estimates at all arms after each of them.

In ``DriftingProcess`` the function changes with time; in ``WeightedProcess``, in a file of its own, it does not, and
old observations count less.
"""

import math
from abc import ABC, abstractmethod
from typing import final

import numpy as np

from quickdraw_bandits.checks import Floats, Integers, not_negative, positive
from quickdraw_bandits.gaussian_process.arm_correlations import ArmCorrelations
from quickdraw_bandits.gaussian_process.rolling_factor import RollingFactor, factorise_with_jitter, whitened
from quickdraw_bandits.gaussian_process.time_correlations import TimeCorrelation

BLOCK = 1024
"""Arms estimated at a time where correlations are not kept."""

LARGEST_CACHE = 2**24
"""Largest number of correlations between observations and arms that are kept (128 MB), not computed again."""


class WindowedProcess(ABC):
    """Observations in the order of their times, and the posterior at every arm.

    Parameters
    ----------
    arms
        The correlations of the arms.
    signal_variance, noise_variance
        s², above 0, and σ², at least 0.
    window
        The largest number of observations; estimates take time as its square.

    Attributes
    ----------
    times, positions, values
        The observations, the oldest first.
    jitter
        The noise variance added so that the covariance of the observations could be factored; usually 0.
    """

    def __init__(self, arms: ArmCorrelations, signal_variance: float, noise_variance: float, window: int) -> None:
        self.arms = arms
        self.signal_variance = positive("signal_variance", signal_variance)
        self.noise_variance = not_negative("noise_variance", noise_variance)
        self.window = window
        self.jitter = 0.0
        self.times: Floats = np.empty(0)
        self.positions: Integers = np.empty(0, dtype=np.int64)
        self.values: Floats = np.empty(0)
        # Row _first + i, modulo the window, belongs to observation i.
        self._rows: Floats | None = np.empty((window, len(arms))) if window * len(arms) <= LARGEST_CACHE else None
        self._first = 0

    @final
    def __len__(self) -> int:
        return len(self.times)

    @final
    def append(self, time: float, position: int, value: float) -> None:
        """Add an observation no older than the others; if the window is full, the oldest is dropped."""
        if len(self) == self.window:
            self.times, self.positions, self.values = self.times[1:], self.positions[1:], self.values[1:]
            self._first = (self._first + 1) % self.window
            self._dropped()
        self.times = np.append(self.times, time)
        self.positions = np.append(self.positions, position)
        self.values = np.append(self.values, value)
        if self._rows is not None:
            self._rows[(self._first + len(self) - 1) % self.window] = self.arms.rows(self.positions[-1:], slice(None))
        self._appended()

    @final
    def reload(self, times: Floats, positions: Integers, values: Floats) -> None:
        """Replace all observations by others in the order of their times, at most as many as the window holds."""
        self.times, self.positions, self.values = times, positions, values
        self._first = 0
        if self._rows is not None:
            self._rows[: len(self)] = self.arms.rows(positions, slice(None))
        self._reloaded()

    @final
    def insert(self, time: float, position: int, value: float) -> None:
        """Add an observation at its place in time; those that leave the window are the oldest."""
        if len(self) == 0 or time >= self.times[-1]:
            self.append(time, position, value)
            return
        columns = np.append(self.times, time), np.append(self.positions, position), np.append(self.values, value)
        latest = np.argsort(columns[0], kind="stable")[-self.window :]
        self.reload(*(each[latest] for each in columns))

    @final
    def std_with(self, time: float, times: Floats, positions: Integers) -> Floats:
        """Return the standard deviation at every arm if observations at other times and arms were known as well.

        Of those, the latest count, at most as many as the window holds. It does not matter what they would have been.
        """
        all_positions, lower, scales = self._with(time, times, positions)
        return self._at_arms(lower, scales, np.zeros(len(all_positions)), all_positions)[1]

    @final
    def _with(self, time: float, times: Floats, positions: Integers) -> tuple[Integers, Floats, Floats]:
        """Return the arms of all observations and the latest of others, and L and ``scales`` as for ``_answer``."""
        latest = np.argsort(times, kind="stable")[-self.window :]
        all_times = np.concatenate([self.times, times[latest]])
        all_positions = np.concatenate([self.positions, positions[latest]])
        distinct, row = np.unique(all_positions, return_inverse=True)
        correlations = self.arms.rows(distinct, distinct)[np.ix_(row, row)]
        covariance, scales = self._covariance(time, all_times, correlations)
        return all_positions, factorise_with_jitter(covariance)[0], scales

    @abstractmethod
    def posterior(self, time: float, prior_mean: float = 0.0) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the function, without noise, at every arm at ``time``."""

    @abstractmethod
    def extended(self, arms: ArmCorrelations) -> "WindowedProcess":
        """Return a process with the same parameters and observations on more arms."""

    @abstractmethod
    def _covariance(self, time: float, times: Floats, correlations: Floats) -> tuple[Floats, Floats]:
        """Return the covariance of observations with such correlations of their arms, noise included.

        And what the covariance of each with the function at ``time`` has beside s² and the correlation of the arms.
        """

    @abstractmethod
    def _dropped(self) -> None:
        """Follow the removal of the oldest observation."""

    @abstractmethod
    def _appended(self) -> None:
        """Follow a new last observation."""

    @abstractmethod
    def _reloaded(self) -> None:
        """Follow the replacement of all observations."""

    @final
    def _answer(self, lower: Floats, scales: Floats, values: Floats) -> tuple[Floats, Floats]:
        """Return mean and deviation at every arm, for covariances ``scales_i s² c(x_i, x)`` with the observations.

        With A = L L', k the covariances of the observations with one arm and y the ``values``::

            mean = k' A⁻¹ y = (L⁻¹ k)' (L⁻¹ y)
            std² = s² - k' A⁻¹ k = s² - |L⁻¹ k|²
        """
        if len(self) == 0:
            return np.zeros(len(self.arms)), np.full(len(self.arms), np.sqrt(self.signal_variance))
        from quickdraw_bandits.numerics.cholesky import solve

        white = values.copy()
        solve(np.ascontiguousarray(lower.T), white)
        return self._at_arms(lower, scales, white)

    def _at_arms(
        self, lower: Floats, scales: Floats, white: Floats, positions: Integers | None = None
    ) -> tuple[Floats, Floats]:
        """Return mean and deviation at every arm; ``positions`` are the observed arms where they are not its own."""
        from quickdraw_bandits.gaussian_process.prediction import predict

        upper, scales = np.ascontiguousarray(lower.T), self.signal_variance * scales
        mean, explained = np.empty(len(self.arms)), np.empty(len(self.arms))
        if positions is None and self._rows is not None:
            predict(upper, self._rows, self._first, scales, white, mean, explained)
        else:
            observed = self.positions if positions is None else positions
            for block in (slice(start, start + BLOCK) for start in range(0, len(self.arms), BLOCK)):
                predict(upper, self.arms.rows(observed, block), 0, scales, white, mean[block], explained[block])
        return mean, np.sqrt(np.maximum(self.signal_variance - explained, 0.0))

    @final
    def _among(self) -> Floats:
        """Return the correlations of the arms of all observations."""
        distinct, row = np.unique(self.positions, return_inverse=True)
        return self.arms.rows(distinct, distinct)[np.ix_(row, row)]


@final
class DriftingProcess(WindowedProcess):
    """The function drifts: its covariance at two arms and times is ``s² c(x, x') c_t(t - t')``.

    An observation updates the Cholesky factor in O(n²); the posterior at K arms takes O(n² K).

    Parameters
    ----------
    arms, signal_variance, noise_variance, window
        As for ``WindowedProcess``.
    drift
        c_t, the correlation of two times.

    Examples
    --------
    >>> from quickdraw_bandits.arms import Arms
    >>> from quickdraw_bandits.gaussian_process.time_correlations import Forgetting
    >>> arms = ArmCorrelations(Arms.grid(0, 1, 3), length_scale=0.5)
    >>> process = DriftingProcess(arms, 1.0, 0.0, window=10, drift=Forgetting(0.19, 1.0))
    >>> process.append(time=0.0, position=0, value=2.0)
    >>> mean, std = process.posterior(time=1.0)
    >>> mean.round(3), std.round(3)
    (array([1.8  , 1.092, 0.244]), array([0.436, 0.838, 0.993]))
    """

    def __init__(
        self,
        arms: ArmCorrelations,
        signal_variance: float,
        noise_variance: float,
        window: int,
        drift: TimeCorrelation,
    ) -> None:
        super().__init__(arms, signal_variance, noise_variance, window)
        self.drift = drift
        self._factor = RollingFactor(window)

    def posterior(self, time: float, prior_mean: float = 0.0) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the function, without noise, at every arm at ``time``."""
        mean, std = self._answer(self._factor.lower, self.drift(self.times - time), self.values - prior_mean)
        return mean + prior_mean, std

    def at(self, time: float, position: int, prior_mean: float = 0.0) -> tuple[float, float]:
        """Return mean and standard deviation at one arm, as ``posterior`` does at all of them, in O(n²)."""
        if len(self) == 0:
            return prior_mean, math.sqrt(self.signal_variance)
        row = self.arms.rows(np.array([position]), self.positions)[0]
        given = np.column_stack([self.signal_variance * self.drift(self.times - time) * row, self.values - prior_mean])
        cross, values = whitened(self._factor.upper, given).T
        return prior_mean + float(cross @ values), math.sqrt(max(self.signal_variance - float(cross @ cross), 0.0))

    def covariance_of(self, time: float, phi: Floats, times: Floats, positions: Integers) -> Floats:
        """Return the posterior covariance at ``time`` of variables whose covariances with the function are s² ``phi``.

        A priori they are uncorrelated, with variance s². ``phi`` has one row per arm. ``times`` and ``positions`` are
        those of further observations, as for ``std_with``.
        """
        upper, all_positions = self._factor.upper, self.positions
        scales = self.drift(self.times - time)
        if len(times):
            all_positions, lower, scales = self._with(time, times, positions)
            upper = np.ascontiguousarray(lower.T)
        known = whitened(upper, (self.signal_variance * scales)[:, None] * phi[all_positions])
        return self.signal_variance * np.eye(phi.shape[1]) - known.T @ known

    def extended(self, arms: ArmCorrelations) -> "DriftingProcess":
        """Return a process with the same parameters and observations on more arms."""
        process = DriftingProcess(arms, self.signal_variance, self.noise_variance, self.window, self.drift)
        process.reload(self.times, self.positions, self.values)
        return process

    def _covariance(self, time: float, times: Floats, correlations: Floats) -> tuple[Floats, Floats]:
        covariance = self.signal_variance * correlations * self.drift(times[:, None] - times)
        covariance[np.diag_indices_from(covariance)] += self.noise_variance
        return covariance, self.drift(times - time)

    def _dropped(self) -> None:
        self._factor.drop_oldest()

    def _appended(self) -> None:
        space = self.arms.rows(self.positions[-1:], self.positions[:-1])[0]
        column = self.signal_variance * space * self.drift(self.times[:-1] - self.times[-1])
        variance = self.signal_variance + self.noise_variance
        if self._factor.due or not self._factor.append(column, variance):
            self._reloaded()

    def _reloaded(self) -> None:
        covariance, _ = self._covariance(0.0, self.times, self._among())
        self._factor.remake(covariance)
        self.jitter = self._factor.jitter
