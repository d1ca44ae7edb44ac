"""Which engine serves problems of which size: thresholds, measured by ``python -m benchmarks.crossover``.

``docs/engines/auto.md`` has the table. No choice of ``auto`` depends on which code happens to be compiled. The only
change while it plays is from exact choices to those within the tolerance, by the same tables: nothing is compiled or
built for it. The tree serves from the first observation on, or never.
"""

import math

from quickdraw_bandits.arms import Arms

FEWEST_IN_TREES = {1: 6_251, 2: 75_000, 3: 600_000}
"""By dimension: arms from which a round of the tree engine is cheaper than one of the cached engine.

The cost of the tree hardly depends on the arms, and that of the cached engine grows with them. On a line the two differ
little up to 16,000 arms; this is the least number with which exact choices would end before ``SHORTEST``, so that no
policy changes to the tree while it plays. In three dimensions the number is extrapolated: from 21 to 34 ms a round of
the tree, and 10 ms of the cached engine for 256,000 arms in 2-D.
"""
MOST_EXACT = {1: 1e5, 2: 4e4, 3: 4e4}
"""By dimension: arms times the root of the number of observations up to which the exact engine is kept."""
MOST_EVALUATIONS = {"cosine": 20_000, "haversine": 5_000, "precomputed": 60_000, "euclidean": 300_000}
"""By metric, where there are no trees: arms times observations below which the exact engine is kept."""
SHORTEST = 256
"""Observations: where choices would be exact for fewer than this, they never are."""


def tree_is_faster(arms: Arms) -> bool:
    """Compare the tree with the cached engine, for arms that both can serve."""
    return len(arms) >= FEWEST_IN_TREES[arms.dimension]


def longest_exact(arms: Arms, in_trees: bool) -> int:
    """Return up to how many observations choices are exact; ``in_trees``: the tree can serve the arms."""
    if in_trees:
        longest = math.floor((MOST_EXACT[arms.dimension] / len(arms)) ** 2)
    else:
        longest = math.ceil(MOST_EVALUATIONS[arms.metric] / len(arms)) - 1
    return longest if longest >= SHORTEST else 0
