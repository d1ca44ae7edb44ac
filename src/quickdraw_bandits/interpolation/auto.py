"""The exact engine while it is the faster one, then one that grows less with arms and observations."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.cached import CachedEngine
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.exact import ExactEngine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.tree import TreeEngine
from quickdraw_bandits.observations import Observations

FEWEST_IN_TREES = {1: 4_000, 2: 75_000, 3: 600_000}
"""By dimension: arms from which on a round of the tree engine is cheaper than one of the cached engine.

The cost of the tree hardly depends on the arms, and that of the cached engine grows with them. Measured by
``python -m benchmarks.crossover`` on a line and in the plane. In three dimensions it follows from the tree's 21 to 34
ms a round, and from the cached engine's 10 ms for 256,000 arms of the plane.
"""
MOST_EXACT = {1: 1e5, 2: 4e4, 3: 4e4}
"""By dimension: arms times the root of the number of observations up to which the exact engine is the fastest.

The exact engine sums old observations once for many rounds, so that a round costs about so much.
"""


class AutoEngine(Engine):
    """Starts exact and changes to its successor for good once that is faster.

    Parameters
    ----------
    arms, kernel, observations
        As for the engines.
    successor
        Builds the other engine.
    faster
        Tells for arms and a number of observations whether the successor is the faster one.
    """

    def __init__(
        self,
        arms: Arms,
        kernel: Kernel,
        observations: Observations,
        successor: Callable[[], TreeEngine | CachedEngine],
        faster: Callable[[Arms, int], bool],
    ) -> None:
        super().__init__(observations)
        self._arms = arms
        self._successor = successor
        self._faster = faster
        # The exact engine keeps a few numbers for every arm: sets that it would leave soon go to the other at once.
        self._engine: ExactEngine | TreeEngine | CachedEngine = (
            successor() if faster(arms, 256) else ExactEngine(arms, kernel, observations)
        )

    def extend(self) -> None:
        """Take in the observations that are new in the store, all of them with a new engine."""
        if isinstance(self._engine, ExactEngine) and self._faster(self._arms, self._seen.n):
            self._engine = self._successor()
        self._engine.extend()

    def estimate(self, time: float, arms: Any = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them."""
        return self._engine.estimate(time, arms)

    def best(self, time: float, gamma: float, cap: float) -> Integers:
        """Return the positions of all arms that ``choose`` may return."""
        return self._engine.best(time, gamma, cap)

    def choose(self, time: float, gamma: float, cap: float, random: np.random.Generator) -> Any:
        """Return one of the best arms."""
        return self._engine.choose(time, gamma, cap, random)


def tree_is_faster(arms: Arms) -> bool:
    """Compare the tree with the cached engine, for arms that both can serve."""
    return len(arms) >= FEWEST_IN_TREES[arms.dimension]


def exact_is_slower(arms: Arms, n: int) -> bool:
    """Compare the exact engine with the faster of both, for ``n`` observations."""
    return len(arms) * math.sqrt(n) > MOST_EXACT[arms.dimension]


MOST_EVALUATIONS = {"cosine": 20_000, "haversine": 5_000, "precomputed": 60_000, "euclidean": 300_000}
"""By metric, where there are no trees: arms times observations from which on the cached engine is faster.

Measured with 100, 1,000 and 5,000 arms, cosine in 32 dimensions and euclidean in 8. With 100 arms, a round took both
engines the same time at about 140 observations by cosine, 780 with precomputed distances and 5,000 by the euclidean
distance, which the exact engine sums in float32 first; by haversine, at fewer than 50. With 1,000 arms the cached
engine was faster from 50 on, and by the euclidean distance from 100 or 200 on.
"""


def cache_is_faster(arms: Arms, n: int) -> bool:
    """Compare the cached with the exact engine, for ``n`` observations."""
    return len(arms) * n >= MOST_EVALUATIONS[arms.metric]
