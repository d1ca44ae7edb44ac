"""All observations, in trees of doubling size."""

from typing import Any

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation import compiled_forest
from quickdraw_bandits.interpolation.compiled_forest import LEAF


class Forest:
    """Observations as points of space-time, grouped for sums that need not see each of them.

    New observations gather in a buffer. When it is full they form a tree together with all trees up to the first
    level that is empty, as a carry runs through a binary number: level k is empty or holds 8 · 2^k observations. So
    nothing is rebuilt in full, an observation is moved log(n) times in all, and the newest are in the smallest trees.

    A tree halves its observations at the median of the coordinate of the widest range. Every node has the moments of
    its group, see ``compiled_forest.describe``.

    Attributes
    ----------
    n
        How many observations there are.
    rows
        Coordinates, time and reward: the buffer in the first 8 rows, level k in those from 8 · 2^k on.
    nodes, first
        Moments and first child of every node, see ``compiled_forest.build_tree``.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.n = 0
        self.rows: Floats = np.empty((LEAF, dimension + 1))
        self.nodes: Floats = np.empty((2, compiled_forest.row_length(dimension)))
        self.first = np.empty(2, dtype=np.int64)

    @property
    def buffered(self) -> int:
        """How many observations wait in the buffer."""
        return self.n % LEAF

    @property
    def occupied(self) -> int:
        """The levels that hold a tree, as bits."""
        return self.n // LEAF

    def add(self, rows: Floats) -> None:
        """Take in observations: coordinates, time and reward."""
        if len(rows) > max(self.n, LEAF):
            self._load(np.concatenate([self.all_rows(), rows]))
            return
        while len(rows):
            room = LEAF - self.buffered
            self._fill(rows[:room])
            rows = rows[room:]

    def all_rows(self) -> Floats:
        """Return all observations, one row each, in no particular order."""
        levels = [level for level in range(self.occupied.bit_length()) if self.occupied >> level & 1]
        parts = [self.rows[LEAF << level : 2 * LEAF << level] for level in reversed(levels)]
        return np.concatenate([*parts, self.rows[: self.buffered]])

    def _load(self, rows: Floats) -> None:
        """Hold these observations and no others; each is moved once, the last into the smallest trees."""
        self.n = len(rows)
        top = self.occupied.bit_length() - 1
        self._make_room(top)
        start = 0
        for level in range(top, -1, -1):
            if self.occupied >> level & 1:
                size = LEAF << level
                self.rows[size : 2 * size] = rows[start : start + size]
                compiled_forest.build_tree(self.rows, level, self.dimension, self.nodes, self.first)
                start += size
        self.rows[: self.buffered] = rows[start:]

    def _fill(self, rows: Floats) -> None:
        begin = self.buffered
        self.rows[begin : begin + len(rows)] = rows
        if begin + len(rows) == LEAF:
            level = 0
            while self.occupied >> level & 1:
                level += 1
            self._make_room(level)
            compiled_forest.carry(self.rows, level, self.dimension, self.nodes, self.first)
        self.n += len(rows)

    def _make_room(self, level: int) -> None:
        if len(self.rows) < 2 * LEAF << level:
            self.rows = _longer(self.rows, 2 * LEAF << level)
            self.nodes = _longer(self.nodes, 4 << level)
            self.first = _longer(self.first, 4 << level)


def _longer(array: Any, length: int) -> Any:
    result = np.empty((length, *array.shape[1:]), dtype=array.dtype)
    result[: len(array)] = array
    return result
