"""Where arms are, in units of their own diameter."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.gaussian_process.embedding import coordinates
from quickdraw_bandits.policies.adaptive.spacing import farthest

NONE: Floats = np.empty((0, 0))
PARTS, FEWEST_PARTS, SAMPLED = 32, 16, 4096
"""Parts of a line, in how many of them arms must be, and how many arms are looked at."""
ROUNDING = 1e-9
"""How far beyond the ends of the line an arm may be, in diameters."""


class Targets(NamedTuple):
    """Arms whose estimate is asked for.

    Attributes
    ----------
    columns
        Coordinates in diameters, one row per dimension; of shape (0, 0) where there are none.
    rows
        Squared distances from each observation, where there are no coordinates; otherwise of shape (0, 0).
    arms
        Positions in the whole set.
    """

    columns: Floats
    rows: Floats
    arms: Integers


class Places(Protocol):
    """What tells where arms are: a ``Space``, or a part of one."""

    def towards(self, arms: Integers | None, observed: Integers) -> Targets:
        """Return some arms or all, with their distances from observed arms where there are no coordinates."""


def on_a_line(places: Floats) -> bool:
    """Return whether a peak may travel along arms at these places, from 0 to 1, or at some of them.

    Most must be at places of their own, since a peak says nothing of arms at the same place. They must be in half of 32
    equal parts of the line at least: with a few far from all others, the others are all within the width of a peak.

    Examples
    --------
    >>> on_a_line(np.linspace(0, 1, 16)), on_a_line(np.linspace(0, 1, 15)), on_a_line(np.linspace(0, 1.5, 64))
    (True, False, False)
    >>> on_a_line(np.append(np.linspace(0, 0.01, 64), 1.0)), on_a_line(np.repeat(np.linspace(0, 1, 32), 3))
    (False, False)
    """
    if places.min() < -ROUNDING or places.max() > 1.0 + ROUNDING:
        return False
    parts = np.minimum((PARTS * np.maximum(places, 0.0)).astype(np.int64), PARTS - 1)
    return len(np.unique(parts)) >= FEWEST_PARTS and len(np.unique(places)) >= len(places) / 2


def some_of(first: int, count: int) -> Integers:
    """Return positions of arms that are looked at: evenly spaced ones of the first, and all that were added to them.

    Examples
    --------
    >>> some_of(4, 6), len(some_of(10_000, 10_000)), some_of(10_000, 10_002)[-3:]
    (array([0, 1, 2, 3, 4, 5]), 3334, array([ 9999, 10000, 10001]))
    """
    return np.concatenate([np.arange(0, first, -(-first // SAMPLED)), np.arange(first, count)])


def in_order(arms: Integers, places: Callable[[Integers], Floats]) -> Integers:
    """Return arms in the order of their first coordinate."""
    return np.asarray(arms[np.argsort(places(arms)[:, 0], kind="stable")])


class Space:
    """Coordinates of arms, or their squared distances where there are no coordinates.

    Parameters
    ----------
    arms
        The arms.

    Attributes
    ----------
    diameter
        The largest distance between arms, in their units; 1 if that is 0.
    points
        Coordinates in diameters, of shape (K, d); of shape (K, 0) where there are none.
    columns
        The same, of shape (d, K).
    matrix
        Squared distances in squared diameters, where there are no coordinates; otherwise of shape (0, 0).
    """

    def __init__(self, arms: Arms) -> None:
        self.points: Floats = np.empty((len(arms), 0))
        self.matrix: Floats = np.empty((0, 0))
        if arms.metric == "precomputed":
            largest = float(arms.points.max())
            self.diameter = largest / arms.unit if largest > 0 else 1.0
            self.matrix = np.square(arms.points / (largest if largest > 0 else 1.0), dtype=np.float64)
        else:
            points = coordinates(arms.points, arms.metric, arms.unit)
            self._low: Floats = points.min(axis=0)
            points -= self._low
            # Squared in units of a power of two near the largest, so that no square overflows.
            _, exponent = np.frexp(points.max())
            self.diameter = float(np.ldexp(farthest(np.ldexp(points, -exponent).T), exponent))
            self.points = points / self.diameter
        self.columns: Floats = np.ascontiguousarray(self.points.T)
        self._every = np.arange(len(arms))
        self._added: Arms | None = None  # all arms, if some were added since
        self._line: Integers | None = None

    def grown(self, arms: Arms) -> "Space":
        """Return the space with more arms behind those it has; ``points`` and ``columns`` are of the first alone."""
        twin = object.__new__(Space)
        twin.__dict__.update(self.__dict__)
        twin._added, twin._line = arms, None
        twin.__dict__.pop("spread_out", None)
        return twin

    @property
    def dimension(self) -> int:
        """The number of coordinates; 0 where there are none."""
        return int(self.points.shape[1])

    def places(self, arms: Integers) -> Floats:
        """Return coordinates in diameters, of shape (n, d)."""
        if self._added is None or arms.max(initial=0) < len(self.points):
            return np.asarray(self.points[arms])
        added = self._added
        return (coordinates(added.points[arms], added.metric, added.unit) - self._low) / self.diameter

    def along(self, among: Subset | None) -> Integers:
        """Return all arms or some in the order of their first coordinate; for all, it is remembered."""
        if among is not None and "positions" in among.__dict__:
            return in_order(among.positions, self.places)
        if self._line is None:
            count = len(self.points) if self._added is None else len(self._added)
            self._line = in_order(np.arange(count), self.places)
        return self._line if among is None else self._line[among.mask[self._line]]

    @cached_property
    def spread_out(self) -> bool:
        """Whether a peak may travel along the first coordinate; of very many arms, some are looked at."""
        first = len(self.points)
        count = first if self._added is None else len(self._added)
        return on_a_line(self.places(some_of(first, count))[:, 0])

    def __getstate__(self) -> dict[str, Any]:
        """Return all but what is computed again when it is asked for."""
        return {name: value for name, value in self.__dict__.items() if name != "spread_out"} | {"_line": None}

    def numbers(self, arms: Integers) -> Integers:
        """Return the positions: every arm may have a level of its own."""
        return arms

    def towards(self, arms: Integers | None, observed: Integers) -> Targets:
        """Return some arms or all, with their distances from observed arms where there are no coordinates."""
        if arms is None and self._added is not None:
            arms = np.arange(len(self._added))
        names = self._every if arms is None else arms
        if len(self.matrix):
            rows = self.matrix[observed]
            return Targets(NONE, rows if arms is None else np.ascontiguousarray(rows[:, arms]), names)
        return Targets(self.columns if arms is None else np.ascontiguousarray(self.places(arms).T), NONE, names)
