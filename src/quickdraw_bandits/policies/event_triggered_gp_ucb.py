"""GP-UCB that forgets everything once a reward contradicts what it knows (ET-GP-UCB)."""

import math
from typing import final

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, number, positive
from quickdraw_bandits.gaussian_process import ArmCorrelations, DriftingProcess, Forgetting
from quickdraw_bandits.policies.windowed_gp_ucb import PriorMean, WindowedGPUCB, prior_of


class EventTriggeredGPUCB(WindowedGPUCB):
    """GP-UCB on a function that does not drift, until a reward shows that it has.

    Brunzema, von Rohr, Solowjow and Trimpe, *Event-triggered time-varying Bayesian optimization* (2022). The
    covariance of the rewards of two arms is s² exp(-D(x, x')² / (2 l²)), plus the noise variance σ² for an observation
    with itself. A reward y at arm x is compared with mean m and standard deviation d there, before it is learned. If

    |y - m| > sqrt(rho) d + sqrt(rho) σ,        rho = 2 ln(2 π² t² / (6 delta)),

    all observations but this one are forgotten. t counts the observations since the last such reset. Where the
    function is constant and the model is right, the probability that this ever happens is at most ``delta``.

    Differs from the source in four ways. Only the latest ``window`` observations since the reset count. The
    exploration is constant; the source lets it grow with the logarithm of the round. The prior mean need not be 0. The
    limits on the time between resets, which the source needs for its bound on regret, are left out. Rewards are
    compared in the order of their arrival, and one of a pull before the last reset is not learned. The formulas are
    written from what is known of the source; they were not compared with its code.

    Parameters
    ----------
    arms, length_scale, signal_variance, noise_variance, prior_mean, exploration, window, seed
        As for ``WindowedGPUCB``. ``noise_variance`` is 0.001 by default and must be above 0; a larger value also makes
        resets rarer. ``prior_mean="average"`` is the mean of the observations since the last reset. ``window`` is 150
        by default.
    error_probability
        delta, the probability of a reset without a reason, above 0 and below 1; default 0.1, as in the source. A larger
        value resets more often.

    Attributes
    ----------
    resets
        How many resets there were.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.EventTriggeredGPUCB(qd.Arms.grid(-1, 1, 5), seed=0)
    >>> policy.update([0.0, 1.0, 2.0], [1, 3, 3], [0.5, 0.6, 0.61])
    >>> policy.resets
    0
    >>> policy.update(time=3.0, arm=3, reward=0.1)
    >>> policy.resets, policy.estimate(time=4.0)[0].round(2)
    (1, array([0.1, 0.1, 0.1, 0.1, 0.1]))
    """

    process: DriftingProcess

    def __init__(
        self,
        arms: Arms,
        length_scale: float = 0.1,
        signal_variance: float = 0.025,
        noise_variance: float = 1e-3,
        error_probability: float = 0.1,
        prior_mean: PriorMean = "average",
        exploration: float = 2.0,
        window: int = 150,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, window, prior_mean, exploration, seed)
        self.error_probability = checked_probability(error_probability)
        self.resets = 0
        correlations, no_drift = ArmCorrelations(arms, length_scale), Forgetting(0.0, 1.0)
        positive("noise_variance", noise_variance)
        self.process = DriftingProcess(correlations, signal_variance, noise_variance, self.window, no_drift)
        self._since_reset = 0
        self._reset_time = -math.inf

    @final
    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        for time, arm, reward in zip(times.tolist(), arms.tolist(), rewards.tolist(), strict=True):
            if time >= self._reset_time:
                self._learn(time, arm, reward)

    def _learn(self, time: float, arm: int, reward: float) -> None:
        self._since_reset += 1
        # The average of no observations is no prior to be contradicted.
        if len(self.process) or self.prior_mean != "average":
            mean, std = self.process.at(time, arm, prior_of(self.prior_mean, self.process.values))
            root = math.sqrt(surprise(self._since_reset, self.error_probability))
            if abs(reward - mean) > root * (std + math.sqrt(self.process.noise_variance)):
                self.resets += 1
                self._since_reset, self._reset_time = 1, time
                none = slice(0, 0)
                self.process.reload(self.process.times[none], self.process.positions[none], self.process.values[none])
        self.process.insert(time, arm, reward)


def surprise(t: int, delta: float) -> float:
    """Return rho = 2 ln(2 π² t² / (6 delta)): a normal variable of variance 1 exceeds its root at any t with delta.

    Examples
    --------
    >>> round(surprise(1, 0.1), 3)
    6.987
    """
    return 2 * math.log(math.pi**2 * t**2 / (3 * delta))


def checked_probability(value: float) -> float:
    """Return a probability above 0 and below 1, or raise ValueError."""
    if not 0 < number("error_probability", value) < 1:
        raise ValueError(f"error_probability must be above 0 and below 1, got {value!r}")
    return float(value)
