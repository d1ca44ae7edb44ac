"""The four metrics, and the diameter of a set of arms.

==============  ====================================================================================
metric          distance between two points
==============  ====================================================================================
euclidean       ``sqrt(sum (a - b)**2)``
cosine          ``1 - a·b / (|a| |b|)``, from 0 (same direction) to 2 (opposite)
haversine       angle in radians between two places, given as (latitude, longitude) in radians
precomputed     looked up in a symmetric matrix
==============  ====================================================================================
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quickdraw_bandits.checks import Floats

Metric = Literal["euclidean", "cosine", "haversine", "precomputed"]
METRICS: tuple[str, ...] = get_args(Metric)
Points = NDArray[np.float64] | NDArray[np.float32]

EXACT_DIAMETER_UP_TO = 2000
"""Up to this many arms the diameter is exact, from all pairs; beyond, an upper bound from one pass."""


def distances(metric: Metric, points: Points, sources: Points) -> Floats:
    """Return the unscaled distances from every row of ``sources`` to every row of ``points``.

    The reference for the compiled loops: one formula per metric, in float64.
    For ``precomputed``, ``sources`` are rows of the distance matrix itself.
    """
    a = sources.astype(np.float64, copy=False)
    b = points.astype(np.float64, copy=False)
    if metric == "precomputed":
        return a
    if metric == "haversine":
        latitude = np.sin((b[None, :, 0] - a[:, None, 0]) / 2) ** 2
        longitude = np.sin((b[None, :, 1] - a[:, None, 1]) / 2) ** 2
        h = latitude + np.cos(a[:, None, 0]) * np.cos(b[None, :, 0]) * longitude
        return np.asarray(2 * np.arcsin(np.sqrt(np.minimum(h, 1.0))))
    squared = squared_distances(a, b)
    # For vectors of unit length |a - b|² = 2 (1 - a·b); this form is exactly 0 for equal ones.
    return squared / 2 if metric == "cosine" else np.sqrt(squared)


def squared_distances(a: Floats, b: Floats) -> Floats:
    """Return ``|a_i - b_j|²`` for all rows of ``a`` and ``b``."""
    squared = np.zeros((len(a), len(b)))
    for j in range(a.shape[1]):
        squared += (b[None, :, j] - a[:, None, j]) ** 2
    return squared


def on_sphere(places: Floats) -> Floats:
    """Return (latitude, longitude) in radians as points of the unit sphere, of shape (n, 3).

    Examples
    --------
    >>> on_sphere(np.array([[0.0, 0.0], [np.pi / 2, 0.0]])).round(9)
    array([[1., 0., 0.], [0., 0., 1.]])
    """
    latitude, longitude = places.T
    return np.column_stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    )


def diameter(metric: Metric, points: Points) -> float:
    """Return the largest distance between two arms, or an upper bound for large sets.

    Exact for euclidean arms in one dimension, for precomputed distances, and for at most
    ``EXACT_DIAMETER_UP_TO`` arms. Otherwise the diagonal of the bounding box (euclidean), 2 (cosine), or the
    smaller of pi and twice the largest distance from the first arm (haversine).
    """
    if metric == "precomputed":
        return float(points.max())
    if metric == "euclidean" and points.shape[1] == 1:
        return float(points.max()) - float(points.min())
    if len(points) <= EXACT_DIAMETER_UP_TO:
        largest = _largest_distance(metric, points)
        # Parallel vectors of different lengths can differ in the last digit of their direction.
        return 0.0 if metric == "cosine" and largest < 1e-12 else largest
    if metric == "euclidean":
        # Column by column is several times faster than all at once.
        return diagonal([float(column.max()) - float(column.min()) for column in points.T])
    if metric == "cosine":
        return 2.0
    return min(float(np.pi), 2 * float(distances(metric, points, points[:1]).max()))


def diagonal(extent: ArrayLike) -> float:
    """Return the diagonal of a box of these edges."""
    return float(np.sqrt(np.sum(np.square(extent))))


def _largest_distance(metric: Metric, points: Points) -> float:
    """Return the largest of all distances, block by block.

    In many dimensions the two arms are found by |a - b|² = |a|² + |b|² - 2 a·b, one matrix product per block.
    """
    rows = max(1, 2**20 // len(points))
    starts = range(0, len(points), rows)
    if metric == "haversine" or points.shape[1] <= 4:
        return max(float(distances(metric, points, points[start : start + rows]).max()) for start in starts)
    centred = points - points.mean(axis=0, dtype=np.float64)
    squares = np.einsum("ij,ij->i", centred, centred)
    largest = 0.0
    for start in starts:
        block = slice(start, start + rows)
        squared = squares[block, None] + squares - 2 * centred[block] @ centred.T
        one, other = np.unravel_index(np.argmax(squared), squared.shape)
        pair = distances(metric, points[other : other + 1], points[start + one : start + one + 1])
        largest = max(largest, float(pair[0, 0]))
    return largest
