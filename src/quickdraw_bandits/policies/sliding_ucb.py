"""UCB on a sliding window (B6)."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, not_negative, positive
from quickdraw_bandits.numerics.ties import random_argmax
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.policy import Policy


class SlidingUCB(Policy):
    """UCB on the averages within a window (Garivier & Moulines 2008).

    With N_i plays of arm i among the last tau, and t plays in all, play the arm of the largest

    average of arm i in the window + B sqrt(xi ln(min(t, tau)) / N_i).

    Every arm is played once first, in order, and again whenever it has left the window, because its index is then
    infinite. With more arms than the window holds that is all it does.

    Parameters
    ----------
    arms
        The choices.
    window
        tau, how many of the latest plays count.
    bound
        B, the largest reward.
    xi
        How much uncertainty is worth; 0.6 is the value of Garivier and Moulines' experiments.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.SlidingUCB(qd.Arms.grid(-1, 1, 3))
    >>> policy.select(time=0.0)
    0
    >>> policy.update([0.0, 1.0, 2.0], [0, 1, 2], [0.1, 0.8, 0.3])
    >>> policy.select(time=3.0)
    1
    """

    def __init__(self, arms: Arms, window: int = 100, bound: float = 1.0, xi: float = 0.6, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self.window = window
        self.bound = positive("bound", bound)
        self.xi = not_negative("xi", xi)
        self._recent = Window(window)
        self._played = np.zeros(len(arms), dtype=bool)

    def _select(self, time: float) -> int:
        unplayed = int(np.argmin(self._played))
        if not self._played[unplayed]:
            return unplayed
        counts = np.bincount(self._recent.arms, minlength=len(self.arms))
        totals = np.bincount(self._recent.arms, weights=self._recent.rewards, minlength=len(self.arms))
        seen = np.maximum(counts, 1)
        radius = self.bound * np.sqrt(self.xi * np.log(len(self._recent)) / seen)
        return random_argmax(np.where(counts > 0, totals / seen + radius, np.inf), self._random)

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._recent.append(times, arms, rewards)
        self._played[arms] = True
