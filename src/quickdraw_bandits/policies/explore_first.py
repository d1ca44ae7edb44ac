"""Explore-first."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, integer
from quickdraw_bandits.numerics.ties import argmaxes, pick
from quickdraw_bandits.policies.index_policy import IndexPolicy
from quickdraw_bandits.policies.tallies import Tallied, Tallies


class ExploreFirst(Tallied, IndexPolicy):
    """Tries all arms equally often, then commits to the one of the highest mean reward.

    Slivkins, *Introduction to Multi-Armed Bandits* (2019), algorithm 1.1: play each of K arms N times, and from then
    on the arm of the highest mean, whatever it pays. N = (T / K)^(2/3) O(log T)^(1/3) makes the regret of T rounds
    K^(1/3) T^(2/3) up to logarithms.

    Differs from the source: the parameter is the total number of plays, K N = ``explore``, which may be less than the
    number of arms. While exploring, it plays one of the least played arms at random; only arms that were played can be
    chosen at the end. The first ``explore`` observations to arrive decide, whoever chose their arms.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    explore
        Number of observations before the policy commits; default 100. A larger value explores for longer. Use
        several times the number of arms if you can.

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
        self._committed: int | None = None

    def _best(self, time: float, among: Subset | None) -> Integers:
        """Return the least played arms, or after exploring those of the highest mean."""
        some = None if among is None else among.positions
        if self._tallies.n_observations < self.explore:
            return argmaxes(-self._tallies.with_pending(self._pending.arrays()[1])[0], some)
        if self._committed is not None and (among is None or among.mask[self._committed]):
            return np.array([self._committed])
        return argmaxes(self._tallies.means(unseen=-np.inf), some)

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        missing = self.explore - self._tallies.n_observations
        if missing > 0:
            super()._update(times, arms[:missing], rewards[:missing])
            if self._tallies.n_observations == self.explore:
                self._committed = pick(argmaxes(self._tallies.means(unseen=-np.inf)), self._random)
