"""Quick-Draw, the paper's policy (E1-E9, A1)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, arm_positions, not_negative, number
from quickdraw_bandits.interpolation import Kernel, upper_bound
from quickdraw_bandits.policies.policy import Policy, argmaxes, random_argmax

if TYPE_CHECKING:
    from quickdraw_bandits.interpolation.exact import ExactEngine
    from quickdraw_bandits.interpolation.running_sums import RunningSums


class QuickDraw(Policy):
    """Plays the arm of the largest upper bound, estimated by precision-weighted interpolation of past rewards.

    For every arm x at time t, over all observations s:

    sigma²_s = (rho² + (D(x, x_s) / l_x)² + ((t - t_s) / l_t)²)^p      (E3; E9 for p > 1)
    Sigma    = (sum 1 / sigma²_s)^(-1/(2p))                            (E2)
    mu       = sum (y_s / sigma²_s) / sum (1 / sigma²_s)
    index    = min(mu + gamma Sigma, cap)                              (E4)

    The arm of the largest index is played, one of them at random where several are largest, and any arm before
    the first observation (A1). Choosing and estimating cost O(arms · observations); with ``time_scale=None``
    rewards do not drift, sums are kept (E7), and both cost O(arms).

    Parameters
    ----------
    arms
        The choices.
    length_scale
        l_x, in units of the arms' scaled distance.
    time_scale
        l_t, in units of the caller's clock; None for rewards that do not drift.
    noise_variance
        rho², the part of the uncertainty that no nearness removes.
    exploration
        gamma, a number or a function of the number of observations that returns one (E5).
    cap
        No arm can pay more on average; None for no such limit.
    sharpness
        p = 1, 2 or 3. One observation alone gives the same Sigma for each. The paper has p = 1.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 5), seed=0)
    >>> policy.update(time=0.0, arm=2, reward=0.4)
    >>> policy.update(time=0.1, arm=4, reward=0.1)
    >>> mean, std = policy.estimate(time=0.2)
    >>> mean.round(3), std.round(3)
    (array([0.333, 0.354, 0.36 , 0.224, 0.11 ]), array([0.475, 0.295, 0.186, 0.206, 0.098]))
    >>> policy.select(time=0.2)
    0
    """

    def __init__(
        self,
        arms: Arms,
        length_scale: float = 1.0,
        time_scale: float | None = 1.0,
        noise_variance: float = 1e-7,
        exploration: float | Callable[[int], float] = 2.0,
        cap: float | None = 1.0,
        sharpness: int = 1,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, seed)
        self.kernel = Kernel.checked(length_scale, time_scale, noise_variance, sharpness)
        self.exploration = exploration if callable(exploration) else not_negative("exploration", exploration)
        self.cap = None if cap is None else number("cap", cap)
        self._engine = _engine(arms, self.kernel)

    @property
    def n_observations(self) -> int:
        """How many observations the policy has learned from."""
        return self._engine.n_observations

    def estimate(self, time: float, arms: object = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation (E2) at all arms, or at those whose positions are given.

        Before the first observation nothing is known: the mean is NaN and the deviation infinite.
        """
        time = number("time", time)
        chosen = None if arms is None else arm_positions("arms", arms, len(self.arms))
        if self.n_observations == 0:
            n = len(self.arms) if chosen is None else len(chosen)
            return np.full(n, np.nan), np.full(n, np.inf)
        return self._engine.estimate(time, chosen)

    def index(self, time: float) -> Floats:
        """Return what the policy maximises (E4), at all arms."""
        mean, std = self.estimate(time)
        if self.n_observations == 0:
            return np.full(len(mean), self._cap)
        return upper_bound(mean, std, self._gamma(), self._cap)

    def _select(self, time: float) -> int:
        if self.n_observations == 0:
            return int(self._random.integers(len(self.arms)))
        arms, index = self._engine.best(time, self._gamma(), self._cap)
        return int(arms[random_argmax(index, self._random)])

    def _probabilities(self, time: float) -> Floats:
        """Spread over the arms of the largest index, which is one unless arms share a place."""
        if self.n_observations == 0:
            return np.full(len(self.arms), 1 / len(self.arms))
        arms, index = self._engine.best(time, self._gamma(), self._cap)
        ties = arms[argmaxes(index)]
        probabilities = np.zeros(len(self.arms))
        probabilities[ties] = 1 / len(ties)
        return probabilities

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._engine.add(times, arms, rewards)

    @property
    def _cap(self) -> float:
        return np.inf if self.cap is None else self.cap

    def _gamma(self) -> float:
        if callable(self.exploration):
            return not_negative("exploration(n_observations)", self.exploration(self.n_observations))
        return self.exploration


def _engine(arms: Arms, kernel: Kernel) -> "ExactEngine | RunningSums":
    # Engines import numba, which takes longer than all the rest of the package.
    from quickdraw_bandits.interpolation.exact import ExactEngine
    from quickdraw_bandits.interpolation.running_sums import RunningSums

    return RunningSums(arms, kernel) if kernel.time_scale is None else ExactEngine(arms, kernel)
