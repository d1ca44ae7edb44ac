"""Epsilon-greedy on a sliding window (B2)."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, fraction
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.index_policy import any_arm, any_or_best, uniform
from quickdraw_bandits.policies.policy import Policy


class SlidingEpsilonGreedy(Policy[int]):
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
        self._seen = Window(window)
        self.window = self._seen.size
        self.epsilon = fraction("epsilon", epsilon)

    def _select(self, time: float, among: Subset | None = None) -> int:
        return self._decide(time, among)[0]

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        useful, n_arms = self._useful(among), len(self.arms)
        if len(useful) == 0:
            return any_arm(n_arms, among, self._random), 1 / (n_arms if among is None else len(among))
        best = self._seen.arms[argmaxes(self._seen.rewards, useful)]
        return any_or_best(n_arms, among, self.epsilon, best, self._random)

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        useful = self._useful(among)
        explored = uniform(len(self.arms), None if among is None else among.positions)
        if len(useful) == 0:
            return explored
        # An arm that has the highest reward twice within the window is drawn twice as often.
        best = self._seen.arms[argmaxes(self._seen.rewards, useful)]
        greedy = np.bincount(best, minlength=len(self.arms)) / len(best)
        return self.epsilon * explored + (1 - self.epsilon) * greedy

    def _useful(self, among: Subset | None) -> Integers:
        """Return the observations of arms that may be chosen."""
        return np.arange(len(self._seen)) if among is None else np.flatnonzero(among.mask[self._seen.arms])

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        pass

    def _grow(self, arms: Arms) -> None:
        pass
