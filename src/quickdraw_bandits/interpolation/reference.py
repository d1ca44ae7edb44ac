"""The estimate and the index in plain NumPy, as the paper writes them: the oracle that tests compare engines with."""

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.kernel import Kernel


def plain_estimate(kernel: Kernel, distances: Floats, ages: Floats, rewards: Floats) -> tuple[Floats, Floats]:
    """Return the mean and standard deviation at every arm.

    nu_s = 1 / sigma²_s                                (E1, E3, E9)
    Sigma = (sum_s nu_s)^(-1/(2p))                     (E2; p = 1 is the paper's)
    mu = sum_s nu_s y_s / sum_s nu_s

    Parameters
    ----------
    kernel
        The parameters.
    distances
        D(x, x_s), shape (observations, arms).
    ages
        t - t_s, one per observation.
    rewards
        y_s, one per observation.
    """
    nu = precision(kernel, distances, ages[:, None])
    total = nu.sum(axis=0)
    return rewards @ nu / total, total ** (-1 / (2 * kernel.sharpness))


def precision(kernel: Kernel, distances: Floats, ages: Floats) -> Floats:
    """Return 1 / sigma²_s for each observation (E1, E3, E9)."""
    r2 = (distances / kernel.length_scale) ** 2
    if kernel.time_scale is not None:
        r2 = r2 + (ages / kernel.time_scale) ** 2
    return np.asarray(1 / (kernel.noise_variance + r2) ** kernel.sharpness)


def upper_bound(mean: Floats, std: Floats, gamma: float, cap: float) -> Floats:
    """Return the index min(mu + gamma Sigma, cap) (E4).

    Without exploration, gamma = 0, the index is the mean: also where Sigma is infinite. This is the only place where
    the index is written down; engines use it as it is, and compiled for single arms (``index.py``).
    """
    return np.minimum(mean + gamma * std if gamma > 0 else mean, cap)
