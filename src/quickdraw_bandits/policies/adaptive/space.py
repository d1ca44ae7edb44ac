"""Where arms are, in units of their own diameter."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.gaussian_process.embedding import coordinates


class Space:
    """Coordinates of arms, or their squared distances where there are no coordinates.

    Parameters
    ----------
    arms
        The arms.
    diameter
        The unit of distance, where it is to stay that of other arms; by default that of these.

    Attributes
    ----------
    diameter
        Of the box around the arms, or their largest distance, in the arms' units; 1 if that is 0.
    points
        Coordinates in diameters, of shape (K, d); of shape (K, 0) where there are none.
    columns
        The same, of shape (d, K).
    matrix
        Squared distances in squared diameters, where there are no coordinates; otherwise of shape (0, 0).
    """

    def __init__(self, arms: Arms, diameter: float | None = None) -> None:
        self.points: Floats = np.empty((len(arms), 0))
        self.matrix: Floats = np.empty((0, 0))
        if arms.metric == "precomputed":
            largest = float(arms.points.max())
            self.diameter = largest / arms.unit if largest > 0 else 1.0
            self.matrix = np.square(arms.points / (largest if largest > 0 else 1.0), dtype=np.float64)
        else:
            points = coordinates(arms.points, arms.metric, arms.unit)
            points -= points.min(axis=0)
            # Squared in units of a power of two near the largest, so that no square overflows.
            _, exponent = np.frexp(points.max())
            extent = float(np.ldexp(np.sqrt(np.sum(np.ldexp(points.max(axis=0), -exponent) ** 2)), exponent))
            self.diameter = diameter or (extent if extent > 0 else 1.0)
            self.points = points / self.diameter
        self.columns: Floats = np.ascontiguousarray(self.points.T)

    def towards(self, arms: Integers | None, observed: Integers) -> tuple[Floats, Floats]:
        """Return coordinates of some arms or all, one row per dimension, and squared distances from observed arms.

        One of them is empty: distances where there are coordinates, and coordinates where there are none.
        """
        if len(self.matrix):
            rows = self.matrix[observed]
            return np.empty((0, 0)), rows if arms is None else np.ascontiguousarray(rows[:, arms])
        columns = self.columns if arms is None else np.ascontiguousarray(self.points[arms].T)
        return columns, np.empty((0, 0))
