"""Schedules of exploration: constant, as in the regret bound (E5), or decaying.

A schedule is a function of the number of observations. ``QuickDraw(exploration=...)`` and
``EpsilonGreedy(epsilon=...)`` take a number or any schedule.
"""

from dataclasses import dataclass

from quickdraw_bandits import theory
from quickdraw_bandits.checks import integer, not_negative, positive


@dataclass(frozen=True)
class Constant:
    """A constant gamma; 2 is about a 95 % bound. A larger value explores more.

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
    """The schedule of theorem 1: gamma_{T+1} after T observations (T1); parameters as in ``theory``.

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


@dataclass(frozen=True)
class Decaying:
    """The probability of exploring in round n + 1, after n observations: epsilon = min(1, c K / (d² (n + 1))).

    Auer, Cesa-Bianchi and Fischer (2002), figure 3.

    Parameters
    ----------
    n_arms
        K, the number of arms.
    gap
        d, in units of the reward: at most the difference between the mean rewards of the best and the second-best
        arm. A larger value explores less.
    factor
        c; default 5, the lower limit of their theorem 3. A larger value explores more.

    Examples
    --------
    >>> Decaying(n_arms=10, gap=0.5, factor=5.0)(399)
    0.5
    """

    n_arms: int
    gap: float
    factor: float = 5.0

    def __post_init__(self) -> None:
        integer("n_arms", self.n_arms, at_least=1)
        positive("gap", self.gap)
        positive("factor", self.factor)

    def __call__(self, n_observations: int) -> float:
        """Return epsilon for the round after ``n_observations``."""
        return min(1.0, self.factor * self.n_arms / (self.gap**2 * (n_observations + 1)))
