"""What all policies on Gaussian processes share: the upper confidence bound that they maximise."""

from abc import abstractmethod
from typing import final

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, not_negative, refuse_first
from quickdraw_bandits.gaussian_process import Parameters, Sample, coordinates, posterior
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.index_policy import IndexPolicy

LARGEST = 1e150
"""The largest reward whose squares can be summed in float64."""


class GaussianProcessUCB(IndexPolicy):
    """Plays the arm of the largest ``mean + exploration * std``, at random among ties.

    ``std`` is the standard deviation of the mean reward; the noise of one observation is not part of it. A subclass
    provides ``_everywhere``.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    exploration
        Number of standard deviations added to the mean; 2 by default in all policies. A larger value explores more.
        Increase it if the policy settles on a poor arm.
    """

    def __init__(self, arms: Arms, exploration: float, seed: Seed, window: int | None = None) -> None:
        super().__init__(arms, seed)
        if window is not None:
            self._seen = Window(window)
        self.exploration = not_negative("exploration", exploration)

    @abstractmethod
    def _everywhere(self, time: float) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of every arm; pending pulls lower the deviation."""

    @final
    def _estimate(self, time: float, arms: Integers | None) -> tuple[Floats, Floats]:
        mean, std = self._everywhere(time)
        return (mean.copy(), std.copy()) if arms is None else (mean[arms], std[arms])

    @final
    def _index(self, time: float, arms: Integers | None) -> Floats:
        mean, std = self._estimate(time, arms)
        return mean + self.exploration * std

    @final
    def _best(self, time: float, among: Subset | None) -> Integers:
        return argmaxes(self._index(time, None), None if among is None else among.positions)


class StationaryGPUCB(GaussianProcessUCB):
    """A process without time. The estimate is computed when it is first needed and kept until the next observation.

    A subclass provides ``_new_estimate``.

    Parameters
    ----------
    arms
        The choices; euclidean, cosine or haversine. The last two are compared by chords, see
        ``gaussian_process.coordinates``.
    exploration, seed
        As for ``GaussianProcessUCB``.
    """

    def __init__(self, arms: Arms, exploration: float, seed: Seed, window: int | None = None) -> None:
        super().__init__(arms, exploration, seed, window)
        self._points = coordinates(arms.points, arms.metric, arms.unit)
        self._n_updates = 0
        self._latest: tuple[Floats, Floats] | None = None

    @final
    def _everywhere(self, time: float) -> tuple[Floats, Floats]:
        if self._latest is None:
            self._latest = self._new_estimate()
        if len(self._pending) == 0:
            return self._latest
        # An observation of the mean changes no mean, and lowers the deviation around it.
        mean, _ = self._latest
        arms = self._pending.arrays()[1]
        positions = np.concatenate([self._seen.arms[: len(self._seen)], arms])
        # The deviation does not depend on the values.
        sample = Sample.merged(self._points, positions, np.zeros(len(positions)))
        return mean, posterior(self._parameters(), sample, self._points)[1]

    @abstractmethod
    def _new_estimate(self) -> tuple[Floats, Floats]:
        """Compute mean and standard deviation of every arm from all observations."""

    @abstractmethod
    def _parameters(self) -> Parameters:
        """Return the parameters of the latest estimate."""

    @final
    def _check_rewards(self, rewards: Floats) -> None:
        refuse_first(
            "reward", rewards, np.abs(rewards) > LARGEST, f"be from -{LARGEST:g} to {LARGEST:g}, to be squared"
        )

    @final
    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._latest = None
        self._n_updates += 1

    @final
    def _grow(self, arms: Arms) -> None:
        self._points = coordinates(arms.points, arms.metric, arms.unit)
        self._latest = None
        self._n_updates += 1


def average(rewards: Floats) -> float:
    """Return the mean; for equal rewards exactly their value, so that rounding errors do not look like a pattern.

    Examples
    --------
    >>> average(np.full(3, 0.1))
    0.1
    """
    return float(np.clip(rewards.mean(), rewards.min(), rewards.max()))
