"""The step of the caller's clock, so that time scales can be counted in it."""

import numpy as np

from quickdraw_bandits.checks import Floats

TOLERATED = 2.001
"""Largest ratio of the usual time between pulls to the step before the step is changed.

Slightly above 2: where pulls become exactly twice as frequent, rounding must not decide."""
LATEST_GAPS = 64
"""The step is the median of this many latest times between pulls."""
FARTHEST = 1e9
"""Times longer than this many steps are cut to it."""


class Clock:
    """The median of the latest times between pulls, kept until it has changed by more than a factor of two.

    Pulls at one time count as one.
    """

    def __init__(self) -> None:
        self.step = 1.0
        self.known = False

    def adjust(self, times: Floats) -> bool:
        """Set the step from increasing times; return whether it has changed."""
        with np.errstate(over="ignore"):
            gaps = np.diff(times)
        gaps = gaps[gaps > 0][-LATEST_GAPS:]
        if len(gaps) == 0:
            return False
        with np.errstate(over="ignore"):  # the median of two is their mean
            usual = min(max(float(np.median(gaps)), 1e-300), 1e300)
        if self.known and self.step / TOLERATED <= usual <= self.step * TOLERATED:
            return False
        self.step, self.known = usual, True
        return True

    def age(self, time: float, now: float) -> float:
        """Return what ``steps`` returns for a single time."""
        difference = time / 2 - now / 2
        if not self.known:
            return float((difference > 0) - (difference < 0))
        half = self.step / 2
        farthest = min(FARTHEST * half, 1e308)
        return max(min(difference, farthest), -farthest) / half

    def steps(self, times: Floats, now: float) -> Floats:
        """Return how many steps after ``now`` the times are; 1 or -1 if all pulls were at one time."""
        # Halves, because the difference of two times can exceed the largest number.
        difference: Floats = times / 2 - now / 2
        if not self.known:
            return np.asarray(np.sign(difference))
        # Cut before the division, so that it does not exceed the largest number.
        half = self.step / 2
        farthest = min(FARTHEST * half, 1e308)
        np.minimum(difference, farthest, out=difference)
        np.maximum(difference, -farthest, out=difference)
        difference /= half
        return difference
