"""Warn where Quick-Draw cannot learn, because times or rewards are in other units than its parameters."""

import warnings
from math import inf, sqrt

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation import Kernel
from quickdraw_bandits.observations import Observations

LATEST = 16
"""Latest pull times at which all earlier observations must have been too old: a single pause is no mistake."""

AS_IN_THE_PAPER = 2e-3
"""gamma Sigma as a share of the cap between two pulls of the same arm, in the paper: they are 1e-3 l_t apart."""


class ScaleWarning(UserWarning):
    """Quick-Draw cannot tell arms apart, because times or rewards are in other units than its parameters."""


def least_deviation(ages: Floats, kernel: Kernel) -> float:
    """Return a lower bound of Sigma at any arm: its value if all observations were of that arm.

    Sigma >= (sum_s (rho² + (age_s / l_t)²)^(-p))^(-1/(2p))      (E2, with D = 0 in E3 and E9)

    Examples
    --------
    >>> least_deviation(np.array([3.0]), Kernel(length_scale=1.0, time_scale=1.5, noise_variance=1e-7, sharpness=1))
    2.0000000...
    """
    p, time_scale = kernel.sharpness, kernel.time_scale or inf
    with np.errstate(over="ignore", divide="ignore"):
        precisions = (kernel.noise_variance + np.square(ages / time_scale)) ** -p
        return float(precisions.sum() ** (-1 / (2 * p)))


def all_was_too_old(times: Floats, time: float, kernel: Kernel, gamma: float, needed: float) -> bool:
    """Return whether gamma Sigma is at least ``needed`` at every arm, because all observations are too old.

    This must hold at ``time``, and have held at each of the latest pull times, given all pulls until then except one at
    that time itself. If it holds even at age 0, the cause is the noise variance or the exploration, and not age.
    """
    moments = np.unique(times)
    if len(moments) <= LATEST or gamma * least_deviation(np.zeros(len(times)), kernel) >= needed:
        return False
    # An observation later than the time asked about counts as one as long before it.
    if gamma * least_deviation(np.abs(time - times), kernel) < needed:
        return False
    ages = (np.sort(moment - times[times <= moment])[1:] for moment in moments[-LATEST:])
    return all(gamma * least_deviation(some, kernel) >= needed for some in ages)


def is_above(cap: float, average: float, least_reward: float, n: int) -> bool:
    """Return whether the average of ``n`` rewards is above the cap by more than chance and rounding explain.

    The least of ``n`` >= 32 rewards with Gaussian noise is about two standard deviations or more below the average. So
    2 (average - least) / sqrt(n) is four standard errors or more.
    """
    return average - 2 * (average - least_reward) / sqrt(n) > cap + 1e-9 * abs(cap)


def warn_if_nothing_counts(seen: Observations, time: float, kernel: Kernel, gamma: float, cap: float) -> bool:
    """Warn, and return True, if all arms reach the cap whatever they pay.

    Either rewards are above the cap on average. Or gamma Sigma is so large that even an arm of the smallest reward, or
    of 0, reaches the cap: since mu is at least the smallest reward, every index min(mu + gamma Sigma, cap) is the cap.
    """
    times, least_reward, average = seen.times[: seen.n], seen.least_reward, seen.mean_reward
    needed = cap - min(least_reward, 0.0)
    if is_above(cap, average, least_reward, seen.n):
        problem = (
            f"cannot tell good arms apart, because rewards are {average:.3g} on average, above cap={cap:g}, and arms "
            "estimated above the cap all look the same. Divide rewards by the most that you expect, or give cap=None "
            "and an exploration in units of your rewards"
        )
    elif kernel.time_scale and 0 < needed < inf and all_was_too_old(times, time, kernel, gamma, needed):
        gap = float(np.median(np.diff(np.unique(times)[-LATEST:])))
        longer = float(f"{gamma * gap / (AS_IN_THE_PAPER * needed):.2g}")
        problem = (
            f"chooses at random, because all it has seen is too old to count: pulls are {gap:g} apart in time, and "
            f"time_scale={kernel.time_scale:g}. Give a longer one, such as {longer:g}, or None for rewards that do not "
            "drift"
        )
    else:
        return False
    message = f"QuickDraw {problem}; or take AdaptiveQuickDraw, which learns its scales"
    warnings.warn(message, ScaleWarning, stacklevel=7)  # of the caller of select
    return True
