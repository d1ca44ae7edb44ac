"""Telling when Quick-Draw cannot learn, because times or rewards are in other units than its parameters."""

import warnings
from math import inf

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation import Kernel

LATEST = 16
"""How many of the latest moments of a pull must have found nothing that counted: a pause now and then is no fault."""

AS_IN_THE_PAPER = 2e-3
"""The part of the cap that gamma Sigma reaches between two pulls of the same arm, in the paper: 1e-3 l_t apart."""


class ScaleWarning(UserWarning):
    """Quick-Draw chooses at random, because times or rewards are in other units than its parameters."""


def least_deviation(ages: Floats, kernel: Kernel) -> float:
    """Return a bound from below of Sigma at any arm: its value if all observations were of this very arm.

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


def all_was_too_old(times: Floats, kernel: Kernel, gamma: float, needed: float) -> bool:
    """Tell whether gamma Sigma was at least ``needed`` at every arm, at each of the latest moments of a pull."""
    moments = np.unique(times)
    if len(moments) <= LATEST:
        return False
    return all(
        gamma * least_deviation(moment - times[times < moment], kernel) >= needed for moment in moments[-LATEST:]
    )


def warn_if_nothing_counts(times: Floats, least_reward: float, kernel: Kernel, gamma: float, cap: float) -> bool:
    """Warn, and return True, if every arm is sure to have reached the cap, so that choices are at random.

    mu is at least the least reward. So every index min(mu + gamma Sigma, cap) is the cap if that reward is above it, or
    if gamma Sigma alone takes an arm there that has paid the least, or nothing.
    """
    needed = cap - min(least_reward, 0.0)
    if least_reward > cap:
        problem = (
            f"every reward so far is above cap={cap:g}. Divide rewards by the most that you expect, or give cap=None "
            "and an exploration in units of your rewards"
        )
    elif kernel.time_scale and 0 < needed < inf and all_was_too_old(times, kernel, gamma, needed):
        gap = float(np.median(np.diff(np.unique(times)[-LATEST:])))
        longer = gamma * gap / (AS_IN_THE_PAPER * needed)
        problem = (
            f"all it has seen is too old to count: pulls are {gap:g} apart in time, and time_scale="
            f"{kernel.time_scale:g}. Give a longer one, such as {longer:g}, or None for rewards that do not drift"
        )
    else:
        return False
    message = f"QuickDraw chooses at random, because {problem}; or take AdaptiveQuickDraw, which learns its scales"
    warnings.warn(message, ScaleWarning, stacklevel=5)  # of the caller of select
    return True
