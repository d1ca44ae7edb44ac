"""Observations so old that their precision is nearly the same at every arm: summed by moments."""

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.metrics import Points
from quickdraw_bandits.checks import Floats

CHUNK = 2048
"""Arms at a time."""


class Sums(NamedTuple):
    """Moments of degree 0, 1 and 2 in the coordinates, one row for every table; those of several parts add up."""

    constant: Floats
    first: Floats
    second: Floats

    def plus(self, more: "Sums") -> "Sums":
        """Return the moments of both parts together."""
        return Sums(self.constant + more.constant, self.first + more.first, self.second + more.second)


class FarPast:
    """Precisions as straight lines in the squared distance, where the age exceeds all distances by far.

    With T = 1 + age² and X, a squared distance from 0 to 2h, both in units of rho², the precision (T + X)^-p is
    replaced by the line through its values at the Chebyshev nodes h (1 ± 1 / sqrt(2)). Since its second derivative is
    at most p (p + 1) T^-(p + 2), the line is off by at most p (p + 1) T^-(p + 2) h² / 4; relative to the precision,

    e = p (p + 1) / 4 · (h / T)² · (1 + 2h / T)^p.

    The sum of the lines a_s + b_s X_s over any number of observations then follows from a few moments of them:

    ==========  =================================  =================================================================
    metric      X_s / w                            sum of b_s X_s / w
    ==========  =================================  =================================================================
    euclidean   ``|x|² + |x_s|² - 2 x·x_s``        ``|x|² sum b_s + sum b_s |x_s|² - 2 x · sum b_s x_s``
    cosine      ``1 - 2 x·x_s + (x·x_s)²``         ``sum b_s - 2 x · sum b_s x_s + x · (sum b_s x_s x_sᵀ) x``
    ==========  =================================  =================================================================

    Parameters
    ----------
    arms
        The arms; other metrics have no far past.
    centre
        What coordinates are counted from.
    radius
        No arm is farther from there.
    weight
        w, which turns a squared distance into units of rho².
    sharpness
        p.
    error
        The relative error e that a precision may have, 1e-4 at most.
    """

    def __init__(self, arms: Arms, centre: Floats, radius: float, weight: float, sharpness: int, error: float) -> None:
        self._metric = arms.metric
        self._centre = centre
        self._weight = weight
        self._sharpness = sharpness
        largest = {"euclidean": (2 * radius) ** 2, "cosine": 4.0}.get(arms.metric, inf)
        self._half = weight * largest / 2
        # The error is no larger for T from here on, since 2h / T is then below 0.03.
        self.least_term = self._half * (sharpness * (sharpness + 1) / 4 * 1.03**sharpness / error) ** 0.5

    @property
    def least_age(self) -> float:
        """The age from which on an observation is far, in units of l_t rho; infinite where none ever is."""
        return float(np.sqrt(max(self.least_term - 1, 0.0)))

    def sums(self, coordinates: Floats, terms: Floats, rewards: Floats) -> Sums:
        """Return the moments of some observations; ``terms`` has a row for every moment of time."""
        h, p, w = self._half, self._sharpness, self._weight
        low, high = h * (1 - 0.5**0.5), h * (1 + 0.5**0.5)
        at_low, at_high = (terms + low) ** -p, (terms + high) ** -p
        slope = (at_high - at_low) / (high - low) if h > 0 else np.zeros_like(terms)
        level = at_low - slope * low
        # One row for every table, in their order: sum nu and sum nu y, moment after moment.
        a = np.stack([level.sum(axis=1), level @ rewards], axis=1).ravel()
        b = w * np.stack([slope, slope * rewards], axis=1).reshape(len(a), -1)
        places = coordinates - self._centre[:, None]
        first = b @ places.T
        if self._metric == "cosine":
            return Sums(a + b.sum(axis=1), first, np.stack([(places * row) @ places.T for row in b]))
        second = b.sum(axis=1)[:, None, None] * np.eye(len(places))
        return Sums(a + b @ np.square(places).sum(axis=0), first, second)

    def fill(self, sums: Sums, points: Points, tables: NDArray[np.float32]) -> None:
        """Fill ``tables`` with the sums at the arms at ``points``."""
        for start in range(0, len(points), CHUNK):
            x = points[start : start + CHUNK] - self._centre
            some = sums.constant[:, None] - 2 * sums.first @ x.T
            some += np.einsum("ij,kij->ki", x, x @ sums.second)
            tables[..., start : start + CHUNK] = some.reshape(*tables.shape[:2], -1)
