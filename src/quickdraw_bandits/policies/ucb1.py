"""UCB1."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Integers, Seed, not_negative
from quickdraw_bandits.policies.index_policy import IndexPolicy
from quickdraw_bandits.policies.tallies import Tallied, Tallies, largest_upper_bounds


class UCB1(Tallied, IndexPolicy):
    """Plays the arm of the largest upper confidence bound of its mean reward.

    Auer, Cesa-Bianchi and Fischer, *Finite-time analysis of the multiarmed bandit problem* (2002), figure 1. With n_i
    plays of arm i among n, play the arm of the largest

    mean of arm i + sqrt(xi ln(n) / n_i),    xi = 2.

    Every arm is played once first, in order; with as many arms as rounds it does nothing else. For rewards that drift,
    see ``DiscountedUCB`` and ``SlidingUCB``.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    exploration
        xi, in squared units of the reward; default 2, the source's value for rewards from 0 to 1. A larger value
        explores more. Multiply it by B² for rewards from 0 to B.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.UCB1(qd.Arms.grid(-1, 1, 3))
    >>> policy.update([0.0, 1.0, 2.0, 3.0], [0, 1, 2, 1], [0.1, 0.8, 0.3, 0.7])
    >>> policy.select(time=4.0)
    2
    """

    def __init__(self, arms: Arms, exploration: float = 2.0, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self.exploration = not_negative("exploration", exploration)
        self._tallies = Tallies(len(arms))

    def _best(self, time: float, among: Subset | None) -> Integers:
        pending, some = self._pending.arrays()[1], None if among is None else among.positions
        unseen = self._tallies.first_unseen(pending, some)
        if unseen is not None:
            return np.array([unseen])
        return largest_upper_bounds(*self._tallies.with_pending(pending), self.exploration, 1.0, some)
