"""A Gaussian process on the latest observations, in which old ones count less."""

from typing import final

import numpy as np

from quickdraw_bandits.checks import Floats, number, positive, scale
from quickdraw_bandits.gaussian_process.arm_correlations import ArmCorrelations
from quickdraw_bandits.gaussian_process.rolling_factor import factorise_with_jitter
from quickdraw_bandits.gaussian_process.windowed import WindowedProcess


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
        As for ``WindowedProcess``; σ² is above 0.
    eta
        The weight left after one time unit, above 0 and at most 1. A smaller value forgets faster.
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
        super().__init__(arms, signal_variance, positive("noise_variance", noise_variance), window)
        if not 0 < number("discount", eta) <= 1:
            raise ValueError(f"discount must be above 0 and at most 1, got {eta!r}")
        self.eta = float(eta)
        self.time_unit = scale("time_unit", time_unit)
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
