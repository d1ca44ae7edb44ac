"""The posterior of a function, given observations."""

import numpy as np

from quickdraw_bandits.arms.metrics import squared_distances
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.gaussian_process.parameters import Parameters
from quickdraw_bandits.gaussian_process.rolling_factor import factorise_with_jitter
from quickdraw_bandits.gaussian_process.sample import Sample

BLOCK = 256
"""Points predicted at a time, so that their correlations with the observations stay in the cache."""


def posterior(parameters: Parameters, sample: Sample, points: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of the function, without noise, at every point.

    Rasmussen & Williams, equations 2.25 and 2.26, for a prior mean of zero, with A = L L' the covariance of the
    observed values y, and k their covariances with one point::

        mean = k' A⁻¹ y = (L⁻¹ k)' (L⁻¹ y)
        std² = s² - k' A⁻¹ k = s² - |L⁻¹ k|²

    Examples
    --------
    >>> points = np.array([[0.0], [0.5], [9.0]])
    >>> sample = Sample.merged(points, np.array([0]), np.array([1.0]))
    >>> mean, std = posterior(Parameters(1.0, 0.5, 1e-12), sample, points)
    >>> mean.round(3), std.round(3)
    (array([1.   , 0.607, 0.   ]), array([0.   , 0.795, 1.   ]))
    """
    # These import numba, which takes longer than the rest of the package.
    from quickdraw_bandits.gaussian_process.prediction import predict
    from quickdraw_bandits.numerics.cholesky import solve

    s2, length = parameters.signal_variance, parameters.length_scale
    covariance = s2 * _correlations(sample.points, sample.points, length)
    covariance[np.diag_indices_from(covariance)] += parameters.noise_variance / sample.counts
    upper = factorise(covariance).T
    white = sample.means.copy()
    solve(upper, white)
    scales = np.full(len(white), s2)
    mean, explained = np.empty(len(points)), np.empty(len(points))
    for start in range(0, len(points), BLOCK):
        block = slice(start, start + BLOCK)
        rows = _correlations(sample.points, points[block], length)
        predict(upper, rows, 0, scales, white, mean[block], explained[block])
    return mean, np.sqrt(np.maximum(s2 - explained, 0.0))


def _correlations(a: Floats, b: Floats, length: float) -> Floats:
    return np.exp(squared_distances(a, b) * (-0.5 / length**2))


def factorise(covariance: Floats) -> Floats:
    """Return the lower Cholesky factor, with as little jitter as a matrix made indefinite by rounding needs."""
    return factorise_with_jitter(covariance, first=1e-13, smallest=0.0)[0]
