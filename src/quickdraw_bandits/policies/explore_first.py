"""Explore-first."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, integer
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.tallies import Tallies


class ExploreFirst(Policy):
    """Tries all arms equally often, then commits to the one of the highest mean reward.

    Slivkins, *Introduction to Multi-Armed Bandits* (2019), algorithm 1.1: play each of K arms N times, and from then
    on the arm of the highest mean, whatever it pays. N = (T / K)^(2/3) O(log T)^(1/3) makes the regret of T rounds
    K^(1/3) T^(2/3) up to logarithms.

    Differs from the source: the parameter is the total number of plays, K N = ``explore``, which may be less than the
    number of arms. While exploring, it plays one of the least played arms at random; only arms that were played can be
    chosen at the end. The first ``explore`` observations to arrive decide, whoever chose their arms.

    Parameters
    ----------
    arms
        The choices.
    explore
        Number of observations before the policy commits; default 100. A larger value explores for longer. Use
        several times the number of arms if you can.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.ExploreFirst(qd.Arms.grid(-1, 1, 3), explore=3)
    >>> policy.update([0.0, 1.0, 2.0], [0, 1, 2], [0.1, 0.8, 0.3])
    >>> policy.update(3.0, 1, -5.0)
    >>> policy.select(time=4.0)
    1
    """

    def __init__(self, arms: Arms, explore: int = 100, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self.explore = integer("explore", explore, at_least=1)
        self._tallies = Tallies(len(arms))
        self._chosen: int | None = None

    def _select(self, time: float) -> int:
        if self._chosen is not None:
            return self._chosen
        candidates = self._candidates()
        arm = int(candidates[self._random.integers(len(candidates))])
        if self._tallies.n_observations == self.explore:
            self._chosen = arm
        return arm

    def _candidates(self) -> Integers:
        """Return the arms to draw from: the least played, or after exploring those of the highest mean."""
        if self._tallies.n_observations < self.explore:
            return argmaxes(-self._tallies.counts)
        return argmaxes(self._tallies.means(unseen=-np.inf))

    def _probabilities(self, time: float) -> Floats:
        candidates = self._candidates() if self._chosen is None else np.array([self._chosen])
        probabilities = np.zeros(len(self.arms))
        probabilities[candidates] = 1 / len(candidates)
        return probabilities

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        missing = self.explore - self._tallies.n_observations
        if missing > 0:
            self._tallies.add(arms[:missing], rewards[:missing])
