"""GP-UCB for a function that takes a random step every round."""

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Seed, not_negative, number, positive, scale
from quickdraw_bandits.gaussian_process import ArmCorrelations, DriftingProcess, Forgetting
from quickdraw_bandits.policies.windowed_gp_ucb import PriorMean, WindowedGPUCB


class TimeVaryingGPUCB(WindowedGPUCB):
    """Plays the arm with the highest upper bound of a Gaussian process that forgets at a steady rate (TV-GP-UCB).

    Bogunovic, Scarlett & Cevher, *Time-varying Gaussian process bandit optimization* (AISTATS 2016). From one round
    to the next the function f changes to ``sqrt(1 - epsilon) f + sqrt(epsilon) g``, with g a fresh draw of the same
    process. Hence the covariance of the rewards of two arms in rounds t and t' is

    k(x, t; x', t') = s² exp(-D(x, x')² / (2 l²)) (1 - epsilon)^(|t - t'| / 2),

    plus the noise variance σ² for an observation with itself. The index is ``mean + exploration * std`` of the
    posterior at the time of the choice.

    It departs from the source in four ways. Rounds are real times over ``time_unit``, so that they need not be evenly
    spaced. Only the latest ``window`` observations count; the source keeps all, whose weight decreases as above. The
    exploration is a constant in place of a schedule that grows with the logarithm of the round. The prior mean need
    not be zero.

    Parameters
    ----------
    arms
        The choices; any metric. Cosine and haversine are compared by chords (``gaussian_process.coordinates``);
        for precomputed distances the covariance may fail to be one, see ``jitter``.
    length_scale
        l, in units of the arms' scaled distance.
    forgetting
        epsilon, from 0 (nothing changes) to below 1: how much of the function is new after one time unit.
    time_unit
        The length of a round on the caller's clock. The default is that of the paper's test bed, which has 1,000
        rounds from time 0 to 1.
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
        time_unit: float = 1e-3,
        signal_variance: float = 0.025,
        noise_variance: float = 1e-4,
        prior_mean: PriorMean = "average",
        exploration: float = 2.0,
        window: int = 150,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, window, prior_mean, exploration, seed)
        if not 0 <= number("forgetting", forgetting) < 1:
            raise ValueError(f"forgetting must be at least 0 and below 1, got {forgetting!r}")
        self.process = DriftingProcess(
            ArmCorrelations(arms, length_scale),
            positive("signal_variance", signal_variance),
            not_negative("noise_variance", noise_variance),
            self.window,
            Forgetting(float(forgetting), scale("time_unit", time_unit)),
        )
