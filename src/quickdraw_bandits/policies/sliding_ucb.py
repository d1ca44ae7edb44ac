"""UCB on a sliding window (B6)."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, not_negative, positive
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.index_policy import IndexPolicy
from quickdraw_bandits.policies.tallies import Tallies, first_missing, largest_upper_bounds


class SlidingUCB(IndexPolicy):
    """UCB on the means within a window (Garivier and Moulines 2008).

    With N_i plays of arm i among the last tau, and t plays in all, play the arm of the largest

    mean of arm i in the window + B sqrt(xi ln(min(t, tau)) / N_i).

    Every arm is played once first, in order, and again when it has left the window, because its index is then
    infinite. With more arms than the window holds it does nothing else.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    window
        tau, how many of the latest plays count; default 100. A larger window forgets more slowly. It should hold
        several plays of every arm.
    bound, xi
        B and xi, as for ``DiscountedUCB``.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.SlidingUCB(qd.Arms.grid(-1, 1, 3), window=3)
    >>> policy.update([0.0, 1.0, 2.0, 3.0], [0, 1, 2, 1], [0.9, 0.8, 0.3, 0.7])
    >>> policy.select(time=4.0)
    0
    """

    def __init__(self, arms: Arms, window: int = 100, bound: float = 1.0, xi: float = 0.6, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self._seen = Window(window)
        self.window = self._seen.size
        self.bound = positive("bound", bound)
        self.xi = not_negative("xi", xi)
        self._played = np.zeros(len(arms), dtype=bool)

    def _best(self, time: float, among: Subset | None) -> Integers:
        pending, some = self._pending.arrays()[1], None if among is None else among.positions
        unplayed = first_missing(self._played, pending, some)
        if unplayed is not None:
            return np.array([unplayed])
        recent = Tallies(len(self.arms))
        recent.add(self._seen.arms, self._seen.rewards)
        return largest_upper_bounds(*recent.with_pending(pending), self.xi, self.bound, some)

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._played[arms] = True

    def _grow(self, arms: Arms) -> None:
        self._played = np.concatenate([self._played, np.zeros(len(arms) - len(self._played), dtype=bool)])
