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


def cache_is_faster(arms: Arms, n: int) -> bool:
    """Compare the cached with the exact engine, which sums euclidean arms in float32 first."""
    return len(arms) * n >= 1_000_000 and n >= (20_000 if arms.metric == "euclidean" else 200)
