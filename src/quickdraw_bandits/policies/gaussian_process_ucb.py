"""What all policies on Gaussian processes share: the upper confidence bound that they maximise."""

from abc import abstractmethod
from typing import final

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Seed, not_negative, number
from quickdraw_bandits.gaussian_process import coordinates
from quickdraw_bandits.numerics.ties import random_argmax
from quickdraw_bandits.policies.policy import Policy


class GaussianProcessUCB(Policy):
    """Plays the arm of the largest ``mean + exploration * std``, at random among ties.

    ``std`` is the standard deviation of the mean reward; the noise of one observation is not part of it. A subclass
    provides ``estimate``.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    exploration
        Number of standard deviations added to the mean; 2 by default in all policies. A larger value explores more.
        Increase it if the policy settles on a poor arm.
    """

    def __init__(self, arms: Arms, exploration: float, seed: Seed) -> None:
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


class StationaryGPUCB(GaussianProcessUCB):
    """A process without time. The estimate is computed when it is first needed and kept until the next observation.

    A subclass provides ``_new_estimate`` and sets ``_latest`` to None when it learns.

    Parameters
    ----------
    arms
        The choices; euclidean, cosine or haversine. The last two are compared by chords, see
        ``gaussian_process.coordinates``.
    exploration, seed
        As for ``GaussianProcessUCB``.
    """

    def __init__(self, arms: Arms, exploration: float, seed: Seed) -> None:
        super().__init__(arms, exploration, seed)
        self._points = coordinates(arms.points, arms.metric, arms.unit)
        self._latest: tuple[Floats, Floats] | None = None

    @final
    def estimate(self, time: float) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of every arm; they do not depend on ``time``."""
        number("time", time)
        if self._latest is None:
            self._latest = self._new_estimate()
        mean, std = self._latest
        return mean.copy(), std.copy()

    @abstractmethod
    def _new_estimate(self) -> tuple[Floats, Floats]:
        """Compute mean and standard deviation of every arm from all that is known."""


def average(rewards: Floats) -> float:
    """Return the mean; for equal rewards exactly their value, so that rounding errors do not look like a pattern.

    Examples
    --------
    >>> average(np.full(3, 0.1))
    0.1
    """
    return float(np.clip(rewards.mean(), rewards.min(), rewards.max()))
