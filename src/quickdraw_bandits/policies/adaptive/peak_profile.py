"""Rewards at a peak and far from it, learned while it is not known where the peak is."""

import math
from typing import NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats

LEAST_SPREAD = 0.02
"""The least standard deviation of rewards, in units of the height of the peak."""
AT_THE_PEAK = 0.1
"""Share of the first rewards that count as rewards of the peak."""

FARTHEST = 1e6
"""Rewards farther from the first ones, in units of the height of the peak, count as this far."""
SMALLEST_UNIT, ROUNDING = 1e-290, 1e-12
"""Rewards that differ by less, or by less in units of their size, are alike."""
LARGEST = 1.7e308


class Profile(NamedTuple):
    """Mean and variance of rewards far from the peak and at the peak."""

    low: float
    high: float
    low_variance: float
    high_variance: float

    @property
    def height(self) -> float:
        """How far the peak stands out, in standard deviations of rewards, the larger of both."""
        return (self.high - self.low) / math.sqrt(max(self.low_variance, self.high_variance))


class Sums(NamedTuple):
    """Fading sums over rewards y and how near h to the peak they were: what a profile is computed from.

    ``weight`` is that of all rewards; ``low_squares`` and ``high_squares`` are their squared differences from their
    mean, with the weights 1 - h and h.
    """

    weight: float
    h: float
    hh: float
    y: float
    yh: float
    low_squares: float
    high_squares: float

    @classmethod
    def of(cls, profile: Profile, count: float) -> "Sums":
        """Return sums that have a profile, as if of so many rewards; a tenth of them at the peak."""
        near = AT_THE_PEAK * count
        low, high = (count - near) * profile.low, near * profile.high
        squares = (count - near) * profile.low_variance, near * profile.high_variance
        return cls(float(count), near, near, low + high, high, *squares)


class Known(NamedTuple):
    """A profile, and the sums that it is computed from."""

    profile: Profile
    sums: Sums


class Units(NamedTuple):
    """How a filter counts rewards: from ``centre``, in units of ``unit``."""

    centre: float
    unit: float

    def value(self, reward: float) -> float:
        """Return a reward in these units, at most a million of them."""
        return min(max(reward / self.unit - self.centre / self.unit, -FARTHEST), FARTHEST)


def first_profile(rewards: Floats) -> tuple[Profile, Units] | None:
    """Return what the first rewards say, in units in which low is 0 and high is 1; None if they do not differ.

    Low is their median, as most arms are far from the peak, and high is the largest.

    Examples
    --------
    >>> first_profile(np.array([2.0, 2.0, 2.5, 4.0, 1.5]))
    (Profile(low=0.0, high=1.0, low_variance=0.09, high_variance=0.1111111111111111), Units(centre=2.0, unit=2.0))
    """
    halves = rewards / 2  # because the difference of two rewards can exceed the largest number
    middle = float(np.median(halves))
    unit = min(2 * (float(halves.max()) - middle), LARGEST)
    units = Units(2 * middle, unit)
    if unit <= max(SMALLEST_UNIT, ROUNDING * abs(middle)):
        return None
    spread = max(float(np.mean([abs(units.value(reward)) for reward in rewards.tolist()])), LEAST_SPREAD)
    return Profile(0.0, 1.0, spread**2, 1.0 / 9.0), units
