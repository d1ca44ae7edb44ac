"""GP-UCB in which old observations weigh less."""

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Seed, number, positive, scale
from quickdraw_bandits.gaussian_process import ArmCorrelations, WeightedProcess
from quickdraw_bandits.policies.windowed_gp_ucb import PriorMean, WindowedGPUCB


class WeightedGPUCB(WindowedGPUCB):
    """Plays the arm with the highest upper bound of a weighted Gaussian-process regression (WGP-UCB).

    Deng, Zhou, Kim, Tewari, Gupta & Shroff, *Weighted Gaussian process bandits for non-stationary environments*
    (AISTATS 2022). The estimate in round t minimises

    sum_s w_s (y_s - f(x_s))² + lambda_t |f|²,        w_s = eta^-s,  lambda_t = lambda eta^-t,

    where |f| is the norm that belongs to the kernel k(x, x') = exp(-D(x, x')² / (2 l²)). Only the ratios w_s / lambda_t
    = eta^(t - s) / lambda matter: it is the posterior of a function that stands still, of which an observation of age
    a has the noise variance σ² eta^-a, with lambda = σ² / s². In numbers, with W = diag(eta^(t - s)) and K the kernel
    of the observed arms,

    mean = k(x)' W^½ (W^½ K W^½ + lambda I)⁻¹ W^½ y
    std² = s² (k(x, x) - k(x)' W^½ (W^½ K W^½ + lambda I)⁻¹ W^½ k(x)),

    and the index is ``mean + exploration * std``.

    Weights, lambda_t and width were checked against the code in which others compare themselves with it, that of Hong,
    Li and Tewari, *An optimization-based algorithm for non-stationary kernel bandits without prior knowledge* (2023),
    not against the text of the source. There may be a difference in the width: an analysis of weighted estimates, as
    Russac et al. (2019) give for linear ones, measures it in a norm that has the squares of the weights as well and is
    never larger.

    It departs from the source in these ways. Rounds are real times over ``time_unit``. Only the latest ``window``
    observations count. The exploration is a constant in place of a bound that holds with high probability. The prior
    mean need not be zero.

    Parameters
    ----------
    arms
        The choices; any metric. Cosine and haversine are compared by chords (``gaussian_process.coordinates``);
        for precomputed distances the kernel may fail to be one, see ``jitter``.
    length_scale
        l, in units of the arms' scaled distance.
    discount
        eta, above 0 and at most 1: the weight that an observation has left after one time unit.
    time_unit
        The length of a round on the caller's clock. The default is that of the paper's test bed, which has 1,000
        rounds from time 0 to 1.
    signal_variance
        s², how far rewards spread about the prior mean.
    noise_variance
        σ², that of a fresh observation; lambda is ``noise_variance / signal_variance``.
    prior_mean
        A number, or the ``"average"`` of the window.
    exploration
        How many standard deviations are added to the mean.
    window
        How many of the latest observations count; a choice among K arms takes time as window² · (window + K).
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

    Attributes
    ----------
    jitter
        The noise variance that was added so that the latest matrix could be factored; 0 unless it was needed.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.WeightedGPUCB(qd.Arms.grid(-1, 1, 5), discount=0.5, time_unit=1.0, seed=0)
    >>> policy.update([0.0, 5.0], [1, 3], [0.9, 0.6])
    >>> mean, std = policy.estimate(time=6.0)
    >>> mean.round(2), std.round(2)
    (array([0.75, 0.79, 0.75, 0.61, 0.74]), array([0.16, 0.13, 0.16, 0.04, 0.16]))
    """

    def __init__(
        self,
        arms: Arms,
        length_scale: float = 0.1,
        discount: float = 0.98,
        time_unit: float = 1e-3,
        signal_variance: float = 0.025,
        noise_variance: float = 1e-3,
        prior_mean: PriorMean = "average",
        exploration: float = 2.0,
        window: int = 150,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, window, prior_mean, exploration, seed)
        if not 0 < number("discount", discount) <= 1:
            raise ValueError(f"discount must be above 0 and at most 1, got {discount!r}")
        self.process = WeightedProcess(
            ArmCorrelations(arms, length_scale),
            positive("signal_variance", signal_variance),
            positive("noise_variance", noise_variance),
            self.window,
            float(discount),
            scale("time_unit", time_unit),
        )
