"""The most recent observations, for policies that forget all others."""

import numpy as np

from quickdraw_bandits.checks import Floats, Integers, integer


class Window:
    """The ``size`` observations pulled last, in the order of their pull times.

    An observation that arrives late takes its place by time, and is dropped if ``size`` later ones are known.
    Equal times keep their order of arrival.
    """

    def __init__(self, size: int) -> None:
        self.size = integer("window", size, at_least=1)
        self.times: Floats = np.empty(0)
        self.arms: Integers = np.empty(0, dtype=np.int64)
        self.rewards: Floats = np.empty(0)

    def __len__(self) -> int:
        return len(self.times)

    def add(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        """Take in observations and drop those that are no longer among the latest."""
        ordered = len(times) == 1 and (len(self) == 0 or times[0] >= self.times[-1])
        self.times = np.concatenate([self.times, times])
        self.arms = np.concatenate([self.arms, arms])
        self.rewards = np.concatenate([self.rewards, rewards])
        keep: slice | Integers
        if ordered:
            keep = slice(-self.size, None)
        else:
            keep = np.argsort(self.times, kind="stable")[-self.size :]
        self.times, self.arms, self.rewards = self.times[keep], self.arms[keep], self.rewards[keep]
