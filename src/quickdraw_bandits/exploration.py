"""How much uncertainty is worth: constant, or growing as the regret bound asks (E5).

``QuickDraw(exploration=...)`` takes a number or any function of the number of observations.
"""

from dataclasses import dataclass

from quickdraw_bandits import theory
from quickdraw_bandits.checks import not_negative


@dataclass(frozen=True)
class Constant:
    """The same gamma always; 2 is about a 95 % bound.

    Examples
    --------
    >>> Constant(2.0)(1000)
    2.0
    """

    gamma: float

    def __post_init__(self) -> None:
        not_negative("gamma", self.gamma)

    def __call__(self, n_observations: int) -> float:
        """Return gamma."""
        return self.gamma


@dataclass(frozen=True)
class Theorem:
    """The schedule of theorem 1: gamma_{T+1} after T observations (T1).

    Examples
    --------
    >>> schedule = Theorem(lipschitz=1.0, length_scale=0.1, noise_variance=1.0, failure_probability=0.1)
    >>> round(schedule(0), 1)
    362.8
    """

    lipschitz: float
    length_scale: float
    noise_variance: float
    failure_probability: float

    def __post_init__(self) -> None:
        self(0)  # raises if a parameter is bad

    def __call__(self, n_observations: int) -> float:
        """Return gamma_{T+1} for T = ``n_observations``."""
        return theory.gamma(
            n_observations + 1, self.lipschitz, self.length_scale, self.noise_variance, self.failure_probability
        )
