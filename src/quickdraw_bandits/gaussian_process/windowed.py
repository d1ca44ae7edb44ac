"""Gaussian processes on the latest observations, with estimates at all arms after each of them.

In ``DriftingProcess`` the function changes with time; in ``WeightedProcess`` it does not, and old observations count
less.
"""

from abc import ABC, abstractmethod
from typing import final

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.gaussian_process.arm_correlations import ArmCorrelations
from quickdraw_bandits.gaussian_process.rolling_factor import RollingFactor, factorise_with_jitter
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
        s² and σ².
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
        self.signal_variance = signal_variance
        self.noise_variance = noise_variance
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
    def std_with(self, time: float, times: Floats, positions: Integers) -> Floats:
        """Return the standard deviation at every arm if observations at other times and arms were known as well.

        Of those, the latest count, at most as many as the window holds. It does not matter what they would have been.
        """
        latest = np.argsort(times, kind="stable")[-self.window :]
        all_times = np.concatenate([self.times, times[latest]])
        all_positions = np.concatenate([self.positions, positions[latest]])
        distinct, row = np.unique(all_positions, return_inverse=True)
        correlations = self.arms.rows(distinct, distinct)[np.ix_(row, row)]
        covariance, scales = self._covariance(time, all_times, correlations)
        lower, _ = factorise_with_jitter(covariance)
        return self._at_arms(lower, scales, np.zeros(len(row)), all_positions)[1]

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


@final
class WeightedProcess(WindowedProcess):
    """The function is constant, and an observation of age a has the noise variance ``σ² eta^(-a / time_unit)``.

    That is regression with the weights w = eta^(a / time_unit). With W = diag(w) and C the correlations of the
    observations, everything is scaled by W^½, so that nothing overflows for old observations::

        A = s² W^½ C W^½ + σ² I        k = s² W^½ c(x)        y = W^½ (values - prior mean)

    All weights change with time, so that the matrix is factored for every posterior, O(n³ + n² K). Observations later
    than the time of the posterior have the weight 1.

    Parameters
    ----------
    arms, signal_variance, noise_variance, window
        As for ``WindowedProcess``.
    eta
        The discount per time unit, above 0 and at most 1. The smaller, the faster observations are forgotten.
    time_unit
        The unit of age.

    Examples
    --------
    >>> from quickdraw_bandits.arms import Arms
    >>> arms = ArmCorrelations(Arms.grid(0, 1, 3), length_scale=0.5)
    >>> process = WeightedProcess(arms, 1.0, 1.0, window=10, eta=0.5, time_unit=1.0)
    >>> process.append(time=0.0, position=0, value=2.0)
    >>> mean, std = process.posterior(time=1.0)
    >>> mean.round(3), std.round(3)
    (array([0.667, 0.404, 0.09 ]), array([0.816, 0.937, 0.997]))
    """

    def __init__(
        self,
        arms: ArmCorrelations,
        signal_variance: float,
        noise_variance: float,
        window: int,
        eta: float,
        time_unit: float,
    ) -> None:
        super().__init__(arms, signal_variance, noise_variance, window)
        self.eta = eta
        self.time_unit = time_unit
        self._space: Floats = np.empty((0, 0))

    def posterior(self, time: float, prior_mean: float = 0.0) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the function, without noise, at every arm at ``time``."""
        covariance, roots = self._covariance(time, self.times, self._space)
        lower, self.jitter = factorise_with_jitter(covariance) if len(self) else (covariance, 0.0)
        mean, std = self._answer(lower, roots, roots * (self.values - prior_mean))
        return mean + prior_mean, std

    def extended(self, arms: ArmCorrelations) -> "WeightedProcess":
        """Return a process with the same parameters and observations on more arms."""
        parameters = self.signal_variance, self.noise_variance, self.window, self.eta, self.time_unit
        process = WeightedProcess(arms, *parameters)
        process.reload(self.times, self.positions, self.values)
        return process

    def _covariance(self, time: float, times: Floats, correlations: Floats) -> tuple[Floats, Floats]:
        with np.errstate(over="ignore"):
            ages = np.clip((time - times) / self.time_unit, 0.0, 1e300)
        roots = np.exp(0.5 * np.log(self.eta) * ages)
        covariance = correlations * (roots[:, None] * (self.signal_variance * roots))
        covariance[np.diag_indices_from(covariance)] += self.noise_variance
        return covariance, roots

    def _dropped(self) -> None:
        self._space = self._space[1:, 1:]

    def _appended(self) -> None:
        n = len(self)
        column = self.arms.rows(self.positions[-1:], self.positions)[0]
        grown = np.empty((n, n))
        grown[:-1, :-1] = self._space
        grown[-1], grown[:, -1] = column, column
        self._space = grown

    def _reloaded(self) -> None:
        self._space = self._among()
