"""The exact engine while it is the faster one, then the tree engine."""

from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.exact import ExactEngine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.tree import TreeEngine

MOST_EXACT = {1: 3e5, 2: 1e7, 3: 1e8}
"""By dimension: arms times the root of the number of observations from which on the tree is faster.

The exact engine sums old observations once for many rounds, so that a round costs about so much. Measured by
``benchmarks/scale.py``.
"""
FEWEST_ARMS = 2000
"""Sets of fewer arms are always searched exactly: there is little to gain."""


class AutoEngine:
    """Starts exact and changes to the tree for good once that is faster."""

    def __init__(self, arms: Arms, kernel: Kernel, tolerance: float, random: np.random.Generator) -> None:
        self._arguments = arms, kernel, tolerance, random
        # The exact engine keeps a few numbers for every arm: sets that it would leave soon go to the tree at once.
        self._engine: ExactEngine | TreeEngine = (
            TreeEngine(*self._arguments) if self._too_large(256) else ExactEngine(arms, kernel)
        )

    @property
    def n_observations(self) -> int:
        """How many observations there are."""
        return self._engine.n_observations

    def add(self, times: Floats, arms: Any, rewards: Floats) -> None:
        """Take in observations, in any order of their times."""
        if isinstance(self._engine, ExactEngine) and self._too_large(self.n_observations + len(times)):
            seen = self._engine.history
            tree = TreeEngine(*self._arguments)
            if seen.n:
                tree.add(seen.times[: seen.n], seen.arms[: seen.n], seen.rewards[: seen.n])
            self._engine = tree
        self._engine.add(times, arms, rewards)

    def estimate(self, time: float, arms: Any = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them."""
        return self._engine.estimate(time, arms)

    def best(self, time: float, gamma: float, cap: float) -> tuple[Any, Floats]:
        """Return arms and their index, those to be played having the largest."""
        return self._engine.best(time, gamma, cap)

    def _too_large(self, n: int) -> bool:
        arms = self._arguments[0]
        return len(arms) >= FEWEST_ARMS and len(arms) * n**0.5 > MOST_EXACT[arms.dimension]
