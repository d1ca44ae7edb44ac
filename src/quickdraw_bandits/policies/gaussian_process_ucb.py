"""What all policies on Gaussian processes share: the upper bound that they maximise."""

from abc import abstractmethod
from typing import Any, final

import numpy as np

from quickdraw_bandits.checks import Floats, Seed, not_negative
from quickdraw_bandits.numerics.ties import random_argmax
from quickdraw_bandits.policies.policy import Policy


class GaussianProcessUCB(Policy):
    """Plays the arm of the largest ``mean + exploration * std``, one of them at random where several are largest.

    The standard deviation is that of the function, without the noise of one observation. A policy fills in
    ``estimate``.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    exploration
        How many standard deviations are added to the mean.
    """

    def __init__(self, arms: Any, exploration: float, seed: Seed) -> None:
        super().__init__(arms, seed)
        self.exploration = not_negative("exploration", exploration)

    @abstractmethod
    def estimate(self, time: float) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of every arm."""

    @final
    def index(self, time: float) -> Floats:
        """Return ``mean + exploration * std`` of every arm."""
        mean, std = self.estimate(time)
        return mean + self.exploration * std

    @final
    def _select(self, time: float) -> int:
        return random_argmax(self.index(time), self._random)


def average(rewards: Floats) -> float:
    """Return the mean, which for equal rewards is exactly theirs, so that no pattern is seen in rounding errors.

    Examples
    --------
    >>> average(np.full(3, 0.1))
    0.1
    """
    return float(np.clip(rewards.mean(), rewards.min(), rewards.max()))
