"""A finite set of arms: one array of points and a metric."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quickdraw_bandits.arms.arm_set import ArmSet
from quickdraw_bandits.arms.labels import Labels, resolved
from quickdraw_bandits.arms.metrics import METRICS, Metric, Points, diameter, distances
from quickdraw_bandits.checks import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    Floats,
    Integers,
    arm_positions,
    integer,
    number,
    real_array,
)

VERY_MANY = 20_000
"""Coordinates from which on there is room for more arms from the beginning: making it later takes as long as a copy."""
SPARE = 0.25
"""How much room, as a share of the arms."""


class Arms(ArmSet[int]):
    """A set of arms, addressed by their positions 0 … K-1.

    Parameters
    ----------
    points
        Array of shape (K, d), or (K,) for arms on a line; for ``metric="precomputed"`` the (K, K) matrix of
        distances. float32 stays float32, other types become float64. The set keeps a read-only copy.
    metric
        ``"euclidean"`` (default), ``"cosine"`` (1 - cos of the angle), ``"haversine"`` (rows are latitude and
        longitude in radians) or ``"precomputed"``. For cosine the points are stored at unit length, which does not
        change distances.
    labels
        Names of the arms: unique strings, one per arm. By default they have none, and go by their positions.
    scale
        True (default) divides distances by ``unit``, so that none exceeds 1, as the paper's formulas assume (E1).
        ``unit`` is the exact diameter of the set for arms on a line, for precomputed distances and for up to 2,000
        arms. For larger sets it is an upper bound: the diagonal of the bounding box (euclidean), 2 (cosine), or the
        smaller of pi and twice the largest distance from the first arm (haversine). False keeps raw distances, and
        ``unit`` is 1; use it to give length scales in the units of your points.

    Examples
    --------
    >>> arms = Arms([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])
    >>> len(arms), arms.unit
    (3, 5.0)
    >>> arms.distances(0)
    array([0. , 1. , 0.6])

    Arms with names:

    >>> arms = Arms([4.99, 5.99, 6.49], labels=["low", "usual", "high"])
    >>> arms.position("usual"), str(arms.labels[2])
    (1, 'high')
    """

    __slots__ = ("_extent", "_labels", "_room", "metric", "points", "unit")

    points: Points
    metric: Metric
    unit: float

    def __init__(
        self, points: ArrayLike, metric: Metric = "euclidean", labels: ArrayLike | None = None, scale: bool = True
    ) -> None:
        if not isinstance(metric, str) or metric not in METRICS:
            raise ValueError(f"metric must be one of {', '.join(METRICS)}, got {metric!r}")
        self.metric = metric
        grows = metric != "precomputed" and isinstance(points, np.ndarray) and points.size >= VERY_MANY
        self.points = _checked_points(points, metric, SPARE if grows else 0.0)
        self._room = _Room.around(self.points) if grows else None
        self.points.setflags(write=False)
        with np.errstate(over="ignore"):
            self.unit = checked_unit(diameter(metric, self.points) if scale else 1.0)
        self._labels = None if labels is None else Labels.checked(labels, len(self.points))
        self._extent: tuple[Floats, Floats] | None = None

    @classmethod
    def grid(cls, low: float, high: float, n: int, scale: bool = True) -> Self:
        """Return ``n`` arms evenly spaced on a line, from ``low`` to ``high``, both included.

        Examples
        --------
        >>> Arms.grid(-1, 1, 5).points[:, 0]
        array([-1. , -0.5,  0. ,  0.5,  1. ])
        """
        low, high = number("low", low), number("high", high)
        if low >= high:
            raise ValueError(f"low must be below high, got low={low!r} and high={high!r}")
        return cls(np.linspace(low, high, integer("n", n, at_least=1)), scale=scale)

    def as_part(self, unit: float, low: Floats, high: Floats) -> "Arms":
        """Return these arms as a part of a larger set, with its unit and the corners of its bounding box.

        Examples
        --------
        >>> Arms([[0.0], [0.5]]).as_part(2.0, np.array([-1.0]), np.array([1.0])).distances(0)
        array([0.  , 0.25])
        """
        part = object.__new__(Arms)
        part.metric, part.points, part.unit = self.metric, self.points, unit
        part._labels, part._room, part._extent = self._labels, self._room, (low, high)
        return part

    @property
    def extent(self) -> tuple[Floats, Floats]:
        """The corners of the bounding box of all arms; of a part, those of the larger set."""
        if self._extent is None:
            self._extent = _extent_of(self.points)
        return self._extent

    def places(self, positions: Integers | np.integer) -> Points:
        """Return the coordinates of some arms."""
        return self.points[positions]

    def __getstate__(self) -> tuple[None, dict[str, object]]:
        """Return all but the room to grow, which a copy makes again."""
        return None, {name: getattr(self, name) for name in self.__slots__ if name != "_room"}

    def __setstate__(self, state: tuple[None, dict[str, object]]) -> None:
        """Restore a copy. Its array must be read-only again: compiled code is specialised for that."""
        self._extent = None  # where an older copy says nothing of it
        for name, value in state[1].items():
            setattr(self, name, value)
        self._room = None  # a copy has memory of its own
        self.points.setflags(write=False)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def labels(self) -> NDArray[np.str_] | range:
        """The name of each arm; where arms have none, their positions."""
        return range(len(self)) if self._labels is None else self._labels.names

    def position(self, label: str | int) -> int:
        """Return the position of the arm of this name; where arms have no names, the position that was given."""
        if self._labels is None:
            return integer("label", label, at_least=0, at_most=len(self) - 1)
        return self._labels.position(str(label))

    def positions(self, labels: Sequence[str | float] | NDArray[np.generic], name: str = "label") -> Integers:
        """Return the positions of several arms by their labels; where arms have none, the positions that were given.

        Examples
        --------
        >>> Arms([4.99, 5.99, 6.49], labels=["low", "usual", "high"]).positions(["high", "low"])
        array([2, 0])
        """
        if self._labels is None:
            return arm_positions(name, [_whole(label) for label in labels], len(self))
        return self._labels.positions(labels, name)

    def resolved(self, name: str, given: object) -> object:
        """Return arms given by label as positions, and columns of data frames as arrays.

        All else is returned unchanged, to be checked by the caller. ``name`` is that of the argument.
        """
        return given if type(given) is int else resolved(self._labels, name, given)

    def extended(self, points: ArrayLike, labels: ArrayLike | None = None) -> "Arms":
        """Return the set with more arms behind those it has, and with the same unit of distance.

        The new set shares its memory with this one where it can, so that few arms are added to very many quickly.

        Examples
        --------
        >>> arms = Arms.grid(0, 1, 3).extended([[2.0]])
        >>> arms.points[:, 0], arms.unit
        (array([0. , 0.5, 1. , 2. ]), 1.0)
        """
        if self.metric == "precomputed":
            raise NotImplementedError(
                "arms with precomputed distances cannot be extended, since distances to all others are needed; "
                "build Arms with the whole matrix"
            )
        new: Points = _checked_points(points, self.metric).astype(self.points.dtype, copy=False)  # type: ignore[assignment]
        if new.shape[1] != self.points.shape[1]:
            raise ValueError(
                f"points must have {self.points.shape[1]} coordinates as the other arms, got {new.shape[1]}"
            )
        refuse_far(new, self.metric, self.unit)
        if (labels is None) != (self._labels is None):
            wanted = "given, since the other arms have them" if labels is None else "left out, as for the other arms"
            raise ValueError(f"labels must be {wanted}")
        more = object.__new__(Arms)
        more.metric, more.unit, more._extent = self.metric, self.unit, None
        if self._extent is not None:
            (low, high), (new_low, new_high) = self._extent, _extent_of(new)
            more._extent = np.minimum(low, new_low), np.maximum(high, new_high)
        more._labels = self._labels
        if self._labels is not None and labels is not None:
            more._labels = self._labels.extended(Labels.checked(labels, len(new)))
        room = self._room if self._room is not None else _Room(self.points)
        more._room, more.points = room.appended(len(self), new)
        more.points.setflags(write=False)
        return more

    def part(self, positions: Integers) -> "Arms":
        """Return some of the arms, without labels and with the same unit of distance; not for precomputed distances."""
        some = object.__new__(Arms)
        some.metric, some.unit = self.metric, self.unit
        some._labels = some._room = None
        some._extent = None if self.metric != "euclidean" else self.extent  # observations may be of other arms
        some.points = self.points[positions]
        some.points.setflags(write=False)
        return some

    @property
    def dimension(self) -> int:
        """The number of coordinates of an arm; 0 for precomputed distances."""
        return 0 if self.metric == "precomputed" else int(self.points.shape[1])

    def distances(self, arm: int) -> Floats:
        """Return the scaled distances from one arm to all arms."""
        arm = integer("arm", arm, at_least=0, at_most=len(self) - 1)
        raw: Floats = distances(self.metric, self.points, self.points[arm : arm + 1])[0]
        return raw / self.unit

    def __repr__(self) -> str:
        where = "" if self.metric == "precomputed" else f" in {self.dimension}-D"
        return f"Arms({len(self):,} arm{'s' * (len(self) != 1)}{where}, metric={self.metric!r}, unit={self.unit:.6g})"


def _extent_of(points: Points) -> tuple[Floats, Floats]:
    """Return the corners of the bounding box of some points."""
    # A column at a time, which takes a tenth of the time that all columns together do.
    low, high = zip(*((column.min(), column.max()) for column in points.T), strict=True)
    return np.array(low, np.float64), np.array(high, np.float64)


def _whole(label: object) -> object:
    """Return a position from a table as an integer, if it is one: text, or a float, as in a column with gaps."""
    try:
        value = float(label)  # type: ignore[arg-type]
        return int(value) if value.is_integer() else label
    except (TypeError, ValueError, OverflowError):
        return label


class _Room:
    """An array with room to grow, the first ``used`` rows of which belong to sets of arms."""

    def __init__(self, points: Points, spare: float = 0.0) -> None:
        self.used = len(points)
        self.rows: Points = points
        if spare:
            self.rows = np.empty((int(len(points) * (1 + spare)) + 16, points.shape[1]), dtype=points.dtype)
            self.rows[: len(points)] = points

    @classmethod
    def around(cls, points: Points) -> "_Room":
        """Return the room around the beginning of a longer array."""
        room, whole = cls(points), points.base
        if isinstance(whole, np.ndarray):
            room.rows = whole.reshape(-1, points.shape[1])
        return room

    def appended(self, n: int, new: Points) -> "tuple[_Room, Points]":
        """Return the room and the array of the first ``n`` rows with more behind them."""
        room = self
        if self.used != n or n + len(new) > len(self.rows):  # others have grown this set already, or it is full
            room = _Room(self.rows[:n], spare=SPARE + len(new) / n)
        room.rows[n : n + len(new)] = new
        room.used = n + len(new)
        return room, room.rows[: room.used]


def checked_unit(largest: float) -> float:
    """Return the unit of distance of arms of this diameter, or raise ValueError."""
    if largest > 0 and not SMALLEST_SCALE <= largest <= LARGEST_SCALE:
        raise ValueError(f"points must have a diameter from {SMALLEST_SCALE:g} to {LARGEST_SCALE:g}, got {largest:g}")
    # If all arms lie at one place, all distances are 0 in any unit.
    return largest if largest > 0 else 1.0


def refuse_far(points: Points | Floats, metric: Metric, unit: float) -> None:
    """Raise ValueError for places so far out that squares of distances would exceed the largest number."""
    farthest = max(float(points.max()), -float(points.min()))
    if metric == "euclidean" and farthest / unit > LARGEST_SCALE:
        raise ValueError(f"points must be at most {LARGEST_SCALE:g} units from 0, got {farthest:g}")


def _checked_points(points: ArrayLike, metric: Metric, spare: float = 0.0) -> Points:
    """Return a C-ordered copy of ``points`` that is valid for the metric, or raise ValueError."""
    array = real_array("points", points, spare)
    if array.ndim == 1 and metric == "euclidean":
        array = array[:, None]
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"points must have the shape (K, d) with at least one arm and one coordinate, got {array.shape}"
        )
    # A sum is finite only if every term is: one pass without a temporary array. If it overflows, all are searched.
    with np.errstate(over="ignore", invalid="ignore"):
        suspect = not np.isfinite(array.sum())
    if suspect and not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(f"points must be finite, got {array[row, column]} at row {row}, column {column} (from 0)")
    check = {"cosine": _to_unit_length, "haversine": _check_places, "precomputed": _check_matrix}.get(metric)
    if check is not None:
        check(array)
    return array


def _to_unit_length(points: Points) -> None:
    lengths = np.sqrt(np.einsum("ij,ij->i", points, points, dtype=np.float64))
    bad = np.flatnonzero(~((lengths > 0) & np.isfinite(lengths)))
    if len(bad):
        raise ValueError(f"points must be nonzero vectors for cosine, got {points[bad[0]]} at row {bad[0]} (from 0)")
    points /= lengths[:, None]


def _check_places(points: Points) -> None:
    if points.shape[1] != 2:
        raise ValueError(f"points must be (latitude, longitude) for haversine, got {points.shape[1]} columns")
    # Longitudes may run from 0 to 2 pi; the slack is for float32.
    limits = np.array([np.pi / 2, 2 * np.pi]) + 1e-6
    outside = np.argwhere((points < -limits) | (points > limits))
    if len(outside):
        row, column = outside[0]
        raise ValueError(
            "points must be latitude (at most pi/2) and longitude (at most 2 pi) in radians for haversine, "
            f"got {points[row, column]} at row {row}, column {column} (from 0); convert degrees with numpy.radians"
        )


def _check_matrix(points: Points) -> None:
    rows, columns = points.shape
    if rows != columns:
        raise ValueError(f"points must be a square matrix of distances for precomputed, got {points.shape}")
    if (points < 0).any():
        row, column = np.argwhere(points < 0)[0]
        raise ValueError(
            "points must hold distances of at least 0, "
            f"got {points[row, column]} at row {row}, column {column} (from 0)"
        )
    if np.diagonal(points).any():
        row = int(np.flatnonzero(np.diagonal(points))[0])
        raise ValueError(f"points must have zeros on the diagonal, got {points[row, row]} at row {row} (from 0)")
    if not np.allclose(points, points.T, rtol=1e-5 if points.dtype == np.float32 else 1e-9, atol=0):
        raise ValueError("points must be a symmetric matrix of distances, got one that is not")
