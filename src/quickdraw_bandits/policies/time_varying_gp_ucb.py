"""GP-UCB for a function that takes a random step every round (TV-GP-UCB)."""

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Seed
from quickdraw_bandits.gaussian_process import ArmCorrelations, DriftingProcess, Forgetting
from quickdraw_bandits.policies.windowed_gp_ucb import PriorMean, WindowedGPUCB
from quickdraw_bandits.times import Span


class TimeVaryingGPUCB(WindowedGPUCB):
    """GP-UCB on a Gaussian process that forgets at a constant rate.

    Bogunovic, Scarlett and Cevher, *Time-varying Gaussian process bandit optimization* (2016). In each round the
    function f becomes ``sqrt(1 - epsilon) f + sqrt(epsilon) g``, with g a fresh draw of the same process. So the
    covariance of the rewards of two arms in rounds t and t' is

    k(x, t; x', t') = s² exp(-D(x, x')² / (2 l²)) (1 - epsilon)^(|t - t'| / 2),

    plus the noise variance σ² for an observation with itself.

    Differs from the source in four ways. Rounds are real times divided by ``time_unit`` and need not be evenly spaced.
    Only the latest ``window`` observations count. The exploration is constant; the source lets it grow with the
    logarithm of the round. The prior mean need not be 0.

    Parameters
    ----------
    arms, length_scale, signal_variance, noise_variance, prior_mean, exploration, window, seed
        As for ``WindowedGPUCB``. ``noise_variance`` is 0.0001 by default and may be 0; ``window`` is 150 by default.
    forgetting
        epsilon, the part of the function that is new after one time unit, at least 0 and below 1; default 0.01. A
        larger value forgets faster; 0 is for rewards that do not drift.
    time_unit
        Length of a round, in units of the caller's clock, or a ``timedelta`` where times are datetimes; default 0.001,
        for 1,000 rounds from time 0 to 1. A larger value forgets more slowly. Set it to the time between two pulls.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.TimeVaryingGPUCB(qd.Arms.grid(-1, 1, 5), forgetting=0.1, time_unit=1.0, seed=0)
    >>> policy.update([0.0, 5.0], [1, 3], [0.9, 0.6])
    >>> mean, std = policy.estimate(time=6.0)
    >>> mean.round(2), std.round(2)
    (array([0.75, 0.86, 0.75, 0.61, 0.74]), array([0.16, 0.11, 0.16, 0.05, 0.16]))
    """

    def __init__(
        self,
        arms: Arms,
        length_scale: float = 0.1,
        forgetting: float = 0.01,
        time_unit: Span = 1e-3,
        signal_variance: float = 0.025,
        noise_variance: float = 1e-4,
        prior_mean: PriorMean = "average",
        exploration: float = 2.0,
        window: int = 150,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, window, prior_mean, exploration, seed)
        drift = Forgetting(forgetting, self._clock.span("time_unit", time_unit))
        correlations = ArmCorrelations(arms, length_scale)
        self.process = DriftingProcess(correlations, signal_variance, noise_variance, self.window, drift)
