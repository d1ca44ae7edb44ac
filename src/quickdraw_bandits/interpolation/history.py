"""Observations in the order of their arrival, in arrays that grow."""

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation import compiled

FIRST_CAPACITY = 256


class History:
    """Times, arms, rewards and coordinates of all observations.

    Each array is longer than it is full: the first ``n`` entries count. Room is doubled when it runs out, so
    that an observation costs the same however many there are. Coordinates lie in rows, one a dimension, so that
    a loop over observations reads memory in order.
    """

    def __init__(self, dimension: int) -> None:
        self.n = 0
        self.least_reward = np.inf
        self.largest_reward = -np.inf
        self.times: Floats = np.empty(FIRST_CAPACITY)
        self.arms: Integers = np.empty(FIRST_CAPACITY, dtype=np.int64)
        self.rewards: Floats = np.empty(FIRST_CAPACITY)
        self.coordinates: Floats = np.empty((dimension, FIRST_CAPACITY))

    @property
    def average_reward(self) -> float:
        """The average of all rewards; infinite where their sum is beyond the largest number."""
        with np.errstate(over="ignore"):
            return float(self.rewards[: self.n].mean())

    def add(self, times: Floats, arms: Integers, rewards: Floats, points: NDArray[np.floating]) -> None:
        """Append observations; ``points`` has a row of coordinates for each."""
        end = self.n + len(times)
        if end > len(self.times):
            self._grow(max(end, 2 * len(self.times)))
        least, largest = compiled.append(self.times, self.arms, self.rewards, times, arms, rewards, self.n)
        compiled.append_coordinates(self.coordinates, points, np.arange(len(times)), self.n)
        self.n = end
        self.least_reward = min(self.least_reward, least)
        self.largest_reward = max(self.largest_reward, largest)

    def _grow(self, capacity: int) -> None:
        for name in ("times", "arms", "rewards", "coordinates"):
            old = getattr(self, name)
            new = np.empty((*old.shape[:-1], capacity), dtype=old.dtype)
            new[..., : self.n] = old[..., : self.n]
            setattr(self, name, new)
