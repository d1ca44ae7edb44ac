"""Epsilon-greedy on a sliding window (B2)."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, fraction
from quickdraw_bandits.numerics.ties import argmaxes, random_argmax
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.policy import Policy


class SlidingEpsilonGreedy(Policy):
    """Plays a random arm with probability epsilon, otherwise the arm of the highest reward in the window.

    Section 5 of the paper: T_w = 100 observations, epsilon = 0.1. The highest reward is a single observation, not a
    mean: with 1,000 arms hardly any is seen twice within the window.

    Parameters
    ----------
    arms
        The choices.
    window
        T_w, how many of the latest observations count; default 100. A larger window forgets more slowly. Reduce it
        if rewards drift fast.
    epsilon
        Probability of exploring, from 0 to 1; default 0.1. A larger value explores more.
    seed
        An integer or a ``numpy.random.Generator``.

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
        self._recent = Window(window)
        self.window = self._recent.size
        self.epsilon = fraction("epsilon", epsilon)

    def _select(self, time: float) -> int:
        if len(self._recent) == 0 or self._random.random() < self.epsilon:
            return int(self._random.integers(len(self.arms)))
        return int(self._recent.arms[random_argmax(self._recent.rewards, self._random)])

    def _probabilities(self, time: float) -> Floats:
        n_arms = len(self.arms)
        if len(self._recent) == 0:
            return np.full(n_arms, 1 / n_arms)
        # An arm that has the highest reward twice within the window is drawn twice as often.
        best = self._recent.arms[argmaxes(self._recent.rewards)]
        greedy = np.bincount(best, minlength=n_arms) / len(best)
        return self.epsilon / n_arms + (1 - self.epsilon) * greedy

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._recent.append(times, arms, rewards)
