"""GP-UCB with discounted observations (WGP-UCB)."""

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Seed
from quickdraw_bandits.gaussian_process import ArmCorrelations, WeightedProcess
from quickdraw_bandits.policies.windowed_gp_ucb import PriorMean, WindowedGPUCB
from quickdraw_bandits.times import Span


class WeightedGPUCB(WindowedGPUCB):
    """GP-UCB on a Gaussian-process regression that gives old observations less weight.

    Deng, Zhou, Kim, Tewari, Gupta and Shroff, *Weighted Gaussian process bandits for non-stationary environments*
    (2022). The estimate in round t minimises

    sum_s w_s (y_s - f(x_s))² + lambda_t |f|²,        w_s = eta^-s,  lambda_t = lambda eta^-t,

    where |f| is the norm of the kernel k(x, x') = exp(-D(x, x')² / (2 l²)). Only the ratios w_s / lambda_t =
    eta^(t - s) / lambda matter. So it is the posterior of a function that does not drift, where an observation of age
    a has the noise variance σ² eta^-a and lambda = σ² / s². With W = diag(eta^(t - s)) and the kernel matrix K of the
    observed arms,

        mean = k(x)' W^½ (W^½ K W^½ + lambda I)⁻¹ W^½ y
        std² = s² (k(x, x) - k(x)' W^½ (W^½ K W^½ + lambda I)⁻¹ W^½ k(x)).

    These formulas were checked against the code that Hong, Li and Tewari, *An optimization-based algorithm for
    non-stationary kernel bandits without prior knowledge* (2023), compare with, not against the text of the source.
    The width may differ: analyses of weighted estimates, such as that of Russac et al. (2019) for linear ones, use a
    norm that also contains the squared weights and is never larger.

    Differs from the source in four ways. Rounds are real times divided by ``time_unit``. Only the latest
    ``window`` observations count. The exploration is constant. The prior mean need not be 0.

    Parameters
    ----------
    arms, length_scale, signal_variance, noise_variance, prior_mean, exploration, window, seed
        As for ``WindowedGPUCB``. ``noise_variance`` applies to a fresh observation, is 0.001 by default and must be
        above 0; ``window`` is 150 by default. A choice takes time proportional to window² · (window + K).
    discount
        eta, the weight left after one time unit, above 0 and at most 1; default 0.98. A larger value forgets more
        slowly; 1 is for rewards that do not drift.
    time_unit
        As for ``TimeVaryingGPUCB``.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.WeightedGPUCB(qd.Arms.grid(-1, 1, 5), discount=0.5, time_unit=1.0, seed=0)
    >>> policy.update([0.0, 5.0], [1, 3], [0.9, 0.6])
    >>> policy.estimate(time=6.0)[0].round(2)
    array([0.75, 0.79, 0.75, 0.61, 0.74])
    """

    def __init__(
        self,
        arms: Arms,
        length_scale: float = 0.1,
        discount: float = 0.98,
        time_unit: Span = 1e-3,
        signal_variance: float = 0.025,
        noise_variance: float = 1e-3,
        prior_mean: PriorMean = "average",
        exploration: float = 2.0,
        window: int = 150,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, window, prior_mean, exploration, seed)
        unit = self._clock.span("time_unit", time_unit)
        correlations = ArmCorrelations(arms, length_scale)
        self.process = WeightedProcess(correlations, signal_variance, noise_variance, self.window, discount, unit)
