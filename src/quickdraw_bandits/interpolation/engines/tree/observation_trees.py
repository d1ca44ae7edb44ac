"""All observations, in trees of doubling size, and the moments of every group."""

from typing import Any, NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.balanced_tree import partition, span
from quickdraw_bandits.numerics.jit import inner, scalar

LEAF = 8
"""Observations of a leaf."""
IN_REWARDS = ("reward", "least", "largest", "first", "second_of_rewards")
"""Fields of a group that are in units of the rewards."""


def group_type(dimension: int) -> np.dtype:
    """Return the record of a group of observations with ``dimension`` coordinates, time included.

    With delta_s an observation's place counted from the centroid: the count n, sum y_s, the largest |delta_s|, the root
    of the mean of |delta_s|², smallest and largest reward, the centroid, sum y_s delta_s, and the upper triangles of
    sum delta_s delta_s' and of sum y_s delta_s delta_s'. ``child`` is the first of two children, which are neighbours,
    or for a leaf -1 - the row of its first observation.
    """
    triangle = dimension * (dimension + 1) // 2
    scalars = ("count", "reward", "radius", "spread", "least", "largest")
    vectors = {"centroid": dimension, "first": dimension, "second": triangle, "second_of_rewards": triangle}
    fields: list[Any] = [("child", np.int64), *((name, np.float64) for name in scalars)]
    return np.dtype([*fields, *((name, np.float64, (length,)) for name, length in vectors.items())])


class Trees(NamedTuple):
    """What compiled code sees of the observations: rows, groups, and the number of observations."""

    rows: Floats
    groups: np.ndarray
    n: int


class ObservationTrees:
    """Observations as points of space-time, in groups for sums that need not see each of them.

    New observations gather in a buffer. When it is full they form a tree together with all trees up to the first
    level that is empty, as a carry runs through a binary number: level k is empty or holds 8 · 2^k observations. So
    nothing is rebuilt in full, an observation is moved log(n) times in all, and the newest are in the smallest trees.

    A tree halves its observations at the median of the coordinate of the widest range.

    Attributes
    ----------
    n
        How many observations there are.
    rows
        Coordinates, time and reward: the buffer in the first 8 rows, level k in those from 8 · 2^k on.
    groups
        One record per node, see ``group_type`` and ``build_tree``.
    """

    def __init__(self, dimension: int) -> None:
        self.n = 0
        self.rows: Floats = np.empty((LEAF, dimension + 1))
        self.groups = np.empty(2, dtype=group_type(dimension))

    @property
    def trees(self) -> Trees:
        """The observations as compiled code takes them."""
        return Trees(self.rows, self.groups, self.n)

    def add(self, rows: Floats) -> None:
        """Take in observations: coordinates, time and reward."""
        if len(rows) > max(self.n, LEAF):
            self._load(np.concatenate([self.all_rows(), rows]))
            return
        while len(rows):
            begin = self.n % LEAF
            part, rows = rows[: LEAF - begin], rows[LEAF - begin :]
            self.rows[begin : begin + len(part)] = part
            if begin + len(part) == LEAF:
                level = 0
                while self.n // LEAF >> level & 1:
                    level += 1
                self._make_room(level)
                merge(self.rows, level, self.groups)
            self.n += len(part)

    def all_rows(self) -> Floats:
        """Return all observations, one row each, the largest tree first."""
        parts = [self.rows[LEAF << level : 2 * LEAF << level] for level in self._levels()]
        return np.concatenate([*parts, self.rows[: self.n % LEAF]])

    def rescale_rewards(self, factor: float) -> None:
        """Multiply all rewards."""
        # Rows and groups that are not in use hold anything.
        with np.errstate(all="ignore"):
            self.rows[:, -1] *= factor
            for name in IN_REWARDS:
                self.groups[name] *= factor

    def _levels(self) -> list[int]:
        occupied = self.n // LEAF
        return [level for level in reversed(range(occupied.bit_length())) if occupied >> level & 1]

    def _load(self, rows: Floats) -> None:
        """Hold these observations and no others; each is moved once, the last into the smallest trees."""
        self.n = len(rows)
        start = 0
        for level in self._levels():
            self._make_room(level)
            size = LEAF << level
            self.rows[size : 2 * size] = rows[start : start + size]
            build_tree(self.rows, level, self.groups)
            start += size
        self.rows[: self.n % LEAF] = rows[start:]

    def _make_room(self, level: int) -> None:
        if len(self.rows) < 2 * LEAF << level:
            self.rows = _longer(self.rows, 2 * LEAF << level)
            self.groups = _longer(self.groups, 4 << level)


def _longer(array: Any, length: int) -> Any:
    result = np.empty((length, *array.shape[1:]), dtype=array.dtype)
    result[: len(array)] = array
    return result


@inner
def describe(rows, begin, end, group):
    """Fill in the moments of a group of observations, see ``group_type``."""
    dimension = len(group.centroid)
    n = end - begin
    group.count = n
    group.reward = 0.0
    group.least, group.largest = span(rows, begin, end, dimension)
    for j in range(dimension):
        group.centroid[j] = group.first[j] = 0.0
    for position in range(len(group.second)):
        group.second[position] = group.second_of_rewards[position] = 0.0
    for s in range(begin, end):
        group.reward += rows[s, dimension]
        for j in range(dimension):
            group.centroid[j] += rows[s, j]
    for j in range(dimension):
        group.centroid[j] /= n
    farthest = total = 0.0
    for s in range(begin, end):
        y = rows[s, dimension]
        squared = 0.0
        position = 0
        for j in range(dimension):
            delta = rows[s, j] - group.centroid[j]
            squared += delta * delta
            group.first[j] += y * delta
            for k in range(j, dimension):
                product = delta * (rows[s, k] - group.centroid[k])
                group.second[position] += product
                group.second_of_rewards[position] += y * product
                position += 1
        total += squared
        farthest = max(farthest, squared)
    group.radius = np.sqrt(farthest)
    group.spread = np.sqrt(total / n)


@scalar
def build_tree(rows, level, groups):
    """Build the tree of one level over its rows, which are already in place.

    Level k holds LEAF · 2^k observations in the rows from LEAF · 2^k on, and its groups from 2^(k+1) + 1 on, the
    children of the group at 2^(k+1) + j being those at 2^(k+1) + 2j and one after.
    """
    leaves = 1 << level
    base = 2 * leaves
    for j in range(1, base):
        depth = 0
        while j >> (depth + 1):
            depth += 1
        size = (leaves >> depth) * LEAF
        begin = LEAF * leaves + (j - (1 << depth)) * size
        group = groups[base + j]
        describe(rows, begin, begin + size, group)
        if j < leaves:
            widest, column = -1.0, 0
            for k in range(len(group.centroid)):
                low, high = span(rows, begin, begin + size, k)
                if high - low > widest:
                    widest, column = high - low, k
            partition(rows, begin, begin + size, begin + size // 2, column)
            group.child = base + 2 * j
        else:
            group.child = -1 - begin


@scalar
def merge(rows, level, groups):
    """Move the buffer and all levels below ``level`` there, and build its tree."""
    target = LEAF << level
    # The buffer is in the rows before LEAF, level k from LEAF << k on: all of them without a gap.
    _, n_columns = rows.shape
    for s in range(target):
        for k in range(n_columns):
            rows[target + s, k] = rows[s, k]
    build_tree(rows, level, groups)
