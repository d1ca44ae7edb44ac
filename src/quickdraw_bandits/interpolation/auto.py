"""The exact engine while it is the fastest, then one whose rounds grow less with arms and observations.

All thresholds are measured by ``python -m benchmarks.crossover``; ``docs/engines/auto.md`` has the table.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.engine import Contenders, Engine
from quickdraw_bandits.interpolation.limits import FREE, Limits
from quickdraw_bandits.observations import Observations

FEWEST_IN_TREES = {1: 4_000, 2: 75_000, 3: 600_000}
"""By dimension: arms from which a round of the tree engine is cheaper than one of the cached engine.

The cost of the tree hardly depends on the arms, and that of the cached engine grows with them. In three dimensions the
number is extrapolated: from 21 to 34 ms a round of the tree, and 10 ms of the cached engine for 256,000 arms in 2-D.
"""
MOST_EXACT = {1: 1e5, 2: 4e4, 3: 4e4}
"""By dimension: arms times the root of the number of observations up to which the exact engine is kept."""
MOST_EVALUATIONS = {"cosine": 20_000, "haversine": 5_000, "precomputed": 60_000, "euclidean": 300_000}
"""By metric, where there are no trees: arms times observations below which the exact engine is kept."""
SHORTEST = 256
"""Engines keep some numbers for every arm. One that would serve for fewer observations than this is skipped."""


class AutoEngine(Engine):
    """Starts with one engine and later changes, once, to its successor.

    Parameters
    ----------
    observations
        The policy's store.
    first, successor
        Build the two engines.
    until
        Observations up to which the first one serves.
    tolerance
        That of the successor. The first engine is exact because that costs nothing where one choice is made at a time.
    """

    _tolerance = 0.0

    def __init__(
        self,
        observations: Observations,
        first: Callable[[], Engine],
        successor: Callable[[], Engine],
        until: int,
        tolerance: float = 0.0,
    ) -> None:
        super().__init__(observations)
        self._tolerance = tolerance
        self._successor = successor
        self._until: float = until
        if until < SHORTEST:
            self._become_successor()
        else:
            self._engine = first()

    def _become_successor(self) -> None:
        self._engine = self._successor()
        self._until = math.inf

    @property
    def slack(self) -> float:
        """How far below the largest index those of the best arms may be."""
        return self._engine.slack

    def extend(self) -> None:
        """Take in the observations that are new in the store, all of them with a new engine."""
        if self._seen.n > self._until:
            self._become_successor()
        self._engine.extend()

    def estimate(self, time: float, arms: Any = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them."""
        return self._engine.estimate(time, arms)

    def best(self, time: float, gamma: float, cap: float, keep: bool = False, limits: Limits = FREE) -> Integers:
        """Return the positions of all arms that ``choose`` may return."""
        return self._engine.best(time, gamma, cap, keep, limits)

    def forked(self, tolerance: float = 0.0) -> Engine:
        """Return a fork of the engine in use; it need not be more exact than its successor will be."""
        return self._engine.forked(max(tolerance, self._tolerance))

    def tidy(self, time: float, later: bool = False) -> None:
        """Reorganise what the engine keeps."""
        self._engine.tidy(time, later)

    def choose(self, time: float, gamma: float, cap: float, random: np.random.Generator, limits: Limits = FREE) -> Any:
        """Return one of the best arms."""
        return self._engine.choose(time, gamma, cap, random, limits)

    def contenders(self, time: float, gamma: float, cap: float, random: np.random.Generator) -> Contenders:
        """Return the arms of which ``choose`` would return one."""
        return self._engine.contenders(time, gamma, cap, random)


def tree_is_faster(arms: Arms) -> bool:
    """Compare the tree with the cached engine, for arms that both can serve."""
    return len(arms) >= FEWEST_IN_TREES[arms.dimension]


def longest_exact(arms: Arms, in_trees: bool) -> int:
    """Return up to how many observations the exact engine is kept; ``in_trees``: the tree can serve the arms."""
    if in_trees:
        return math.floor((MOST_EXACT[arms.dimension] / len(arms)) ** 2)
    return math.ceil(MOST_EVALUATIONS[arms.metric] / len(arms)) - 1
