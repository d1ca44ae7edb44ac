"""Coordinates of arms in which straight-line distance makes a valid covariance."""

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms.metrics import on_sphere
from quickdraw_bandits.checks import Floats


def coordinates(points: NDArray[np.floating], metric: str, unit: float) -> Floats:
    """Return the points where a Gaussian process sees them, as a (K, d) array of float64.

    The squared-exponential covariance is positive definite for straight-line distances, and not in general for
    others. Hence

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
        return on_sphere(places) / unit
    raise ValueError(
        f"arms must have the metric euclidean, cosine or haversine for a Gaussian process, got {metric!r}: "
        "a squared-exponential covariance of other distances need not be positive definite"
    )
