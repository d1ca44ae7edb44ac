"""Correlations of arms under a Gaussian process."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.metrics import squared_distances
from quickdraw_bandits.checks import Floats, Integers, scale
from quickdraw_bandits.gaussian_process.embedding import coordinates


class ArmCorrelations:
    """The squared-exponential correlation of arms, ``c(x, x') = exp(-D(x, x')² / (2 l²))``.

    For euclidean, cosine and haversine arms D is the straight-line distance of ``coordinates``, for which c is
    positive definite. For precomputed distances D is what was given, over the arms' unit, and c need not be positive
    definite: some metrics, such as shortest paths in a graph, cannot be embedded in a Euclidean space. Then the
    factorisation adds jitter, and reports it.

    Parameters
    ----------
    arms
        The choices.
    length_scale
        l, in units of the arms' scaled distance. The larger, the more an observation says about distant arms.

    Examples
    --------
    >>> ArmCorrelations(Arms.grid(0, 1, 3), length_scale=0.5).rows(np.array([0]), slice(None)).round(3)
    array([[1.   , 0.607, 0.135]])
    """

    def __init__(self, arms: Arms, length_scale: float) -> None:
        self.length_scale = scale("length_scale", length_scale)
        self._arms = arms
        self._points: Floats | None = None
        if arms.metric != "precomputed":
            self._points = coordinates(arms.points, arms.metric, arms.unit)

    def __len__(self) -> int:
        return len(self._arms)

    def rows(self, arms: Integers, others: slice | Integers) -> Floats:
        """Return the correlations of some arms (rows) with others (columns)."""
        squared: Floats
        if self._points is None:
            squared = (self._arms.points[arms][:, others].astype(np.float64) / self._arms.unit) ** 2
        else:
            squared = squared_distances(self._points[arms], self._points[others])
        squared *= -0.5 / self.length_scale**2
        return np.exp(squared, out=squared)
