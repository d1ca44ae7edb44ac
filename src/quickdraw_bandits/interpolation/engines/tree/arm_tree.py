"""Boxes around arms: a balanced tree over points, or one box for a continuum."""

from typing import Any, NamedTuple

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.engines.tree.queue import uniform
from quickdraw_bandits.numerics.balanced_tree import balanced_tree
from quickdraw_bandits.numerics.jit import inner

ARMS_OF_A_LEAF = 16
"""Arms of a leaf at most."""


class ArmTree(NamedTuple):
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
    discrete
        Whether there are arms, rather than a continuum.
    """

    bounds: Floats
    permutation: np.ndarray
    points: np.ndarray
    origin: Floats
    weight: float
    discrete: bool

    @classmethod
    def build(cls, arms: Arms | Box, weight: float) -> "ArmTree":
        """Return the tree over the arms, coordinates being multiplied by ``weight``."""
        if isinstance(arms, Box):
            origin = (arms.low + arms.high) / 2
            bounds = np.concatenate([(arms.low - origin) * weight, (arms.high - origin) * weight])[None]
            points = np.zeros((1, arms.dimension))
            points.setflags(write=False)  # as those of arms, so that the same compiled code serves
            return cls(bounds, np.zeros(1, dtype=np.int32), points, origin, weight, False)
        origin = (arms.points.max(axis=0).astype(np.float64) + arms.points.min(axis=0)) / 2
        _, permutation, bounds = balanced_tree((arms.points - origin) * weight, ARMS_OF_A_LEAF)
        return cls(bounds, permutation, arms.points, origin, weight, True)

    def scaled(self, points: Any) -> Floats:
        """Return coordinates counted from the middle of the arms, in units of rho."""
        return np.asarray((points - self.origin) * self.weight)

    def at_place_of(self, position: int) -> Integers:
        """Return the arms that share the place of the one at ``position`` in the tree's order."""
        d, n_nodes = len(self.origin), len(self.bounds)
        place = self.points[self.permutation[position]]
        scaled = self.scaled(place)
        found, stack = [], [(0, 0, len(self.points))]
        while stack:
            node, begin, end = stack.pop()
            if (scaled < self.bounds[node, :d]).any() or (scaled > self.bounds[node, d:]).any():
                continue
            if 2 * node + 1 < n_nodes:
                middle = (begin + end) // 2
                stack += [(2 * node + 1, begin, middle), (2 * node + 2, middle, end)]
            else:
                some = self.permutation[begin:end]
                found.append(some[(self.points[some] == place).all(axis=1)])
        return np.concatenate(found).astype(np.int64)


@inner
def draw_at_place(arms, begin, end, position, stack, keys):
    """Return the position of one of the arms that share the place of the arm at ``position``, each as likely.

    Return -1, and draw nothing, if all of them are in the range from ``begin`` to ``end``.
    """
    points, bounds, origin, permutation = arms.points, arms.bounds, arms.origin, arms.permutation
    d, n_nodes = len(origin), len(bounds)
    place = points[permutation[position]]
    state = keys[0]
    chosen, count, elsewhere = position, 0, False
    # A node and its range.
    stack[0], stack[1], stack[2] = 0, 0, len(points)
    depth = 3
    while depth:
        depth -= 3
        node, first, last = stack[depth], stack[depth + 1], stack[depth + 2]
        inside = True
        for j in range(d):
            x = (place[j] - origin[j]) * arms.weight
            inside = inside and bounds[node, j] <= x <= bounds[node, d + j]
        if not inside:
            continue
        if 2 * node + 1 < n_nodes:
            middle = (first + last) // 2
            stack[depth], stack[depth + 1], stack[depth + 2] = 2 * node + 1, first, middle
            stack[depth + 3], stack[depth + 4], stack[depth + 5] = 2 * node + 2, middle, last
            depth += 6
            continue
        for other in range(first, last):
            same = True
            for j in range(d):
                same = same and points[permutation[other], j] == place[j]
            if same:
                count += 1
                elsewhere = elsewhere or not begin <= other < end
                if uniform(keys) * count < 1.0:
                    chosen = other
    if elsewhere:
        return chosen
    keys[0] = state
    return -1
