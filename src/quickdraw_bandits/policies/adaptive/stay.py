"""Playing one arm for several rounds where a single reward says little."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.policies.adaptive.scales import Candidate

NOISY = 0.03
"""Noise, in units of the signal variance, below which every reward is learned from by itself."""


@dataclass
class Stay:
    """An arm that is played up to a number of observations, or up to a time.

    Attributes
    ----------
    arm
        The arm: a position, or coordinates.
    observations, until
        The stay ends when the policy has so many observations, and after this time.
    mask
        The arms among which it was chosen, None for all: among others, the stay does not count.
    joins
        Whether the pool has an entry of this stay, which later observations can join.
    """

    arm: Any
    observations: int
    until: float
    mask: NDArray[np.bool_] | None = None
    joins: bool = False

    @classmethod
    def begun(
        cls, arm: Any, candidate: Candidate, observations: int, time: float, step: float, among: Subset | None
    ) -> "Stay | None":
        """Return a stay that begins after so many observations, with a step of the clock; None for a single round."""
        lasting = rounds(candidate, observations)
        if lasting == 1:
            return None
        until = time + candidate.age / 50 * step
        return cls(arm, observations + lasting, until, None if among is None else among.mask.copy())

    def lasts(self, time: float, observations: int) -> bool:
        """Return whether the stay goes on at a time, after so many observations."""
        return observations < self.observations and time <= self.until

    def suits(self, among: Subset | None) -> bool:
        """Return whether the arm was chosen among the same arms."""
        if self.mask is None or among is None:
            return self.mask is None and among is None
        return np.array_equal(self.mask, among.mask)


def rounds(candidate: Candidate, observations: int) -> int:
    """Return for how many rounds to play an arm.

    The more noise and the more observations, the less the next one changes: r² / 10 or n / 2000 rounds, at most
    1 + n / 20, and at most 1 + l_t / 50, so that rewards hardly drift meanwhile.

    Examples
    --------
    >>> rounds(Candidate("smooth", 0.1, 1000.0, 300.0, 1), 5000)
    21
    >>> rounds(Candidate("smooth", 0.1, 1000.0, 0.1, 1), 1000)
    1
    """
    if candidate.noise < NOISY:
        return 1
    wanted = max(candidate.noise / 10, observations / 2000)
    return max(1, int(min(wanted, observations / 20 + 1, candidate.age / 50 + 1)))
