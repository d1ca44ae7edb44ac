"""Which engine serves which problem."""

from functools import partial
from typing import Literal, get_args

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.box import MOST_DIMENSIONS
from quickdraw_bandits.interpolation.auto import AutoEngine, cache_is_faster, exact_is_slower, tree_is_faster
from quickdraw_bandits.interpolation.cached import CachedEngine
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.exact import ExactEngine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.running_sums import RunningSums
from quickdraw_bandits.interpolation.tree import TreeEngine
from quickdraw_bandits.observations import Observations

EngineName = Literal["auto", "exact", "tree", "cached"]
ENGINES = get_args(EngineName)


def build(
    name: str,
    arms: Arms | Box,
    kernel: Kernel,
    tolerance: float,
    observations: Observations,
    random: np.random.Generator,
) -> Engine:
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
        return TreeEngine(arms, kernel, tolerance, observations, random)
    # Partial functions rather than closures, so that policies can be pickled.
    tree = partial(TreeEngine, arms, kernel, tolerance, observations, random)
    cached = partial(CachedEngine, arms, kernel, tolerance, observations)
    if name == "tree":
        return tree()
    if kernel.time_scale is None:
        return RunningSums(arms, kernel, observations)
    if name == "exact":
        return ExactEngine(arms, kernel, observations)
    if name == "cached":
        return cached()
    if in_trees:
        return AutoEngine(arms, kernel, observations, tree if tree_is_faster(arms) else cached, exact_is_slower)
    return AutoEngine(arms, kernel, observations, cached, cache_is_faster)
