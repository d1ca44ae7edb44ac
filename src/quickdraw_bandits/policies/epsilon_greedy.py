"""Epsilon-greedy."""

from abc import abstractmethod
from collections.abc import Callable
from typing import final

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, fraction
from quickdraw_bandits.numerics.ties import argmaxes, pick
from quickdraw_bandits.policies.index_policy import any_arm, uniform
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.tallies import Tallied, Tallies


class GreedyPolicy(Policy[int]):
    """Plays any arm with probability epsilon, otherwise one of the best. A subclass says which these are."""

    @abstractmethod
    def _best(self, among: Subset | None) -> Integers | None:
        """Return the best arms, of all or of some, or None if nothing is known of any.

        An arm that is among them twice is drawn twice as often.
        """

    @abstractmethod
    def _epsilon(self) -> float:
        """Return the probability of exploring."""

    @final
    def _select(self, time: float, among: Subset | None = None) -> int:
        return self._decide(time, among)[0]

    @final
    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        epsilon, best, n_arms, random = self._epsilon(), self._best(among), len(self.arms), self._random
        n = n_arms if among is None else len(among)
        if best is None:
            return any_arm(n_arms, among, random), 1 / n
        arm = any_arm(n_arms, among, random) if random.random() < epsilon else pick(best, random)
        return arm, epsilon / n + (1 - epsilon) * np.count_nonzero(best == arm) / len(best)

    @final
    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        best, n_arms = self._best(among), len(self.arms)
        explored = uniform(n_arms, None if among is None else among.positions)
        if best is None:
            return explored
        epsilon, greedy = self._epsilon(), np.bincount(best, minlength=n_arms) / len(best)
        return np.asarray(epsilon * explored + (1 - epsilon) * greedy)


class EpsilonGreedy(Tallied, GreedyPolicy):
    """Plays a random arm with probability epsilon, otherwise the arm of the highest mean reward.

    Slivkins, *Introduction to Multi-Armed Bandits* (2019), algorithm 1.2. With the schedule of Auer, Cesa-Bianchi and
    Fischer, *Finite-time analysis of the multiarmed bandit problem* (2002), figure 3,

    epsilon_n = min(1, c K / (d² n)),

    the regret grows with the logarithm of the number of rounds; ``exploration.Decaying`` is this schedule.

    The sources leave the mean of an arm never played open. Here only exploration finds such arms, so that the policy
    works with more arms than rounds.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    epsilon
        Probability of exploring, from 0 to 1; default 0.1. A number, or a function of the number of observations. A
        larger value explores more. Let it decay if rewards do not drift.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.EpsilonGreedy(qd.Arms.grid(-1, 1, 4), epsilon=0.2)
    >>> policy.update([0.0, 1.0, 2.0], [1, 2, 1], [0.3, 0.4, 0.9])
    >>> policy.probabilities(time=3.0)
    array([0.05, 0.85, 0.05, 0.05])

    Exploration that decays, for ten arms of which the best is better by 0.2:

    >>> decaying = qd.exploration.Decaying(n_arms=10, gap=0.2)
    >>> decaying(0), decaying(10_000)
    (1.0, 0.124...)
    >>> policy = qd.policies.EpsilonGreedy(qd.Arms.grid(-1, 1, 10), epsilon=decaying)
    """

    def __init__(self, arms: Arms, epsilon: float | Callable[[int], float] = 0.1, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self.epsilon = epsilon if callable(epsilon) else fraction("epsilon", epsilon)
        self._tallies = Tallies(len(arms))

    def _best(self, among: Subset | None) -> Integers | None:
        if self._tallies.n_observations == 0:
            return None
        return argmaxes(self._tallies.means(unseen=-np.inf), None if among is None else among.positions)

    def _epsilon(self) -> float:
        if callable(self.epsilon):
            return fraction("epsilon(n_observations)", self.epsilon(self._tallies.n_observations))
        return self.epsilon
