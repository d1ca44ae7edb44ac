"""GP-UCB with a known covariance over arms and time: the yardstick."""

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Seed, not_negative, positive, scale
from quickdraw_bandits.gaussian_process import ArmCorrelations, DriftingProcess, SquaredExponential
from quickdraw_bandits.policies.windowed_gp_ucb import PriorMean, WindowedGPUCB


class SpaceTimeGPUCB(WindowedGPUCB):
    """Plays the arm with the highest upper bound of a Gaussian process over arms and time, all of it given.

    Srinivas et al. (2010) with a product of squared-exponential kernels, as Bogunovic et al. (2016) name among the
    alternatives to theirs and Nyikosa et al. (2018) fit to data. The covariance of the rewards of two arms at two
    times is

    k(x, t; x', t') = s² exp(-D(x, x')² / (2 l²)) exp(-(t - t')² / (2 l_t²)),

    plus the noise variance σ² for an observation with itself. The index is ``mean + exploration * std`` of the
    posterior at the time of the choice, given the latest ``window`` observations.

    Nothing is fitted. On a random field whose covariance is this one, and whose parameters it is given, no estimate
    from the same observations is better, so that its regret is about what is attainable (``quickdraw_lab.yardstick``).

    Parameters
    ----------
    arms
        The choices; any metric. Cosine and haversine are compared by chords (``gaussian_process.coordinates``);
        for precomputed distances the covariance may fail to be one, see ``jitter``.
    length_scale
        l, in units of the arms' scaled distance.
    time_scale
        l_t, in units of the caller's clock.
    signal_variance
        s², how far rewards spread about the prior mean.
    noise_variance
        σ²; 0 is allowed.
    prior_mean
        A number, or the ``"average"`` of the window.
    exploration
        How many standard deviations are added to the mean.
    window
        How many of the latest observations count; a choice among K arms takes time as window² · K.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

    Attributes
    ----------
    jitter
        The noise variance that was added so that the covariance could be factored; 0 unless it was needed.

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
        time_scale: float = 0.1,
        signal_variance: float = 0.025,
        noise_variance: float = 1e-4,
        prior_mean: PriorMean = "average",
        exploration: float = 2.0,
        window: int = 300,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, window, prior_mean, exploration, seed)
        self.process = DriftingProcess(
            ArmCorrelations(arms, length_scale),
            positive("signal_variance", signal_variance),
            not_negative("noise_variance", noise_variance),
            self.window,
            SquaredExponential(scale("time_scale", time_scale)),
        )
