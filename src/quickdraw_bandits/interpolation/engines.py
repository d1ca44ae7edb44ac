"""Which engine serves which problem."""

from typing import Any, Protocol

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.box import MOST_DIMENSIONS
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.auto import AutoEngine
from quickdraw_bandits.interpolation.exact import ExactEngine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.running_sums import RunningSums
from quickdraw_bandits.interpolation.tree import TreeEngine

ENGINES = ("auto", "exact", "tree")


class Engine(Protocol):
    """What finds the arm to play."""

    @property
    def n_observations(self) -> int:
        """How many observations there are."""

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
            f"engine must be one of auto, exact for {arms.metric} arms of {arms.dimension} dimensions, got 'tree', "
            f"which serves euclidean arms of up to {MOST_DIMENSIONS}"
        )
    if isinstance(arms, Box):
        if name == "exact":
            raise ValueError("engine must be one of auto, tree for a Box, got 'exact', which sums at every arm")
        return TreeEngine(arms, kernel, tolerance, random)
    if name == "tree":
        return TreeEngine(arms, kernel, tolerance, random)
    if kernel.time_scale is None:
        return RunningSums(arms, kernel)
    if name == "exact" or not in_trees:
        return ExactEngine(arms, kernel)
    return AutoEngine(arms, kernel, tolerance, random)
