"""Uniformly random choice, the baseline of all other policies (B1)."""

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.policy import Policy


class Random(Policy):
    """Plays every arm with the same probability and learns nothing.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.Random(qd.Arms.grid(-1, 1, 10), seed=0)
    >>> policy.select(time=0.0)
    8
    """

    def _select(self, time: float) -> int:
        return int(self._random.integers(len(self.arms)))

    def _probabilities(self, time: float) -> Floats:
        return np.full(len(self.arms), 1 / len(self.arms))

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        pass
