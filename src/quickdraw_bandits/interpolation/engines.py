"""Which engine serves which problem."""

from functools import partial
from typing import Any, Protocol

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.box import MOST_DIMENSIONS
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.auto import AutoEngine, cache_is_faster, exact_is_slower, tree_is_faster
from quickdraw_bandits.interpolation.cached import CachedEngine
from quickdraw_bandits.interpolation.exact import ExactEngine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.running_sums import RunningSums
from quickdraw_bandits.interpolation.tree import TreeEngine

ENGINES = ("auto", "exact", "tree", "cached")


class Engine(Protocol):
    """What finds the arm to play."""

    @property
    def n_observations(self) -> int:
        """How many observations there are."""

    @property
    def times(self) -> Floats:
        """When arms were pulled, in the order of arrival; nothing where times do not matter."""

    @property
    def least_reward(self) -> float:
        """The least reward of all; infinite before there is any."""

    @property
    def average_reward(self) -> float:
        """The average of all rewards, of which there must be one."""

    def add(self, times: Floats, arms: Any, rewards: Floats) -> None:
        """Take in observations, in any order of their times."""

    def estimate(self, time: float, arms: Any = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them."""

    def best(self, time: float, gamma: float, cap: float) -> tuple[Any, Floats]:
        """Return arms and their index, those to be played having the largest."""


def build(name: str, arms: Arms | Box, kernel: Kernel, tolerance: float, random: np.random.Generator) -> Engine:
    """Return the engine of that name, or raise ValueError where it cannot serve."""
    if name not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {name!r}")
    in_trees = arms.metric == "euclidean" and arms.dimension <= MOST_DIMENSIONS
    if name == "tree" and not in_trees:
        raise ValueError(
            f"engine must be one of auto, exact, cached for {arms.metric} arms of {arms.dimension} dimensions, "
            f"got 'tree', which serves euclidean arms of up to {MOST_DIMENSIONS}"
        )
    if isinstance(arms, Box):
        if name not in ("auto", "tree"):
            raise ValueError(f"engine must be one of auto, tree for a Box, got {name!r}, which sums at every arm")
        return TreeEngine(arms, kernel, tolerance, random)
    # Partial functions rather than closures, so that policies can be pickled.
    tree = partial(TreeEngine, arms, kernel, tolerance, random)
    cached = partial(CachedEngine, arms, kernel, tolerance)
    if name == "tree":
        return tree()
    if kernel.time_scale is None:
        return RunningSums(arms, kernel)
    if name == "exact":
        return ExactEngine(arms, kernel)
    if name == "cached":
        return cached()
    if in_trees:
        return AutoEngine(arms, kernel, tree if tree_is_faster(arms) else cached, exact_is_slower)
    return AutoEngine(arms, kernel, cached, cache_is_faster)
