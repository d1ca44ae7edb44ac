"""Confidence intervals of means and shares."""

import math
from collections.abc import Sequence

import numpy as np


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and the ends of its 95 % confidence interval by Student's t.

    A single value has no interval: both ends are the value itself.

    Examples
    --------
    >>> [round(x, 3) for x in mean_interval([1.0, 2.0, 3.0])]
    [2.0, -0.484, 4.484]
    """
    from scipy.special import stdtrit

    mean, n = float(np.mean(values)), len(values)
    if n < 2:
        return mean, mean, mean
    half = float(stdtrit(n - 1, 0.975) * np.std(values, ddof=1) / math.sqrt(n))
    return mean, mean - half, mean + half


def share_interval(hits: int, n: int) -> tuple[float, float, float]:
    """Return the share of hits and the ends of its exact 95 % confidence interval (Clopper-Pearson).

    Examples
    --------
    >>> [round(x, 3) for x in share_interval(2, 20)]
    [0.1, 0.012, 0.317]
    """
    from scipy.special import betaincinv

    low = 0.0 if hits == 0 else float(betaincinv(hits, n - hits + 1, 0.025))
    high = 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, 0.975))
    return hits / n, low, high
