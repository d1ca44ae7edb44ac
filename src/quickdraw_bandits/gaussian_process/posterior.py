"""What is known of the function once it has been observed."""

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.gaussian_process.parameters import Parameters
from quickdraw_bandits.gaussian_process.sample import Sample

BLOCK = 256
"""Points predicted at a time, so that the matrices between them and the observations stay in the cache."""


def posterior(parameters: Parameters, sample: Sample, points: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of the function, without noise, at every point.

    ``condition`` with the RBF kernel, for a prior mean of zero.

    Examples
    --------
    >>> points = np.array([[0.0], [0.5], [9.0]])
    >>> sample = Sample.merged(points, np.array([0]), np.array([1.0]))
    >>> mean, std = posterior(Parameters(1.0, 0.5, 1e-12), sample, points)
    >>> mean.round(3), std.round(3)
    (array([1.   , 0.607, 0.   ]), array([0.   , 0.795, 1.   ]))
    """
    from quickdraw_bandits.gaussian_process.compiled import rbf

    s2, length = parameters.signal_variance, parameters.length_scale
    covariance = s2 * rbf(sample.points, sample.points, length)
    covariance[np.diag_indices_from(covariance)] += parameters.noise_variance / sample.counts
    factor = factorise(covariance)
    mean, std = np.empty(len(points)), np.empty(len(points))
    for start in range(0, len(points), BLOCK):
        block = slice(start, start + BLOCK)
        cross = rbf(sample.points, points[block], length)
        cross *= s2
        mean[block], std[block] = condition(factor, cross, s2, sample.means)
    return mean, std


def condition(factor: Floats, cross: Floats, variance: float | Floats, values: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation given the Cholesky factor of the observations' covariance.

    Rasmussen & Williams, equations 2.25 and 2.26, with A = L L' the covariance of the observed values, k the
    covariances of them with one point (a column of ``cross``, which is overwritten) and v its prior variance::

        mean = k' A⁻¹ y = (L⁻¹ k)' (L⁻¹ y)
        std² = v - k' A⁻¹ k = v - |L⁻¹ k|²
    """
    from quickdraw_bandits.gaussian_process.compiled import forward_substitute

    whitened = values[:, None].copy()
    forward_substitute(factor, whitened)
    forward_substitute(factor, cross)
    mean = np.einsum("i,ij->j", whitened[:, 0], cross)
    return mean, np.sqrt(np.maximum(variance - np.einsum("ij,ij->j", cross, cross), 0.0))


def factorise(covariance: Floats) -> Floats:
    """Return the lower Cholesky factor; a matrix that rounding has made indefinite gets a little more diagonal."""
    from quickdraw_bandits.gaussian_process.compiled import cholesky

    positive, factor = cholesky(covariance)
    jitter = 1e-14 * float(np.trace(covariance)) / len(covariance)
    while not positive:
        jitter *= 10
        positive, factor = cholesky(covariance + jitter * np.eye(len(covariance)))
    return np.asarray(factor)
