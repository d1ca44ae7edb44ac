"""Number of plays and sum of rewards of each arm, for policies that treat every arm separately."""

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.ties import argmaxes


class Tallies:
    """Counts and sums of rewards, one entry per arm, discounted geometrically if asked.

    After n observations, in order of arrival,

    counts_i = sum_s discount^(n - s) 1[arm_s = i],    totals_i = sum_s discount^(n - s) y_s 1[arm_s = i].

    Examples
    --------
    >>> tallies = Tallies(3)
    >>> tallies.add(np.array([1, 2, 1]), np.array([0.5, 1.0, 0.7]))
    >>> tallies.counts, tallies.means(unseen=-np.inf), tallies.first_unseen(pending=np.array([], dtype=int))
    (array([0., 2., 1.]), array([-inf,  0.6,  1. ]), 0)
    """

    def __init__(self, n_arms: int, discount: float = 1.0) -> None:
        self.discount = discount
        self.counts = np.zeros(n_arms)
        self.totals = np.zeros(n_arms)
        self.n_observations = 0
        self._seen = np.zeros(n_arms, dtype=bool)

    def add(self, arms: Integers, rewards: Floats) -> None:
        """Add observations, the oldest first."""
        n = len(arms)
        if self.discount == 1:
            np.add.at(self.counts, arms, 1.0)
            np.add.at(self.totals, arms, rewards)
        else:
            weights = self.discount ** np.arange(n - 1, -1, -1, dtype=np.float64)
            self.counts *= self.discount**n
            self.totals *= self.discount**n
            np.add.at(self.counts, arms, weights)
            np.add.at(self.totals, arms, weights * rewards)
        self._seen[arms] = True
        self.n_observations += n

    def with_pending(self, arms: Integers) -> tuple[Floats, Floats]:
        """Return counts and totals as if each pending pull of ``arms`` had paid the mean of its arm.

        For an arm never seen, that is the mean of all rewards.
        """
        if len(arms) == 0:
            return self.counts, self.totals
        more = np.bincount(arms, minlength=len(self.counts)).astype(np.float64)
        everywhere = float(self.totals.sum() / max(self.counts.sum(), 1e-300))
        return self.counts + more, self.totals + more * self.means(unseen=everywhere)

    def extend(self, n_arms: int) -> None:
        """Make room for arms that were added."""
        more = n_arms - len(self.counts)
        self.counts = np.concatenate([self.counts, np.zeros(more)])
        self.totals = np.concatenate([self.totals, np.zeros(more)])
        self._seen = np.concatenate([self._seen, np.zeros(more, dtype=bool)])

    def means(self, unseen: float) -> Floats:
        """Return the mean reward of each arm, and ``unseen`` for arms never played."""
        means = np.full(len(self.counts), unseen)
        np.divide(self.totals, self.counts, out=means, where=self.counts > 0)
        return means

    def first_unseen(self, pending: Integers, among: Integers | None = None) -> int | None:
        """Return the first arm never played and not pending, of all or of some; None if there is none."""
        return first_missing(self._seen, pending, among)


class Tallied:
    """A policy, in part: it learns by counting."""

    _tallies: Tallies

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._tallies.add(arms, rewards)

    def _grow(self, arms: Arms) -> None:
        self._tallies.extend(len(arms))


def first_missing(seen: NDArray[np.bool_], pending: Integers, among: Integers | None = None) -> int | None:
    """Return the first position that is neither seen nor pending, of all or of some; None if there is none.

    Examples
    --------
    >>> first_missing(np.array([True, False, False]), pending=np.array([1]))
    2
    """
    if len(pending):
        seen = seen.copy()
        seen[pending] = True
    if among is not None:
        missing = among[~seen[among]]
        return int(missing[0]) if len(missing) else None
    arm = int(np.argmin(seen))
    return None if seen[arm] else arm


def largest_upper_bounds(
    counts: Floats, totals: Floats, xi: float, factor: float, among: Integers | None = None
) -> Integers:
    """Return the arms of the largest ``mean + factor * sqrt(xi ln(n) / count)``, with n the sum of the counts.

    Of all arms or of some. An arm of count 0 has an infinite index.

    Examples
    --------
    >>> counts, totals = np.array([3.0, 1.0, 5.0]), np.array([2.0, 0.5, 4.0])
    >>> largest_upper_bounds(counts, totals, xi=2.0, factor=1.0)
    array([1])
    """
    # ln(n) is negative if discounted counts sum to less than 1; then there is no exploration left.
    log_n = max(np.log(counts.sum()), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        index = totals / counts + factor * np.sqrt(xi * log_n / counts)
    return argmaxes(np.where(counts > 0, index, np.inf), among)
