"""How tables are filled: with what the tables above them hold, the far past, and the observations in between."""

from abc import ABC
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.tables.far_past import FarPast, Sums
from quickdraw_bandits.interpolation.tables.geometry import Geometry
from quickdraw_bandits.interpolation.tables.level import Level
from quickdraw_bandits.interpolation.tables.node_sums import (
    ARMS,
    BY_COORDINATES,
    LARGEST_TERM,
    Observed,
    ScaledArms,
    Units,
    add_observations,
    carry_over,
)
from quickdraw_bandits.interpolation.tables.nodes import TimeNodes
from quickdraw_bandits.numerics.threads import in_parts
from quickdraw_bandits.observations import Observations

ERROR_OF_NODES = 5e-5
"""Relative error that comparing coordinates in float32, or taking the far past for straight lines, may add."""

FAR_AT_ONCE = 4096
"""Observations of a pass: what they need stays in the cache."""


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
    _far_known: "tuple[tuple[object, ...], Sums] | None" = None  # the latest moments, and what they are of
    _defers = False  # while tables are planned, and not made
    _reuse: bool  # whether tables are overwritten with later ones

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
                error = ERROR_OF_NODES
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

    def _far_sums(self, end: int, time: float, after: Floats) -> Sums:
        """Return the moments of the first observations, which all blocks that are made at one time share."""
        key = end, time, float(after[-1]), len(after), self.units
        if self._far_known is None or self._far_known[0] != key:
            seen, parts = self._seen, []
            for begin in range(0, end, FAR_AT_ONCE):
                some = slice(begin, min(begin + FAR_AT_ONCE, end))
                terms = self._terms((time - seen.times[some]) + after[:, None])
                parts.append(self._far.sums(seen.coordinates[:, some], terms, self._paid(some.start, some.stop)))
            self._far_known = key, reduce(Sums.plus, parts)
        return self._far_known[1]

    def _far_count(self, time: float, n: int) -> int:
        """Return how many of the first ``n`` observations are in the far past, together with all before them."""
        # Rounded down, lest observations of this very moment count as far where the clock cannot tell so short a time.
        latest = np.nextafter(time - self._far.least_age * self.units.time, -np.inf)
        return int(np.searchsorted(self._latest[:n], latest, side="right"))

    def _terms(self, ages: Floats) -> Floats:
        """Return 1 + (age / (l_t rho))²."""
        with np.errstate(over="ignore"):
            return np.asarray(np.minimum(1.0 + np.square(ages / self.units.time), LARGEST_TERM))

    def _paid(self, begin: int, end: int) -> Floats:
        return np.asarray((self._seen.rewards[begin:end] - self.units.centre) / self.units.half)
