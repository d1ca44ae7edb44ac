"""Discounted UCB (B6)."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Integers, Seed, fraction, not_negative, positive
from quickdraw_bandits.policies.index_policy import IndexPolicy
from quickdraw_bandits.policies.tallies import Tallied, Tallies, largest_upper_bounds


class DiscountedUCB(Tallied, IndexPolicy):
    """UCB on discounted means (Kocsis and Szepesvári 2006; Garivier and Moulines 2008).

    After t plays, with N_i = sum_s gamma^(t - s) 1[arm_s = i] and n = sum_i N_i, play the arm of the largest

    sum_s gamma^(t - s) y_s 1[arm_s = i] / N_i + 2 B sqrt(xi ln(n) / N_i).

    Every arm is played once first, in order. With as many arms as rounds it does nothing else, so the paper leaves it
    out of its figures. Discounting is by play in order of arrival, as in the source, not by time.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    discount
        gamma, from 0 to 1; default 0.99, which remembers about 1 / (1 - gamma) = 100 plays. A larger value forgets
        more slowly. Increase it if rewards drift slowly.
    bound
        B, the largest reward; default 1. A larger value explores more. Set it to the range of your rewards.
    xi
        Weight of the uncertainty, without unit; default 0.6, as in the experiments of Garivier and Moulines, whose
        theory needs more than 1/2. A larger value explores more.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.DiscountedUCB(qd.Arms.grid(-1, 1, 3), discount=0.9)
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

    def _best(self, time: float, among: Subset | None) -> Integers:
        pending, some = self._pending.arrays()[1], None if among is None else among.positions
        unseen = self._tallies.first_unseen(pending, some)
        if unseen is not None:
            return np.array([unseen])
        # An arm whose count has underflowed to 0 is as good as never played.
        return largest_upper_bounds(*self._tallies.with_pending(pending), self.xi, 2 * self.bound, some)
