"""Observations with one row per distinct point."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from quickdraw_bandits.checks import Floats, Integers


@dataclass(frozen=True, slots=True)
class Sample:
    """Values observed at points; values at the same point are merged.

    Repeated observations of a point carry the same information as their mean, observed once with the noise
    variance σ² / count: the posterior is the same, and so is the likelihood once ``spread`` is added. Policies
    often return to good arms, and the work grows with the cube of the number of rows.

    Attributes
    ----------
    points
        The distinct points, (m, d).
    counts
        The number of observations of each, (m,).
    means
        The mean of the values at each, (m,).
    spread
        The sum of squared differences between values and the means of their points.

    Examples
    --------
    >>> points = np.array([[0.0], [0.5], [1.0]])
    >>> Sample.merged(points, np.array([2, 0, 2]), np.array([1.0, 5.0, 3.0]))
    Sample(points=array([[0.], [1.]]), counts=array([1., 2.]), means=array([5., 2.]), spread=2.0)
    """

    points: Floats
    counts: Floats
    means: Floats
    spread: float

    @classmethod
    def merged(cls, points: Floats, positions: Integers, values: Floats) -> Self:
        """Return the sample of ``values`` observed at ``points[positions]``."""
        distinct, row = np.unique(positions, return_inverse=True)
        counts = np.bincount(row).astype(np.float64)
        means = np.bincount(row, weights=values) / counts
        differences = values - means[row]
        return cls(np.ascontiguousarray(points[distinct]), counts, means, float(differences @ differences))

    @property
    def size(self) -> int:
        """The number of observations n."""
        return round(float(self.counts.sum()))
