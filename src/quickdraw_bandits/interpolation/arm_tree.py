"""Boxes around arms: a balanced tree over points, or one box for a continuum."""

from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation import compiled_forest

LEAF_ARMS = 16
"""Arms of a leaf at most."""


class ArmTree:
    """The arms in an order in which every box of a balanced tree is a range of positions.

    Attributes
    ----------
    bounds
        Low and high corner of every box, in scaled coordinates. Node k has the children 2k + 1 and 2k + 2.
    permutation
        The arms in the tree's order: four bytes an arm.
    points
        The arms as given; one row of zeros for a continuum.
    origin, weight
        A coordinate x is scaled to (x - origin) · weight.
    """

    def __init__(self, arms: Arms | Box, weight: float) -> None:
        self.discrete = isinstance(arms, Arms)
        self.weight = weight
        self.permutation = np.zeros(1, dtype=np.int32)
        if isinstance(arms, Box):
            self.origin = (arms.low + arms.high) / 2
            self.points: Any = np.zeros((1, arms.dimension))
            self.bounds: Floats = np.concatenate([self.scaled(arms.low), self.scaled(arms.high)])[None]
            return
        self.points = arms.points
        self.origin = (arms.points.max(axis=0).astype(np.float64) + arms.points.min(axis=0)) / 2
        levels = 0
        while len(arms) > LEAF_ARMS << levels:
            levels += 1
        self.permutation = np.arange(len(arms), dtype=np.int32)
        self.bounds = np.empty((2 ** (levels + 1) - 1, 2 * arms.dimension))
        compiled_forest.build_arm_tree(self.scaled(arms.points), self.permutation, self.bounds)

    def scaled(self, points: Any) -> Floats:
        """Return coordinates counted from the middle of the arms, in units of rho."""
        return np.asarray((points - self.origin) * self.weight)
