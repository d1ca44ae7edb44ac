"""Compare your own policy with the built-in ones.

Run this in the folder of this file, or in any other folder with this one on PYTHONPATH::

    quickdraw reproduce F4 --fields 3 --policy own_policy:NearTheBest

It adds a curve to figure F4 and rows to F4.csv.

A policy is any class that is built as ``Class(arms, seed=...)`` and has the methods ``select`` and ``update``. It needs
no base class.
"""

import numpy as np


class NearTheBest:
    """Plays an arm near the one with the highest recent reward, and with probability ``epsilon`` a random arm.

    Parameters
    ----------
    arms
        The choices, sorted so that neighbouring positions are similar.
    seed
        An integer or a ``numpy.random.Generator``.
    window
        Number of latest rewards to remember (default 50). A larger window forgets more slowly.
    reach
        Largest step from the best arm, as a fraction of all arms (default 0.02). A larger reach explores more widely.
    epsilon
        Probability of a random arm (default 0.1).
    """

    def __init__(self, arms, seed=None, window=50, reach=0.02, epsilon=0.1):
        self.n_arms = len(arms)
        self.window = window
        self.reach = max(1, round(reach * self.n_arms))
        self.epsilon = epsilon
        self.random = np.random.default_rng(seed)
        self.recent = []

    def select(self, time):
        """Return the position of the arm to play at ``time``."""
        if not self.recent or self.random.random() < self.epsilon:
            return int(self.random.integers(self.n_arms))
        _, best = max(self.recent)
        near = best + self.random.integers(-self.reach, self.reach + 1)
        return int(np.clip(near, 0, self.n_arms - 1))

    def update(self, time, arm, reward):
        """Record the reward of ``arm``, played at ``time``."""
        self.recent = [*self.recent[1 - self.window :], (reward, arm)]
