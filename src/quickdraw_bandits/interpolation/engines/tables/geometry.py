"""Where arms lie, and what comparing their coordinates in float32 costs."""

import numpy as np

from quickdraw_bandits.arms import Arms

UNIT_ROUNDOFF = 2.0**-24
LEAST, MOST = 1e-30, 1e30
"""Squares within these limits can be multiplied in float32."""


class Geometry:
    """A point from which to count coordinates, and a distance that no arm exceeds from there.

    Rounded to float32, a coordinate a_j counted from the centre is off by at most u |a_j|, so that the difference of
    two arms is off by at most 2 u R. Let x be their distance in units of rho, and delta how far it is off:
    w^(1/2) 2 u R for the euclidean distance, and w^(1/2) 5 u for the cosine distance |a - b|² / 2, since |a - b| <= 2
    and R = 1. A precision (T + x²)^-p is then off by at most a share of

    p ((2 x delta + delta²) / (T + x²)) <= p (delta / T^(1/2) + delta² / T),

    a tenth more where that is small.
    """

    def __init__(self, arms: Arms) -> None:
        self._metric = arms.metric
        self.centre = np.zeros(arms.dimension)
        self.radius = 1.0
        if arms.metric == "euclidean":
            low, high = arms.extent
            self.centre = low + (high - low) / 2
            self.radius = float(np.sqrt(np.sum(((high - low) / 2) ** 2)))

    def narrowing(self, weight: float, term: float, sharpness: int) -> float:
        """Return the error of precisions whose T is at least ``term``; infinite where float32 cannot serve.

        That is where it has not the range, and for metrics that do not compare coordinates one by one.
        """
        if self._metric not in ("euclidean", "cosine"):
            return np.inf
        if not (LEAST < weight < MOST and self.radius**2 < MOST and weight * self.radius**2 < MOST):
            return np.inf
        delta = weight**0.5 * (2 * self.radius if self._metric == "euclidean" else 5) * UNIT_ROUNDOFF
        return float(1.1 * sharpness * (delta / term**0.5 + delta**2 / term))

    def rounding(self, sharpness: int) -> float:
        """Return the error of sums over up to 32 precisions in float32, beside that of coordinates, in units of u.

        A squared distance is a sum over eighths of the coordinates, is squared by cosine, and counts p times.
        """
        sums = {"euclidean": 1 / 8, "cosine": 2 / 8}.get(self._metric, 0.0) * len(self.centre)
        return (8 + sums) * sharpness + 28
