"""Correlations of two times under a Gaussian process."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from quickdraw_bandits.checks import Floats, number, scale


class TimeCorrelation(Protocol):
    """A correlation that depends on the difference of two times."""

    def __call__(self, lags: Floats) -> Floats:
        """Return the correlation over each lag, of any sign."""


@dataclass(frozen=True)
class SquaredExponential:
    """``exp(-lag² / (2 l_t²))``: a function that drifts smoothly.

    Examples
    --------
    >>> SquaredExponential(2.0)(np.array([0.0, -2.0])).round(3)
    array([1.   , 0.607])
    """

    time_scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "time_scale", scale("time_scale", self.time_scale))

    def __call__(self, lags: Floats) -> Floats:
        """Return the correlation over each lag, of any sign."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(-0.5 * (lags / self.time_scale) ** 2))


@dataclass(frozen=True)
class Forgetting:
    """``(1 - epsilon)^(|lag| / (2 time_unit))``: a function that takes one independent step per time unit.

    Examples
    --------
    >>> Forgetting(epsilon=0.19, time_unit=1.0)(np.array([0.0, 1.0, -2.0]))
    array([1.  , 0.9 , 0.81])
    """

    epsilon: float
    time_unit: float

    def __post_init__(self) -> None:
        if not 0 <= number("forgetting", self.epsilon) < 1:
            raise ValueError(f"forgetting must be at least 0 and below 1, got {self.epsilon!r}")
        object.__setattr__(self, "epsilon", float(self.epsilon))
        object.__setattr__(self, "time_unit", scale("time_unit", self.time_unit))

    def __call__(self, lags: Floats) -> Floats:
        """Return the correlation over each lag, of any sign."""
        with np.errstate(over="ignore"):
            units = np.minimum(np.abs(lags) / self.time_unit, 1e300)
        return np.asarray(np.exp(0.5 * np.log1p(-self.epsilon) * units))
