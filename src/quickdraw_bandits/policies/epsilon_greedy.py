"""Epsilon-greedy."""

from collections.abc import Callable

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, fraction
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.policies.index_policy import any_arm, any_or_best, uniform
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.tallies import Tallies


class EpsilonGreedy(Policy[int]):
    """Plays a random arm with probability epsilon, otherwise the arm of the highest mean reward.

    Slivkins, *Introduction to Multi-Armed Bandits* (2019), algorithm 1.2. With the schedule of Auer, Cesa-Bianchi and
    Fischer, *Finite-time analysis of the multiarmed bandit problem* (2002), figure 3,

    epsilon_n = min(1, c K / (d² n)),

    the regret grows with the logarithm of the number of rounds; ``exploration.Decaying`` is this schedule.

    The sources leave the mean of an arm never played open. Here only exploration finds such arms, so that the policy
    works with more arms than rounds.

    Parameters
    ----------
    arms
        The choices.
    epsilon
        Probability of exploring, from 0 to 1; default 0.1. A number, or a function of the number of observations. A
        larger value explores more. Let it decay if rewards do not drift.
    seed
        An integer or a ``numpy.random.Generator``.

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

    def _select(self, time: float, among: Subset | None = None) -> int:
        return self._decide(time, among)[0]

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        epsilon, n_arms = self._epsilon(), len(self.arms)
        if self._tallies.n_observations == 0:
            return any_arm(n_arms, among, self._random), 1 / (n_arms if among is None else len(among))
        best = argmaxes(self._tallies.means(unseen=-np.inf), None if among is None else among.positions)
        return any_or_best(n_arms, among, epsilon, best, self._random)

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        some = None if among is None else among.positions
        explored = uniform(len(self.arms), some)
        if self._tallies.n_observations == 0:
            return explored
        epsilon = self._epsilon()
        best = argmaxes(self._tallies.means(unseen=-np.inf), some)
        return epsilon * explored + (1 - epsilon) * uniform(len(self.arms), best)

    def _grow(self, arms: Arms) -> None:
        self._tallies.extend(len(arms))

    def _epsilon(self) -> float:
        if callable(self.epsilon):
            return fraction("epsilon(n_observations)", self.epsilon(self._tallies.n_observations))
        return self.epsilon

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._tallies.add(arms, rewards)
