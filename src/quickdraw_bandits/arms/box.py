"""A continuum of arms: all points of a box."""

import numpy as np
from numpy.typing import ArrayLike

from quickdraw_bandits.arms.arm_set import ArmSet
from quickdraw_bandits.checks import LARGEST_SCALE, SMALLEST_SCALE, Floats, real_array

MOST_DIMENSIONS = 8


class Box(ArmSet[Floats]):
    """All points between two corners, with euclidean distance. An arm is addressed by its coordinates.

    Parameters
    ----------
    low, high
        The corners: two numbers for an interval, or two sequences of up to 8 numbers. ``QuickDraw`` takes up to 3.
    scale
        True (default) divides distances by ``unit``, the length of the diagonal, so that none exceeds 1 (E1). False
        keeps raw distances, and ``unit`` is 1; use it to give length scales in the units of your coordinates.

    Examples
    --------
    >>> box = Box([0.0, 0.0], [3.0, 4.0])
    >>> box.dimension, box.unit
    (2, 5.0)
    """

    __slots__ = ("high", "low", "unit")

    metric = "euclidean"

    def __init__(self, low: ArrayLike, high: ArrayLike, scale: bool = True) -> None:
        self.low, self.high = _corner("low", low), _corner("high", high)
        if self.low.shape != self.high.shape:
            raise ValueError(f"low and high must have the same length, got {len(self.low)} and {len(self.high)}")
        if not (self.low < self.high).all():
            raise ValueError(f"low must be below high in every coordinate, got low={low!r} and high={high!r}")
        with np.errstate(over="ignore"):
            diagonal = float(np.sqrt(np.sum((self.high - self.low) ** 2)))
        if not SMALLEST_SCALE <= diagonal <= LARGEST_SCALE:
            raise ValueError(
                f"low and high must be from {SMALLEST_SCALE:g} to {LARGEST_SCALE:g} apart, "
                f"got a diagonal of {diagonal:g}"
            )
        self.unit = diagonal if scale else 1.0
        for corner in (self.low, self.high):
            corner.setflags(write=False)

    @property
    def dimension(self) -> int:
        """The number of coordinates of an arm."""
        return len(self.low)

    def checked(self, name: str, points: object, dimensions: int) -> Floats:
        """Return coordinates as an array of shape (n, d); ``dimensions`` is 1 for one arm, 2 for several.

        Raises ValueError for arms outside the box; those outside by rounding errors only are moved inside.
        """
        try:
            array: Floats = real_array(name, points).astype(np.float64, copy=False)
        except ValueError:
            raise ValueError(f"{name} must hold coordinates, got {points!r}") from None
        if self.dimension == 1 and array.ndim == dimensions - 1:
            array = array[..., None]
        if array.ndim != dimensions or array.shape[-1] != self.dimension:
            shape = f"({self.dimension},)" if dimensions == 1 else f"(n, {self.dimension})"
            raise ValueError(f"{name} must have the shape {shape}, got {array.shape}")
        array = array.reshape(-1, self.dimension)
        slack = 1e-9 * (self.high - self.low)
        inside = ((array >= self.low - slack) & (array <= self.high + slack)).all(axis=1)
        if not inside.all():
            raise ValueError(f"{name} must lie in {self!r}, got {array[~inside][0]}")
        return np.clip(array, self.low, self.high)

    def distances(self, arm: Floats, others: Floats) -> Floats:
        """Return the scaled distances from one arm to others, the rows of an array.

        Examples
        --------
        >>> Box([0.0, 0.0], [3.0, 4.0]).distances(np.zeros(2), np.array([[3.0, 4.0]]))
        array([1.])
        """
        return np.asarray(np.sqrt(np.square(others - arm).sum(axis=1)) / self.unit)

    def __repr__(self) -> str:
        return f"Box({self.low.tolist()}, {self.high.tolist()})"


def _corner(name: str, value: ArrayLike) -> Floats:
    try:
        corner: Floats = np.atleast_1d(real_array(name, value)).astype(np.float64, copy=False)
    except ValueError:
        corner = np.array([np.nan])
    if corner.ndim != 1 or not 1 <= len(corner) <= MOST_DIMENSIONS or not np.isfinite(corner).all():
        raise ValueError(f"{name} must be a finite number or up to {MOST_DIMENSIONS} of them, got {value!r}")
    return corner
