"""How tables are filled: with what the tables above them hold, the far past, and the observations in between."""

from abc import ABC
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.engines.tables.far_groups import FarGroups, Grouped
from quickdraw_bandits.interpolation.engines.tables.far_past import FarPast, Sums
from quickdraw_bandits.interpolation.engines.tables.geometry import Geometry
from quickdraw_bandits.interpolation.engines.tables.level import Level
from quickdraw_bandits.interpolation.engines.tables.node_sums import (
    ARMS,
    BY_COORDINATES,
    LARGEST_TERM,
    Observed,
    ScaledArms,
    Units,
    add_observations,
    carry_over,
)
from quickdraw_bandits.interpolation.engines.tables.nodes import TimeNodes
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.numerics.threads import in_parts
from quickdraw_bandits.observations import Observations

ERROR_OF_NODES = 5e-5
"""Relative error that comparing coordinates in float32, or taking the far past for straight lines, may add."""
ERROR_OF_GROUPS = 5e-6
"""Relative error that grouping the far past may add."""


class TableSums(ABC):
    """Fills tables. What it sums over is known to ``Levels``, which derives from it and says what goes where."""

    arms: ScaledArms
    nodes: TimeNodes
    units: Units
    _far: FarPast
    _geometry: Geometry
    _kernel: Kernel
    _latest: Floats
    _node_error: float
    _seen: Observations
    _grouped: tuple[Grouped, ...] = ()  # the far past as it was grouped lately, the latest last
    _far_known: "tuple[tuple[object, ...], Sums] | None" = None  # the latest moments, and what they are of
    _levels: dict[int, list[Level | None]]
    _defers = False  # while tables are planned, and not made
    _planned = False  # whether some of the levels have a plan in place of tables
    _reuse: bool  # whether tables are overwritten with later ones

    def _stretch(self, start: float, included: int, above: list[Level]) -> tuple[float, float]:
        """Return where a stretch starts, not before those above, and how long it can be."""
        above = [level for level in above if level.included]
        start = max([start, *(level.start for level in above)])
        length = self.nodes.share * (start - float(self._latest[included - 1]))
        return start, min([length, *(level.left(start) for level in above)])

    def _sum(
        self, old: Level | None, included: int, time: float, length: float, after: Floats, above: list[Level]
    ) -> Level:
        """Return a block with tables at ``time + after``, from those above and from the observations since."""
        first, last = above[0].first, above[-1].last
        if self._defers:
            return Level(first, last, included, time, length, recipe=(after, above))
        shape = (len(after), 2, last - first)
        tables = old.tables if old and self._reuse else None
        if tables is None or tables.shape != shape:
            tables = np.empty(shape, dtype=np.float32)
        errors = [self._fill(tables, first, level, included, time, after) for level in above]
        return Level(first, last, included, time, length, max(errors), tables)

    def _settle(self) -> None:
        """Make the tables that were only planned."""
        if self._planned:
            self._planned = False
            planned = [level for blocks in self._levels.values() for level in blocks if level is not None]
            for level in sorted(planned, key=lambda level: level.start):  # groups of the far past grow with time
                self._make_planned(level)

    def _make_planned(self, level: Level) -> None:
        """Make the tables of one level, and first those above that it is made from."""
        if level.recipe is None:
            return
        after, above = level.recipe
        for each in above:
            self._make_planned(each)
        tables = np.empty((len(after), 2, level.last - level.first), dtype=np.float32)
        errors = [self._fill(tables, level.first, each, level.included, level.start, after) for each in above]
        level.error, level.tables, level.recipe = max(errors), tables, None

    def _fill(
        self, tables: NDArray[np.float32], first: int, above: Level, included: int, time: float, after: Floats
    ) -> float:
        """Fill the columns of ``tables`` that are of the arms of ``above``; return the error."""
        begin, error = above.included, above.error
        columns = slice(above.first - first, above.last - first)
        if above.included:
            assert above.tables is not None
            moments = 2 * (time - above.start + after) / above.length - 1
            carry_over(above.tables, self.nodes.places, self.nodes.weights, moments, tables, columns.start)
        else:
            begin = self._far_count(time, included)
            if begin:
                points = self.arms.points[above.first : above.last]
                self._far.fill(self._far_sums(begin, time, after), points, tables[..., columns])
                error = ERROR_OF_NODES + self._far_groups.error * self._far.error_of_lines * self.nodes.growth
            else:
                tables[..., columns] = 0
        if begin < included:
            error = max(error, self._add(tables, first, columns, begin, included, time, after))
        return error

    def _add(
        self, tables: NDArray[np.float32], first: int, columns: slice, begin: int, end: int, time: float, after: Floats
    ) -> float:
        """Add the observations from ``begin`` to ``end`` to tables at ``time + after``; return the error it adds."""
        seen, sharpness, count = self._seen, self._kernel.sharpness, columns.stop - columns.start
        arms = self.arms._replace(points=self.arms.points[first : first + tables.shape[2]])
        age = max(time - float(seen.times[begin:end].max()), 0.0) + float(after[-1])  # the nodes go back in time
        narrowing = self._geometry.narrowing(arms.weight, 1 + (age / self.units.time) ** 2, sharpness)
        narrow = narrowing <= self._node_error
        places = np.empty((end - begin, len(arms.centre)), dtype=np.float32 if narrow else np.float64)
        np.subtract(seen.coordinates[:, begin:end].T, arms.centre, out=places, casting="same_kind")
        observed = Observed(places, seen.times[begin:end], seen.rewards[begin:end])
        positions = None if arms.metric in BY_COORDINATES else seen.arms[begin:end]

        def add(start: int, stop: int) -> None:
            some = columns.start + start, columns.start + stop
            add_observations(arms, observed, positions, time, after, self.units, sharpness, tables, *some)

        in_parts(add, count, (end - begin) * len(after) * count, ARMS)
        return narrowing * self.nodes.growth if narrow else 0.0

    @cached_property
    def _far_groups(self) -> FarGroups:
        error = ERROR_OF_GROUPS / (self.nodes.growth * self._far.error_of_lines)
        return FarGroups(self._far, TimeNodes(self._kernel.sharpness, error), self.units.time)

    def _far_sums(self, end: int, time: float, after: Floats) -> Sums:
        """Return the sums over the first observations, which all blocks that are made at one time share."""
        key = end, time, float(after[-1]), len(after), self.units
        if self._far_known is None or self._far_known[0] != key:
            groups = self._far_groups
            self._grouped = groups.extended(self._grouped, self._seen, self.units, end, groups.reach(time))
            moments, ages = groups.ages(self._grouped[-1], time)
            self._far_known = key, self._far.sums(moments, self._terms(ages + after[:, None]))
        return self._far_known[1]

    def _far_count(self, time: float, n: int) -> int:
        """Return how many of the first ``n`` observations are in the far past, together with all before them."""
        return int(np.searchsorted(self._latest[:n], self._far_groups.reach(time), side="left"))

    def _terms(self, ages: Floats) -> Floats:
        """Return 1 + (age / (l_t rho))²."""
        with np.errstate(over="ignore"):
            return np.asarray(np.minimum(1.0 + np.square(ages / self.units.time), LARGEST_TERM))
