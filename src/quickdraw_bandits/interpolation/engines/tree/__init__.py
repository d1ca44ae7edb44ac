"""The tree engine: branch and bound over boxes of arms, with Taylor expansions of groups of observations.

In the order of a choice: ``engine``, ``search``, ``refine``, ``sums``, ``bounds`` and ``leaves``, which use
``expansion``. The state is in ``boxes``, ``queue``, ``arm_tree`` and ``observation_trees``. Formulas are in
docs/engines/tree.md.
"""

from quickdraw_bandits.interpolation.engines.tree.engine import TreeEngine

__all__ = ["TreeEngine"]
