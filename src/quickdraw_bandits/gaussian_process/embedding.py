"""Coordinates of arms in which straight-line distance makes a valid RBF kernel."""

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats


def coordinates(points: NDArray[np.floating], metric: str, unit: float) -> Floats:
    """Return the points where a Gaussian process sees them, as a (K, d) array of float64.

    The RBF kernel is positive definite on straight-line distances, and is not in general on others. Hence

    ==========  ==================================================================================
    euclidean   the points divided by ``unit``
    haversine   the places on the unit sphere divided by ``unit``: distances are chords, not arcs
    cosine      the unit vectors divided by ``sqrt(2 unit)``: a squared distance, ``|a - b|² / (2 unit)``,
                is the cosine distance ``(1 - a·b) / unit``
    ==========  ==================================================================================

    Examples
    --------
    >>> coordinates(np.array([[0.0], [2.0]]), "euclidean", unit=2.0)
    array([[0.], [1.]])
    """
    places = np.asarray(points, dtype=np.float64)
    if metric == "euclidean":
        return places / unit
    if metric == "cosine":
        return np.asarray(places / np.sqrt(2 * unit))
    if metric == "haversine":
        latitude, longitude = places[:, 0], places[:, 1]
        sphere = np.column_stack(
            [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
        )
        return np.asarray(sphere / unit)
    raise ValueError(
        f"arms must have the metric euclidean, cosine or haversine for a Gaussian process, got {metric!r}: "
        "an RBF kernel on other distances need not be positive definite"
    )
