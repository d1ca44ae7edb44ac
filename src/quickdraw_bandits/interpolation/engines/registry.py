"""Which engine serves which problem."""

from typing import Literal, get_args

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.arms import VERY_MANY
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.observations import Observations

MOST_DIMENSIONS = 3
"""Most dimensions of arms that the tree serves."""

EngineName = Literal["auto", "exact", "tree", "cached"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)


def build(
    name: EngineName,
    arms: Arms | Box,
    kernel: Kernel,
    tolerance: float,
    observations: Observations,
    random: np.random.Generator,
) -> Engine:
    """Return the engine of that name, or raise ValueError where it cannot serve.

    ==========  ================================================================================================
    name        engine
    ==========  ================================================================================================
    ``exact``   tables with tolerance 0; without drift (``time_scale=None``) running sums
    ``cached``  tables with the given tolerance; without drift running sums
    ``tree``    the tree, for euclidean arms of up to three dimensions, and for a ``Box``
    ``auto``    the tree for very many arms and for a ``Box``; otherwise ``exact`` first and ``cached`` later, by the
                same tables; without drift running sums
    ==========  ================================================================================================
    """
    if name not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {name!r}")
    in_trees = arms.metric == "euclidean" and arms.dimension <= MOST_DIMENSIONS
    if name == "tree" and not in_trees and not isinstance(arms, Box):
        raise ValueError(
            f"engine must be one of auto, exact, cached for {arms.metric} arms of {arms.dimension} dimensions, "
            f"got 'tree', which serves euclidean arms of up to {MOST_DIMENSIONS}"
        )
    if isinstance(arms, Arms) and len(arms) >= VERY_MANY:
        # Needed when arms are added or few are asked for: to be there by then takes some ten milliseconds.
        from quickdraw_bandits.interpolation import parts  # noqa: F401
    if isinstance(arms, Box):
        if not in_trees:
            raise ValueError(
                f"arms must be a Box of up to {MOST_DIMENSIONS} dimensions for QuickDraw, got {arms.dimension}; "
                "AdaptiveQuickDraw plays a Box of up to 8"
            )
        if name not in ("auto", "tree"):
            raise ValueError(f"engine must be one of auto, tree for a Box, got {name!r}, which sums at every arm")
    elif name != "tree":
        if kernel.time_scale is None:
            from quickdraw_bandits.interpolation.running_sums import RunningSums

            return RunningSums(arms, kernel, observations)
        from quickdraw_bandits.interpolation.auto import longest_exact, tree_is_faster
        from quickdraw_bandits.interpolation.engines.tables.engine import TablesEngine

        if name == "exact":
            return TablesEngine(arms, kernel, 0.0, observations)
        if name == "cached":
            return TablesEngine(arms, kernel, tolerance, observations)
        if not in_trees or not tree_is_faster(arms):
            return TablesEngine(arms, kernel, tolerance, observations, longest_exact(arms, in_trees))
    # The largest of the engines: imported only where it is used.
    from quickdraw_bandits.interpolation.engines.tree import TreeEngine

    return TreeEngine(arms, kernel, tolerance, observations, random)
