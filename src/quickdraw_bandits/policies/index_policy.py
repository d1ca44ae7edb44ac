"""Policies that play an arm of the largest index, at random among ties."""

from abc import abstractmethod
from typing import final

import numpy as np

from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.ties import pick
from quickdraw_bandits.observations import Pending
from quickdraw_bandits.policies.policy import Policy


class IndexPolicy(Policy[int]):
    """Plays one of the best arms, each with the same probability. A subclass says which they are."""

    @abstractmethod
    def _best(self, time: float, among: Subset | None) -> Integers:
        """Return the positions of the best arms, of all or of some; must change nothing."""

    @final
    def _select(self, time: float, among: Subset | None = None) -> int:
        return pick(self._best(time, among), self._random)

    @final
    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        return uniform(len(self.arms), self._best(time, among))

    @final
    def _ties(self, time: float, among: Subset | None) -> Integers:
        return self._best(time, among)

    @final
    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        best = self._best(time, among)
        return pick(best, self._random), 1 / len(best)


def uniform(n_arms: int, positions: Integers | None) -> Floats:
    """Return the same probability for each of some arms, or for all of them.

    Examples
    --------
    >>> uniform(4, np.array([1, 2]))
    array([0. , 0.5, 0.5, 0. ])
    """
    if positions is None:
        return np.full(n_arms, 1 / n_arms)
    probabilities = np.zeros(n_arms)
    probabilities[positions] = 1 / len(positions)
    return probabilities


def any_arm(n_arms: int, among: Subset | None, random: np.random.Generator) -> int:
    """Return an arm, each of all or of some with the same probability."""
    if among is None:
        return int(random.integers(n_arms))
    return int(among.positions[random.integers(len(among))])


def not_pending(n_arms: int, among: Subset | None, pending: Pending) -> Integers:
    """Return the arms, of all or of some, that have no pending pull; all of them if each has one.

    What to draw from before the first observation.
    """
    every = np.ones(n_arms, dtype=np.bool_) if among is None else among.mask
    free = every.copy()
    free[pending.arrays()[1]] = False
    return np.flatnonzero(free if free.any() else every)
