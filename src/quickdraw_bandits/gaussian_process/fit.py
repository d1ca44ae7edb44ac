"""Parameters that maximise the marginal likelihood."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quickdraw_bandits.arms.metrics import squared_distances
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.gaussian_process.parameters import Parameters
from quickdraw_bandits.gaussian_process.sample import Sample

TOLERANCE = 1e-3
"""The search ends where doubling a parameter would change the log likelihood by less than about this."""

STARTS = (Parameters(1.0, 0.02, 0.05), Parameters(1.0, 0.1, 0.05), Parameters(1.0, 0.5, 0.05))
"""Where searches start: a short, a middling and a long length scale."""

EVALUATIONS = 100
"""Most evaluations of the likelihood in one search."""

ROUNDING = 1e-9
"""Log likelihoods closer than this count as equal."""

Objective = Callable[[float, float], tuple[float, float, float, float]]
"""From two coordinates to the value, its two derivatives, and a number that goes with it."""


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
    # Imports numba, which takes longer than the rest of the package.
    from quickdraw_bandits.gaussian_process.profile import LIMIT, Profile

    parameters, curvature = (start.parameters, start.curvature) if isinstance(start, Fit) else (start, np.eye(2) * 10)
    n = sample.size
    unit = math.sqrt((float(sample.counts @ sample.means**2) + sample.spread) / n)
    if unit < 1e-140:  # zero, or so near to it that variances would be
        unit = 1.0
    scaled = replace(sample, means=sample.means / unit, spread=sample.spread / unit**2)
    logs = math.log(parameters.length_scale), math.log(parameters.noise_variance / parameters.signal_variance)
    objective = Profile(scaled, squared_distances(sample.points, sample.points))
    loss, s2, (log_length, log_ratio), curvature = minimise(objective, logs, curvature, (LIMIT, 2 * LIMIT))
    signal_variance = s2 * unit**2
    found = Parameters(signal_variance, math.exp(log_length), signal_variance * math.exp(log_ratio))
    return Fit(found, -loss - n * math.log(unit), curvature)


def minimise(
    objective: Objective, start: tuple[float, float], curvature: Floats, box: tuple[float, float]
) -> tuple[float, float, tuple[float, float], Floats]:
    """Return the least value found, the number that goes with it, where it is, and the curvature there.

    BFGS in two dimensions, with steps back until Armijo's condition holds, in the box |x| <= ``box[0]``,
    |y| <= ``box[1]``. ``curvature`` approximates the Hessian, and may come from a similar problem. The search ends
    where no free derivative exceeds ``TOLERANCE``, where steps no longer help, or after ``EVALUATIONS``.
    """
    (a, b), (_, c) = curvature.tolist()  # the Hessian is [[a, b], [b, c]]
    x, y = (min(max(value, -limit), limit) for value, limit in zip(start, box, strict=True))
    value, gx, gy, extra = objective(x, y)
    fresh = False
    used = 1
    while used < EVALUATIONS:
        # A coordinate at a limit that the gradient pushes against is not free.
        free_x = not ((x <= -box[0] and gx > 0) or (x >= box[0] and gx < 0))
        free_y = not ((y <= -box[1] and gy > 0) or (y >= box[1] and gy < 0))
        steepest = max(abs(gx) if free_x else 0.0, abs(gy) if free_y else 0.0)
        if steepest <= TOLERANCE:
            break
        determinant = a * c - b * b
        # Updates can round it to a matrix that is no longer positive definite; then it says nothing.
        if not (a > 0 and determinant > 1e-12 * a * c):
            a, b, c = max(1.0, steepest), 0.0, max(1.0, steepest)
            determinant = a * c
        if free_x and free_y:
            dx, dy = -(c * gx - b * gy) / determinant, -(a * gy - b * gx) / determinant
        else:
            dx, dy = (-gx / a, 0.0) if free_x else (0.0, -gy / c)
        longest = max(abs(dx), abs(dy))
        if not (0.0 < longest < math.inf):
            break
        # No step multiplies a parameter by more than e².
        shrink = min(1.0, 2.0 / longest)
        for _ in range(12):
            new_x = min(max(x + shrink * dx, -box[0]), box[0])
            new_y = min(max(y + shrink * dy, -box[1]), box[1])
            new_value, new_gx, new_gy, new_extra = objective(new_x, new_y)
            used += 1
            slope = gx * (new_x - x) + gy * (new_y - y)
            if new_value <= value + 1e-4 * slope and slope < 0:
                break
            shrink *= 0.3
        else:
            if fresh:
                break
            a, b, c = max(1.0, steepest), 0.0, max(1.0, steepest)
            fresh = True
            continue
        mx, my, tx, ty = new_x - x, new_y - y, new_gx - gx, new_gy - gy
        bend = tx * mx + ty * my
        px, py = a * mx + b * my, b * mx + c * my
        pressure = px * mx + py * my
        if bend > 1e-3 * pressure > 0:
            a += tx * tx / bend - px * px / pressure
            b += tx * ty / bend - px * py / pressure
            c += ty * ty / bend - py * py / pressure
        fresh = False
        x, y, value, gx, gy, extra = new_x, new_y, new_value, new_gx, new_gy, new_extra
    return value, extra, (x, y), np.array([[a, b], [b, c]])


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
        found, *others = (fit(sample, start) for start in tries)
        for other in others:
            # Where length scales are equally likely, rounding must not decide.
            if other.log_likelihood > found.log_likelihood + ROUNDING:
                found = other
        self._last = found
        self._calls += 1
        return found
