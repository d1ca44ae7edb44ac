"""How often each arm was played and what it paid in all, for policies that look at each arm by itself."""

import numpy as np

from quickdraw_bandits.checks import Floats, Integers


class Tallies:
    """Counts and sums of rewards, one number each to an arm; both forget geometrically if asked to.

    After n observations, in their order of arrival,

    counts_i = sum_s discount^(n - s) 1[arm_s = i],    totals_i = sum_s discount^(n - s) y_s 1[arm_s = i].

    Examples
    --------
    >>> tallies = Tallies(3)
    >>> tallies.add(np.array([1, 2, 1]), np.array([0.5, 1.0, 0.7]))
    >>> tallies.counts, tallies.means(unseen=-np.inf), tallies.first_unseen()
    (array([0., 2., 1.]), array([-inf,  0.6,  1. ]), 0)
    """

    def __init__(self, n_arms: int, discount: float = 1.0) -> None:
        self.discount = discount
        self.counts = np.zeros(n_arms)
        self.totals = np.zeros(n_arms)
        self.n_observations = 0
        self._seen = np.zeros(n_arms, dtype=bool)

    def add(self, arms: Integers, rewards: Floats) -> None:
        """Take in observations, the oldest first."""
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

    def means(self, unseen: float) -> Floats:
        """Return the average reward of each arm, and ``unseen`` where there is none."""
        means = np.full(len(self.counts), unseen)
        np.divide(self.totals, self.counts, out=means, where=self.counts > 0)
        return means

    def first_unseen(self) -> int | None:
        """Return the first arm that was never played, None if all were."""
        arm = int(np.argmin(self._seen))
        return None if self._seen[arm] else arm
