"""GP-UCB for rewards that do not drift, on this package's own Gaussian process or an outside one (B5)."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Seed
from quickdraw_bandits.gaussian_process import Parameters
from quickdraw_bandits.policies.gaussian_process_ucb import StationaryGPUCB
from quickdraw_bandits.policies.gp_libraries import Library, estimator


class GPUCB(StationaryGPUCB):
    """GP-UCB on all observations, with prior mean 0.

    Srinivas et al. (2010) with a constant exploration. To compare run times (F1), the policy also runs on two outside
    libraries; with the same parameters all three give the same estimates.

    Parameters
    ----------
    arms, exploration, seed
        As for ``StationaryGPUCB``.
    library
        ``"own"`` (default), ``"scikit-learn"`` or ``"george"``. The last two need the extra ``gaussian-processes``.
    fit
        True (default) fits the parameters by maximum likelihood before every choice, always starting from the given
        ones: with few observations the optimum is often at a bound, and a search from there would not come back.
        False uses the given parameters, which is much faster.
    signal_variance
        s², variance of the mean reward about 0, in squared units of the reward; default 1. A larger value explores
        more.
    length_scale
        l, in units of the arms' scaled distance; default 0.1. A larger value generalises further.
    noise_variance
        σ², variance of the noise of one observation, in squared units of the reward; default 0.001. A larger value
        trusts single observations less.

    Attributes
    ----------
    parameters
        The parameters of the latest choice.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.GPUCB(qd.Arms.grid(-1, 1, 5), fit=False, length_scale=0.2, seed=0)
    >>> policy.update([0.0, 1.0, 2.0], [0, 2, 4], [0.1, 0.9, 0.3])
    >>> policy.select(time=3.0)
    3
    """

    def __init__(
        self,
        arms: Arms,
        library: Library = "own",
        fit: bool = True,
        signal_variance: float = 1.0,
        length_scale: float = 0.1,
        noise_variance: float = 1e-3,
        exploration: float = 2.0,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, exploration, seed)
        self._estimator = estimator(library)
        self.library = library
        self.fit = bool(fit)
        self._start = Parameters(signal_variance, length_scale, noise_variance)
        self.parameters = self._start

    def _new_estimate(self) -> tuple[Floats, Floats]:
        n = len(self._seen)
        if n == 0:
            return np.zeros(len(self.arms)), np.full(len(self.arms), np.sqrt(self.parameters.signal_variance))
        seen = self._seen.arms[:n], self._seen.rewards[:n]
        self.parameters, mean, std = self._estimator(self._points, *seen, self._start, self.fit)
        return mean, std

    def _parameters(self) -> Parameters:
        return self.parameters
