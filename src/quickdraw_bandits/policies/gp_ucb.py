"""GP-UCB for rewards that do not drift, on this package's own Gaussian process or on an outside one (B5)."""

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Literal, get_args

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, number
from quickdraw_bandits.gaussian_process import Parameters, Sample, coordinates, posterior
from quickdraw_bandits.gaussian_process import fit as fit_parameters
from quickdraw_bandits.policies.gaussian_process_ucb import GaussianProcessUCB

Library = Literal["own", "scikit-learn", "george"]

Estimator = Callable[[Floats, Integers, Floats, Parameters, bool], tuple[Parameters, Floats, Floats]]
"""Points, positions observed, values, parameters, whether to fit: parameters, and means and stds at all points."""


_MODULES = {"own": "numpy", "scikit-learn": "sklearn", "george": "george"}


class GPUCB(GaussianProcessUCB):
    """Plays the arm with the highest upper bound of a Gaussian process on all observations.

    Srinivas et al. (2010), with a constant exploration: the index is ``mean + exploration * std``, std being that
    of the function without noise. The prior mean is zero. For the run times of F1 the same policy runs on two
    outside libraries; for the same parameters all three give the same estimates.

    Parameters
    ----------
    arms
        The choices; euclidean, cosine or haversine, see ``gaussian_process.coordinates``.
    library
        ``"own"``, ``"scikit-learn"`` or ``"george"``; the last two need the extra ``gaussian-processes``.
    fit
        Fit the parameters by maximum likelihood before every choice, each time from those given: the optimum of
        a few observations often lies at a bound, from where no later search would come back. If False, those
        given are used as they are.
    signal_variance, length_scale, noise_variance
        s², l (in units of the scaled distances between arms) and σ², or where every fit starts.
    exploration
        How many standard deviations are added to the mean.
    seed
        An integer or a ``numpy.random.Generator``.

    Attributes
    ----------
    parameters
        Those used for the latest choice.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.GPUCB(qd.Arms.grid(-1, 1, 101), fit=False, seed=0)
    >>> arms = np.arange(0, 101, 5)
    >>> policy.update(arms / 101, arms, np.exp(-(((arms - 40) / 20) ** 2)))
    >>> policy.select(time=1.0)
    40
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
        if library not in get_args(Library):
            raise ValueError(f"library must be one of {', '.join(get_args(Library))}, got {library!r}")
        if find_spec(_MODULES[library]) is None:
            raise ImportError(
                f'{library} is not installed; get it with pip install "quickdraw-bandits[gaussian-processes]"'
            )
        self.library = library
        self.fit = bool(fit)
        self._start = Parameters(signal_variance, length_scale, noise_variance)
        self.parameters = self._start
        self._points = coordinates(arms.points, arms.metric, arms.unit)
        self._estimator: Estimator = {"own": _own, "scikit-learn": _scikit_learn, "george": _george}[library]
        self._arms: Integers = np.empty(0, dtype=np.int64)
        self._rewards: Floats = np.empty(0)
        self._estimate: tuple[Floats, Floats] | None = None

    def estimate(self, time: float) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of every arm; they are the same whatever the time is."""
        number("time", time)
        if len(self._rewards) == 0:
            return np.zeros(len(self.arms)), np.full(len(self.arms), np.sqrt(self.parameters.signal_variance))
        if self._estimate is None:
            self.parameters, mean, std = self._estimator(self._points, self._arms, self._rewards, self._start, self.fit)
            self._estimate = mean, std
        mean, std = self._estimate
        return mean.copy(), std.copy()

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._arms = np.concatenate([self._arms, arms])
        self._rewards = np.concatenate([self._rewards, rewards])
        self._estimate = None


def _own(
    points: Floats, positions: Integers, values: Floats, parameters: Parameters, fit: bool
) -> tuple[Parameters, Floats, Floats]:
    sample = Sample.merged(points, positions, values)
    if fit:
        parameters = fit_parameters(sample, parameters).parameters
    return parameters, *posterior(parameters, sample, points)


def _scikit_learn(
    points: Floats, positions: Integers, values: Floats, parameters: Parameters, fit: bool
) -> tuple[Parameters, Floats, Floats]:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    kernel = ConstantKernel(parameters.signal_variance) * RBF(parameters.length_scale)
    kernel += WhiteKernel(parameters.noise_variance)
    process = GaussianProcessRegressor(kernel, alpha=0.0, optimizer="fmin_l_bfgs_b" if fit else None)
    with warnings.catch_warnings():
        # It warns of parameters at their bounds, which is where those of data without noise belong.
        warnings.simplefilter("ignore")
        process.fit(points[positions], values)
    parameters = Parameters(*np.exp(process.kernel_.theta))
    mean, std = process.predict(points, return_std=True)
    # Its std is that of an observation; the function's is less by the noise.
    return parameters, mean, np.sqrt(np.maximum(std**2 - parameters.noise_variance, 0.0))


def _george(
    points: Floats, positions: Integers, values: Floats, parameters: Parameters, fit: bool
) -> tuple[Parameters, Floats, Floats]:
    import george
    from scipy.optimize import minimize

    dimension = points.shape[1]
    kernel = parameters.signal_variance * george.kernels.ExpSquaredKernel(parameters.length_scale**2, ndim=dimension)
    process = george.GP(kernel, white_noise=np.log(parameters.noise_variance), fit_white_noise=True)
    process.compute(points[positions])
    if fit:
        # Its vector is (log σ², log s², log l²), the constant divided by the dimension; bounds as scikit-learn's.
        bound, shift = np.log(1e5), np.log(dimension)

        def loss(logs: Floats) -> tuple[float, Floats]:
            process.set_parameter_vector(logs)
            return -process.log_likelihood(values, quiet=True), -process.grad_log_likelihood(values, quiet=True)

        bounds = [(-bound, bound), (-bound - shift, bound - shift), (-2 * bound, 2 * bound)]
        found: Any = minimize(loss, process.get_parameter_vector(), jac=True, method="L-BFGS-B", bounds=bounds)
        process.set_parameter_vector(found.x)
        log_noise, log_signal, log_squared_length = found.x
        parameters = Parameters(*np.exp([log_signal + shift, log_squared_length / 2, log_noise]))
    mean, variance = process.predict(values, points, return_var=True)
    return parameters, mean, np.sqrt(np.maximum(variance, 0.0))
