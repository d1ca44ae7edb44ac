"""The log marginal likelihood of observations, in the plain form."""

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.gaussian_process.parameters import Parameters


def log_marginal_likelihood(parameters: Parameters, points: Floats, values: Floats) -> tuple[float, Floats]:
    """Return log p(y) and its gradient in (log s², log l, log σ²).

    Rasmussen & Williams, equations 5.8 and 5.9, with A = s² C + σ² I and α = A⁻¹ y::

        log p(y)   = - y'α / 2 - log|A| / 2 - n log(2π) / 2
        d log p(y) = tr((α α' - A⁻¹) dA) / 2

    where dA/dlog s² = s² C, dA/dlog l = s² C ∘ |x - x'|² / l² and dA/dlog σ² = σ² I. Nothing is merged or
    compiled here: this is what the faster ``Profile`` is tested against.

    Examples
    --------
    >>> value, gradient = log_marginal_likelihood(Parameters(1.0, 1.0, 1.0), np.zeros((1, 1)), np.zeros(1))
    >>> round(value, 6), gradient
    (-1.265512, array([-0.25, 0. , -0.25]))
    """
    s2, length, noise = parameters.signal_variance, parameters.length_scale, parameters.noise_variance
    squared = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    signal = s2 * np.exp(-squared / (2 * length**2))
    covariance = signal + noise * np.eye(len(values))
    inverse = np.linalg.inv(covariance)
    alpha = inverse @ values
    _, log_determinant = np.linalg.slogdet(covariance)
    value = -(values @ alpha + log_determinant + len(values) * np.log(2 * np.pi)) / 2
    inner = np.outer(alpha, alpha) - inverse
    gradient = [np.sum(inner * signal), np.sum(inner * signal * squared) / length**2, noise * np.trace(inner)]
    return float(value), np.array(gradient) / 2
