"""GP-UCB with a known covariance over arms and time: the oracle on random fields."""

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Seed
from quickdraw_bandits.gaussian_process import ArmCorrelations, DriftingProcess, SquaredExponential
from quickdraw_bandits.policies.windowed_gp_ucb import PriorMean, WindowedGPUCB
from quickdraw_bandits.times import Span


class SpaceTimeGPUCB(WindowedGPUCB):
    """GP-UCB with squared-exponential kernels over arms and over time.

    Srinivas et al. (2010) with a product of two kernels, which Bogunovic et al. (2016) name as an alternative to
    theirs and Nyikosa et al. (2018) fit to data. The covariance of the rewards of two arms at two times is

    k(x, t; x', t') = s² exp(-D(x, x')² / (2 l²)) exp(-(t - t')² / (2 l_t²)),

    plus the noise variance σ² for an observation with itself.

    On a random field with this covariance and these parameters, no estimate from the same observations is better.
    Its regret there is about the lowest attainable.

    Parameters
    ----------
    arms, length_scale, signal_variance, noise_variance, prior_mean, exploration, window, seed
        As for ``WindowedGPUCB``. ``noise_variance`` is 0.0001 by default and may be 0; ``window`` is 300 by default.
    time_scale
        l_t, in units of the caller's clock, or a ``timedelta`` where times are datetimes; default 0.1. A larger value
        forgets more slowly. Set it to the time over which rewards stay similar.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.SpaceTimeGPUCB(qd.Arms.grid(-1, 1, 5), length_scale=0.25, prior_mean=0.5, seed=0)
    >>> policy.update([0.0, 0.01], [1, 3], [0.6, 0.9])
    >>> mean, std = policy.estimate(time=0.02)
    >>> mean.round(2), std.round(2)
    (array([0.53, 0.6 , 0.76, 0.9 , 0.74]), array([0.13, 0.03, 0.1 , 0.02, 0.13]))
    >>> policy.select(time=0.02)
    4
    """

    def __init__(
        self,
        arms: Arms,
        length_scale: float = 0.1,
        time_scale: Span = 0.1,
        signal_variance: float = 0.025,
        noise_variance: float = 1e-4,
        prior_mean: PriorMean = "average",
        exploration: float = 2.0,
        window: int = 300,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, window, prior_mean, exploration, seed)
        drift = SquaredExponential(self._clock.span("time_scale", time_scale))
        correlations = ArmCorrelations(arms, length_scale)
        self.process = DriftingProcess(correlations, signal_variance, noise_variance, self.window, drift)
