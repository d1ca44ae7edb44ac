"""The Gaussian processes that GP-UCB can run on: this package's own, scikit-learn's and george's."""

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Literal, get_args

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.extras import missing_extra
from quickdraw_bandits.gaussian_process import Parameters, Sample, posterior
from quickdraw_bandits.gaussian_process import fit as fit_parameters

Library = Literal["own", "scikit-learn", "george"]

Estimator = Callable[[Floats, Integers, Floats, Parameters, bool], tuple[Parameters, Floats, Floats]]
"""Takes all points, the positions observed, their rewards, parameters, and whether to fit; returns parameters, means
and standard deviations at all points."""

_MODULES = {"own": "numpy", "scikit-learn": "sklearn", "george": "george"}


def estimator(library: Library) -> Estimator:
    """Return the estimator of a library, or raise if the name is unknown or the library is not installed."""
    if library not in get_args(Library):
        raise ValueError(f"library must be one of {', '.join(get_args(Library))}, got {library!r}")
    if find_spec(_MODULES[library]) is None:
        raise missing_extra(f"estimates by {library}", library, "gaussian-processes")
    return {"own": _own, "scikit-learn": _scikit_learn, "george": _george}[library]


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
        # It warns of parameters at their bounds; without noise in the data, that is where they belong.
        warnings.simplefilter("ignore")
        process.fit(points[positions], values)
    parameters = Parameters(*np.exp(process.kernel_.theta))
    mean, std = process.predict(points, return_std=True)
    # Its std includes the noise of an observation.
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
        # Its vector is (log σ², log s², log l²), with s² divided by the dimension. Bounds are scikit-learn's.
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
