"""A policy of your own beside the built-in ones.

    quickdraw reproduce F4 --fields 3 --policy own_policy:NearTheBest

from this folder, or from any other with this one on PYTHONPATH, adds a line to F4 and rows to F4.csv.

A policy is a class that is built as ``Class(arms, seed=...)`` and has ``select`` and ``update``. It need not derive
from anything.
"""

import numpy as np


class NearTheBest:
    """Plays an arm near the one that paid most lately, and now and then any arm."""

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
        """Learn that ``arm`` paid ``reward`` at ``time``."""
        self.recent = [*self.recent[1 - self.window :], (reward, arm)]
