"""UCB1."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, not_negative
from quickdraw_bandits.numerics.ties import random_argmax
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.tallies import Tallies


class UCB1(Policy):
    """Plays the arm with the largest upper bound of its average.

    Auer, Cesa-Bianchi and Fischer, *Finite-time analysis of the multiarmed bandit problem* (2002), figure 1. With n_i
    plays of arm i among n, play the arm of the largest

    average of arm i + sqrt(xi ln(n) / n_i),    xi = 2.

    Every arm is played once first, in order. With as many arms as rounds that is all it does. For rewards that drift,
    see ``DiscountedUCB`` and ``SlidingUCB``.

    Parameters
    ----------
    arms
        The choices.
    exploration
        xi. 2 is the source's, for rewards from 0 to 1; multiply it by B² for rewards from 0 to B.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.UCB1(qd.Arms.grid(-1, 1, 3))
    >>> policy.select(time=0.0)
    0
    >>> policy.update([0.0, 1.0, 2.0, 3.0], [0, 1, 2, 1], [0.1, 0.8, 0.3, 0.7])
    >>> policy.select(time=4.0)
    2
    """

    def __init__(self, arms: Arms, exploration: float = 2.0, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self.exploration = not_negative("exploration", exploration)
        self._tallies = Tallies(len(arms))

    def _select(self, time: float) -> int:
        unseen = self._tallies.first_unseen()
        if unseen is not None:
            return unseen
        counts = self._tallies.counts
        radius = np.sqrt(self.exploration * np.log(self._tallies.n_observations) / counts)
        return random_argmax(self._tallies.totals / counts + radius, self._random)

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._tallies.add(arms, rewards)
