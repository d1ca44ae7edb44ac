"""What policies share that take the reward for a linear function of features."""

from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, real_array


def features_of(arms: Arms, features: Any, policy: str) -> Floats:
    """Return one row of features to an arm: those given, or the arm's coordinates and a constant.

    Coordinates are moved and scaled to [-1, 1] along each axis, which changes no set of linear functions. Places on a
    sphere (haversine) are taken as points in space. ``policy`` is the name of who asks.

    Examples
    --------
    >>> features_of(Arms([[10.0, 0.0], [20.0, 0.0], [30.0, 0.0]]), None, "a linear policy")
    array([[-1.,  0.,  1.], [ 0.,  0.,  1.], [ 1.,  0.,  1.]])
    """
    if features is None:
        return _from_coordinates(arms, policy)
    given: Floats = real_array("features", features).astype(np.float64, copy=False)
    if given.ndim != 2 or len(given) != len(arms) or given.shape[1] == 0:
        raise ValueError(f"features must have one row to each of the {len(arms)} arms, got the shape {given.shape}")
    if not np.isfinite(given).all():
        row, column = np.argwhere(~np.isfinite(given))[0]
        raise ValueError(f"features must be finite, got {given[row, column]} at row {row}, column {column}")
    return given


def confidence(
    n: float, d: int, longest: float, regularisation: float, failure: float, noise: float, s: float
) -> float:
    """Return beta = sqrt(lambda) S + sigma sqrt(2 ln(1 / delta) + d ln(1 + n L² / (lambda d))).

    The radius of the ellipsoid that holds the unknown parameters with probability 1 - delta, after n observations
    (discounted ones count for less): theorem 2 of Abbasi-Yadkori, Pál and Szepesvári (2011).
    """
    growth = d * np.log1p(n * longest**2 / (regularisation * d))
    return float(np.sqrt(regularisation) * s + noise * np.sqrt(2 * np.log(1 / failure) + growth))


def _from_coordinates(arms: Arms, policy: str) -> Floats:
    if arms.metric == "precomputed":
        raise ValueError(
            f"arms must have coordinates for {policy} (euclidean, cosine or haversine), got {arms!r}; "
            "give features=, one row to an arm, or take a policy that plays any arms, such as Zooming or QuickDraw"
        )
    points = arms.points.astype(np.float64)
    if arms.metric == "haversine":
        latitude, longitude = points.T
        points = np.column_stack(
            [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
        )
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.where(high > low, (high - low) / 2, 1.0)
    return np.column_stack([(points - (low + high) / 2) / half, np.ones(len(points))])
