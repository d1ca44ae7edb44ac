"""Discounted UCB (B6)."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, fraction, not_negative, positive
from quickdraw_bandits.numerics.ties import random_argmax
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.tallies import Tallies


class DiscountedUCB(Policy):
    """UCB on averages that forget geometrically (Kocsis & Szepesvári 2006; Garivier & Moulines 2008).

    After t plays, with N_i = sum_s gamma^(t - s) 1[arm_s = i] and n = sum_i N_i, play the arm of the largest

    sum_s gamma^(t - s) y_s 1[arm_s = i] / N_i + 2 B sqrt(xi ln(n) / N_i).

    Every arm is played once first, in order. With as many arms as rounds that is all it does, which is why the
    paper leaves it out of its figures. Forgetting goes by the number of plays in their order of arrival, as in its
    source, not by the clock.

    Parameters
    ----------
    arms
        The choices.
    discount
        gamma, at most 1; 0.99 remembers about 100 plays, as the window of the paper's other baselines does.
    bound
        B, the largest reward.
    xi
        How much uncertainty is worth; above 1/2 in theory. 0.6 is the value of Garivier and Moulines' experiments.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.DiscountedUCB(qd.Arms.grid(-1, 1, 3))
    >>> policy.select(time=0.0)
    0
    >>> policy.update([0.0, 1.0, 2.0], [0, 1, 2], [0.1, 0.8, 0.3])
    >>> policy.select(time=3.0)
    1
    """

    def __init__(
        self, arms: Arms, discount: float = 0.99, bound: float = 1.0, xi: float = 0.6, seed: Seed = None
    ) -> None:
        super().__init__(arms, seed)
        self.discount = fraction("discount", discount)
        self.bound = positive("bound", bound)
        self.xi = not_negative("xi", xi)
        self._tallies = Tallies(len(arms), self.discount)

    def _select(self, time: float) -> int:
        unseen = self._tallies.first_unseen()
        if unseen is not None:
            return unseen
        counts, totals = self._tallies.counts, self._tallies.totals
        # ln(n) is negative where less than one play is remembered; then nothing is left to explore with.
        log_total = max(np.log(counts.sum()), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            index = totals / counts + 2 * self.bound * np.sqrt(self.xi * log_total / counts)
        # An arm that is forgotten entirely (its count underflowed) is as good as never played.
        return random_argmax(np.where(counts > 0, index, np.inf), self._random)

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._tallies.add(arms, rewards)
