"""Parameters that maximise the marginal likelihood."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.gaussian_process.parameters import Parameters
from quickdraw_bandits.gaussian_process.sample import Sample

TOLERANCE = 1e-3
"""The search ends where doubling a parameter would change the log likelihood by less than about this."""

STARTS = (Parameters(1.0, 0.02, 0.05), Parameters(1.0, 0.1, 0.05), Parameters(1.0, 0.5, 0.05))
"""Where the maxima are searched for: a short, a middling and a long length scale."""

EVALUATIONS = 100
"""The search ends after so many evaluations of the likelihood in any case."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Fitted parameters, the log marginal likelihood there, and its curvature in (log l, log σ²/s²)."""

    parameters: Parameters
    log_likelihood: float
    curvature: Floats


def fit(sample: Sample, start: Parameters | Fit) -> Fit:
    """Return the parameters at a local maximum of the marginal likelihood, searching from ``start``.

    Only the length scale and the ratio of noise to signal are searched for: the best signal variance for
    these is known in closed form. The bounds are scikit-learn's, 1e-5 to 1e5, with the length scale in the
    units of the points and the variances in units of the mean square of the values.

    Examples
    --------
    >>> points = np.linspace(0, 1, 50)[:, None]
    >>> sample = Sample.merged(points, np.arange(50), np.sin(10 * points[:, 0]))
    >>> found = fit(sample, Parameters(1.0, 1.0, 1.0)).parameters
    >>> found.noise_variance < 1e-4, 0.2 < found.length_scale < 0.4
    (True, True)
    """
    from quickdraw_bandits.gaussian_process.compiled import minimise, squared_distances

    parameters, curvature = (start.parameters, start.curvature) if isinstance(start, Fit) else (start, np.eye(2) * 10)
    n = sample.size
    unit = math.sqrt((float(sample.counts @ sample.means**2) + sample.spread) / n)
    if unit < 1e-140:  # zero, or so near to it that variances would be
        unit = 1.0
    loss, s2, best, curvature = minimise(
        squared_distances(sample.points, sample.points),
        sample.counts,
        sample.means / unit,
        sample.spread / unit**2,
        np.log([parameters.length_scale, parameters.noise_variance / parameters.signal_variance]),
        curvature,
        TOLERANCE,
        EVALUATIONS,
    )
    signal_variance = s2 * unit**2
    length, ratio = np.exp(best)
    found = Parameters(signal_variance, float(length), signal_variance * float(ratio))
    return Fit(found, -loss - n * math.log(unit), curvature)


class WarmFit:
    """Fits a sample that changes little from one call to the next.

    The likelihood often has several maxima: a short length scale with little noise, a long one with much. Every
    call searches from the last optimum and from one of ``starts``, which take turns, and the better is kept.
    """

    def __init__(self, starts: Sequence[Parameters] = STARTS) -> None:
        self.starts = starts
        self._calls = 0
        self._last: Fit | None = None

    def __call__(self, sample: Sample) -> Fit:
        """Return the fit to ``sample``."""
        tries: Sequence[Parameters | Fit] = self.starts
        if self._last is not None:
            tries = [self._last, self.starts[self._calls % len(self.starts)]]
        self._last = max((fit(sample, start) for start in tries), key=lambda found: found.log_likelihood)
        self._calls += 1
        return self._last
