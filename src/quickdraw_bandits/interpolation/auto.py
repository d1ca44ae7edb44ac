"""The exact engine while it is the faster one, then one that grows less with arms and observations."""

from collections.abc import Callable
from typing import Any

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.cached import CachedEngine
from quickdraw_bandits.interpolation.exact import ExactEngine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.tree import TreeEngine

FEWEST_ARMS = 2000
"""Sets of fewer arms are always searched exactly by ``tree_is_faster``: there is little to gain."""
MOST_EXACT = {1: 1.2e5, 2: 3.7e5, 3: 2.9e7}
"""By dimension: arms times the root of the number of observations from which on the tree is faster.

The exact engine sums old observations once for many rounds, so that a round costs about so much. Measured by
``benchmarks/crossover.py`` after 2,000 rounds: the two took the same time at about 2,700 arms in one dimension, 8,200
in two. In three, the exact engine took 11 ms to the tree's 41 ms at 128,000 arms, from which about 650,000 follow.
"""


class AutoEngine:
    """Starts exact and changes to its successor for good once that is faster.

    Parameters
    ----------
    arms, kernel
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
        successor: Callable[[], TreeEngine | CachedEngine],
        faster: Callable[[Arms, int], bool],
    ) -> None:
        self._arms = arms
        self._successor = successor
        self._faster = faster
        # The exact engine keeps a few numbers for every arm: sets that it would leave soon go to the other at once.
        self._engine: ExactEngine | TreeEngine | CachedEngine = (
            successor() if faster(arms, 256) else ExactEngine(arms, kernel)
        )

    @property
    def n_observations(self) -> int:
        """How many observations there are."""
        return self._engine.n_observations

    def add(self, times: Floats, arms: Any, rewards: Floats) -> None:
        """Take in observations, in any order of their times."""
        if isinstance(self._engine, ExactEngine) and self._faster(self._arms, self.n_observations + len(times)):
            seen = self._engine.history
            other = self._successor()
            if seen.n:
                other.add(seen.times[: seen.n], seen.arms[: seen.n], seen.rewards[: seen.n])
            self._engine = other
        self._engine.add(times, arms, rewards)

    def estimate(self, time: float, arms: Any = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them."""
        return self._engine.estimate(time, arms)

    def best(self, time: float, gamma: float, cap: float) -> tuple[Any, Floats]:
        """Return arms and their index, those to be played having the largest."""
        return self._engine.best(time, gamma, cap)


def tree_is_faster(arms: Arms, n: int) -> bool:
    """Compare the tree with the exact engine, for ``n`` observations."""
    return len(arms) >= FEWEST_ARMS and len(arms) * n**0.5 > MOST_EXACT[arms.dimension]


MOST_EVALUATIONS = {"cosine": 20_000, "haversine": 5_000, "precomputed": 60_000, "euclidean": 300_000}
"""By metric: arms times observations from which on the cached engine is faster.

Measured with 100, 1,000 and 5,000 arms, cosine in 32 dimensions and euclidean in 8. With 100 arms, a round took both
engines the same time at about 140 observations by cosine, 780 with precomputed distances and 5,000 by the euclidean
distance, which the exact engine sums in float32 first; by haversine, at fewer than 50. With 1,000 arms the cached
engine was faster from 50 on, and by the euclidean distance from 100 or 200 on.
"""


def cache_is_faster(arms: Arms, n: int) -> bool:
    """Compare the cached with the exact engine, for ``n`` observations."""
    return len(arms) * n >= MOST_EVALUATIONS[arms.metric]
