"""The step of the caller's clock, so that time scales can be counted in it."""

import numpy as np

from quickdraw_bandits.checks import Floats

TOLERATED = 2.0
"""By how much the usual time between pulls may differ from the step before the step is set anew."""
FARTHEST = 1e9
"""Times farther away than so many steps count as so far."""


class Clock:
    """The median time between pulls at different times, kept until it has changed by more than a factor of two."""

    def __init__(self) -> None:
        self.step = 0.0

    def adjust(self, times: Floats, now: float) -> bool:
        """Look at increasing times; return whether the step has changed."""
        with np.errstate(over="ignore"):
            gaps = np.diff(times)
            gaps = gaps[gaps > 0]
            usual = float(np.median(gaps)) if len(gaps) else abs(now - float(times[-1]))
        usual = min(max(usual, 1e-300), 1e300)
        if self.step / TOLERATED <= usual <= self.step * TOLERATED:
            return False
        self.step = usual
        return True

    def steps(self, times: Floats, now: float) -> Floats:
        """Return how many steps after ``now`` the times are."""
        with np.errstate(over="ignore"):
            # Halves, because the difference of two times can exceed the largest number.
            return np.asarray(np.clip((times / 2 - now / 2) / (self.step / 2), -FARTHEST, FARTHEST))
