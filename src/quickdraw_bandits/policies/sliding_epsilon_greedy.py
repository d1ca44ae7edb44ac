"""Epsilon-greedy on a sliding window (B2)."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, fraction
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.epsilon_greedy import GreedyPolicy


class SlidingEpsilonGreedy(GreedyPolicy):
    """Plays a random arm with probability epsilon, otherwise the arm of the highest reward in the window.

    Section 5 of the paper: T_w = 100 observations, epsilon = 0.1. The highest reward is a single observation, not a
    mean: with 1,000 arms hardly any is seen twice within the window.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    window
        T_w, how many of the latest observations count; default 100. A larger window forgets more slowly. Reduce it
        if rewards drift fast.
    epsilon
        Probability of exploring, from 0 to 1; default 0.1. A larger value explores more.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.SlidingEpsilonGreedy(qd.Arms.grid(-1, 1, 10), epsilon=0.0)
    >>> policy.update([0.0, 0.1, 0.2], [4, 7, 1], [0.5, 0.9, 0.2])
    >>> policy.select(time=0.3)
    7
    """

    def __init__(self, arms: Arms, window: int = 100, epsilon: float = 0.1, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self._seen = Window(window)
        self.window = self._seen.size
        self.epsilon = fraction("epsilon", epsilon)

    def _best(self, among: Subset | None) -> Integers | None:
        arms = self._seen.arms
        useful = np.arange(len(arms)) if among is None else np.flatnonzero(among.mask[arms])
        best: Integers | None = arms[argmaxes(self._seen.rewards, useful)] if len(useful) else None
        return best

    def _epsilon(self) -> float:
        return self.epsilon

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        pass

    def _grow(self, arms: Arms) -> None:
        pass
