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


LARGEST_DIMENSION = 256
"""Dimensions up to which directions have a far past: there are half as many moments as the square of their number."""


class Sums(NamedTuple):
    """Sums of lines as polynomials in the coordinates, of degree 0, 1 and 2; one row for every table."""

    constant: Floats
    first: Floats
    second: Floats


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

    What an observation adds to these moments is its ``features``, times b_s. They are

    (1, x_s, ``|x_s|²``) for the euclidean distance, and (1, x_s, all x_si x_sj with i <= j) for the cosine distance.

    Parameters
    ----------
    arms
        The arms; other metrics have no far past, and nor have directions in very many dimensions.
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
        if arms.metric == "cosine" and arms.dimension > LARGEST_DIMENSION:
            largest = inf
        self._half = weight * largest / 2
        # The error is no larger for T from here on, since 2h / T is then below 0.03.
        self.least_term = self._half * (sharpness * (sharpness + 1) / 4 * 1.03**sharpness / error) ** 0.5

    @property
    def least_age(self) -> float:
        """The age from which on an observation is far, in units of l_t rho; infinite where none ever is."""
        return float(np.sqrt(max(self.least_term - 1, 0.0)))

    @property
    def error_of_lines(self) -> float:
        """How much the error of a line is larger than that of the values that it goes through, both relative.

        At X, these have the weights (high - X) / (high - low) and (X - low) / (high - low), the sizes of which add up
        to at most sqrt(2). And they are no larger than T^-p, which is at most 1.03^p times the precision.
        """
        return float(2**0.5 * 1.03**self._sharpness)

    @property
    def n_features(self) -> int:
        """How many numbers ``features`` has for an observation."""
        d = len(self._centre)
        return 1 + d + (d * (d + 1) // 2 if self._metric == "cosine" else 1)

    def features(self, coordinates: Floats) -> Floats:
        """Return what observations add to the moments, a row for each; ``coordinates`` has a column for each."""
        x = coordinates.T - self._centre
        one = np.ones((len(x), 1))
        if self._metric == "cosine":
            rows, columns = np.triu_indices(x.shape[1])
            return np.concatenate([one, x, x[:, rows] * x[:, columns]], axis=1)
        return np.concatenate([one, x, np.square(x).sum(axis=1, keepdims=True)], axis=1)

    def sums(self, moments: Floats, terms: Floats) -> Sums:
        """Return the sums of the lines of some observations, or of groups that stand for observations.

        Parameters
        ----------
        moments
            The features of each, and these times its reward, of shape (observations, 2, features).
        terms
            T of each, with a row for every moment of time.
        """
        h, p, d = self._half, self._sharpness, len(self._centre)
        low, high = h * (1 - 0.5**0.5), h * (1 + 0.5**0.5)
        at_low, at_high = (terms + low) ** -p, (terms + high) ** -p
        slope = (at_high - at_low) / (high - low) if h > 0 else np.zeros_like(terms)
        level = at_low - slope * low
        # One row for every table, in their order: sum nu and sum nu y, moment after moment.
        a = (level @ moments[:, :, 0]).ravel()
        b = self._weight * (slope @ moments.reshape(len(moments), -1)).reshape(len(a), -1)
        count, first = b[:, 0], b[:, 1 : 1 + d]
        if self._metric == "cosine":
            rows, columns = np.triu_indices(d)
            second = np.empty((len(a), d, d))
            second[:, rows, columns] = second[:, columns, rows] = b[:, 1 + d :]
            return Sums(a + count, first, second)
        return Sums(a + b[:, -1], first, count[:, None, None] * np.eye(d))

    def fill(self, sums: Sums, points: Points, tables: NDArray[np.float32]) -> None:
        """Fill ``tables`` with the sums at the arms at ``points``."""
        for start in range(0, len(points), CHUNK):
            x = points[start : start + CHUNK] - self._centre
            some = sums.constant[:, None] - 2 * sums.first @ x.T
            some += np.einsum("ij,kij->ki", x, x @ sums.second)
            tables[..., start : start + CHUNK] = some.reshape(*tables.shape[:2], -1)
