"""The best of some arms that nobody has asked about before: all are summed in float32, and a few of them exactly."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.metrics import Points
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation import aside
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.engines.tables.geometry import UNIT_ROUNDOFF, Geometry
from quickdraw_bandits.interpolation.engines.tables.node_sums import (
    ARMS,
    LARGEST_TERM,
    Observed,
    ScaledArms,
    Units,
    add_observations,
)
from quickdraw_bandits.interpolation.index import TIE
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.reference import upper_bound
from quickdraw_bandits.numerics.distances import METRIC_CODES
from quickdraw_bandits.numerics.jit import finite
from quickdraw_bandits.numerics.threads import in_parts
from quickdraw_bandits.observations import Observations

LARGEST_ERROR = 0.02
"""Relative error of a precision up to which a sum in float32 leaves few arms in question."""
SMALLEST_SHARE = 1e-30
"""Sums of precisions below this, an observation, may have lost what float32 cannot hold."""
NOW = np.zeros(1)
IN_ONE_LOOP = 3
"""Dimensions up to which distances and sums are computed in one loop, which takes half of the time."""
BLOCK = 512
"""Observations that are summed in float32: what is read of them fits the first-level cache."""


@finite
def sum_at_rows(
    points: Points,
    rows: Integers,
    centre: Floats,
    scale: float,
    observed: NDArray[np.float32],
    sharpness: int,
    s0: Floats,
    s1: Floats,
    begin: int,
    end: int,
) -> None:
    """Add sum nu_s and sum nu_s y_s to ``s0`` and ``s1``, at the rows from number ``begin`` to ``end`` - 1.

    nu_s = (T_s + |x - x_s|²)^-p, in up to three dimensions. Rows of ``observed`` are three coordinates, counted from
    ``centre`` and times ``scale``, then T_s and y_s.
    """
    n, d, one = observed.shape[1], points.shape[1], np.float32(1)
    here = np.zeros((end - begin, 3), dtype=np.float32)
    for k in range(begin, end):
        for j in range(d):
            here[k - begin, j] = (points[rows[k], j] - centre[j]) * scale
    for start in range(0, n, BLOCK):
        stop = start + BLOCK if start + BLOCK < n else n
        xs, ys, zs = observed[0, start:stop], observed[1, start:stop], observed[2, start:stop]
        terms, rewards = observed[3, start:stop], observed[4, start:stop]
        for k in range(begin, end):
            x, y, z = here[k - begin, 0], here[k - begin, 1], here[k - begin, 2]
            part0 = part1 = np.float32(0)
            for s in range(stop - start):
                a, b, c = x - xs[s], y - ys[s], z - zs[s]
                nu = one / (terms[s] + ((a * a + b * b) + c * c))
                power = nu if sharpness == 1 else nu * nu if sharpness == 2 else nu * nu * nu
                part0 += power
                part1 += power * rewards[s]
            s0[k] += part0
            s1[k] += part1


class Screen:
    """The arms of the largest index, for one choice among some arms: nothing is kept for others.

    If every precision is known to a relative error e, the mean is off by at most 2 e H / (1 - e), and the deviation by
    a factor 1 ± e / (1 - e), with rewards counted from the middle of their range of half width H (``TablesEngine``).
    Arms whose upper bound reaches the largest lower bound are summed again in float64, so that the choice is exact.

    Parameters
    ----------
    arms
        All arms.
    kernel
        The parameters of the interpolation, with a time scale.
    observations
        The policy's store.
    """

    def __init__(self, arms: Arms, kernel: Kernel, observations: Observations) -> None:
        assert kernel.time_scale is not None
        self._arms, self._seen, self._sharpness = arms, observations, kernel.sharpness
        self._direct = DirectSum(arms, kernel, observations)
        self._geometry = Geometry(arms)
        self._rho = kernel.noise_variance**0.5
        self._time_unit = kernel.time_scale * self._rho
        self._weight = (1 / (arms.unit * kernel.length_scale * self._rho)) ** 2
        self._in_one_loop = arms.metric == "euclidean" and arms.dimension <= IN_ONE_LOOP
        # In one loop, a block is summed in any order.
        rounded = self._geometry.rounding(kernel.sharpness) + (BLOCK if self._in_one_loop else 2)
        self._rounding = rounded * UNIT_ROUNDOFF

    def best(self, time: float, some: Integers, gamma: float, cap: float) -> Integers:
        """Return the positions of the best of some arms, all that tie up to rounding in float64."""
        points = self._arms.points
        error = self._error(time)
        if not error <= LARGEST_ERROR or aside.missing(points) is not None:
            return self._direct.best(time, points, some, gamma, cap)
        units = self._units()
        s0, s1 = self._sums(time, some, units)
        known = s0 > SMALLEST_SHARE * self._seen.n
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            above = gamma * self._rho / units.half * s0 ** (-0.5 / self._sharpness)
            index = s1 / s0 + above
            margin = error / (1 - error) * (2 + above)
        rounding = 4 * TIE * (1 + abs(units.centre) / units.half + np.abs(index))
        low, high = index - margin - rounding, index + margin + rounding
        if not known.all():
            low[~known], high[~known] = -np.inf, np.inf
        limit = (cap - units.centre) / units.half
        least = float(low.max())
        if not abs(least) < np.inf:
            return self._direct.best(time, points, some, gamma, cap)
        if least < limit:
            return self._direct.best(time, points, some[high >= least], gamma, cap)
        # All from here on reach the cap; of the others, those that a direct sum takes there.
        sure = low >= limit
        others = some[(high >= limit) & ~sure]
        if not len(others):
            return np.asarray(some[sure])
        reach = upper_bound(*self._direct.estimate(time, points, others), gamma, cap) >= cap - TIE * abs(cap)
        return np.union1d(some[sure], others[reach])

    def _error(self, time: float) -> float:
        """Return a bound of the relative error of every precision; infinite where float32 cannot serve."""
        age = float(np.abs(time - self._seen.times[: self._seen.n]).min()) / self._time_unit
        return self._geometry.narrowing(self._weight, 1 + age * age, self._sharpness) + self._rounding

    def _units(self) -> Units:
        """Count rewards from the middle of their range, in halves of it."""
        least, largest = self._seen.least_reward, self._seen.largest_reward
        half = largest / 2 - least / 2
        return Units(self._time_unit, least + half, half if half > 0 else 1.0)

    def _sums(self, time: float, some: Integers, units: Units) -> tuple[Floats, Floats]:
        """Return the sums of precisions and of precisions times rewards at some arms, from terms in float32."""
        if not self._in_one_loop:
            return self._sums_in_two_loops(time, some, units)
        seen, n, centre = self._seen, self._seen.n, self._geometry.centre
        d, scale = len(centre), self._weight**0.5
        observed = np.zeros((IN_ONE_LOOP + 2, n), dtype=np.float32)
        observed[:d] = (seen.coordinates[:, :n] - centre[:, None]) * scale
        with np.errstate(over="ignore"):
            observed[-2] = np.minimum(1 + np.square((time - seen.times[:n]) / units.time), LARGEST_TERM)
        observed[-1] = (seen.rewards[:n] - units.centre) / units.half
        s0, s1 = np.zeros(len(some)), np.zeros(len(some))
        sums = self._arms.points, some, centre, scale, observed, self._sharpness, s0, s1
        in_parts(partial(sum_at_rows, *sums), len(some), n * len(some))
        return s0, s1

    def _sums_in_two_loops(self, time: float, some: Integers, units: Units) -> tuple[Floats, Floats]:
        """Return the same by the loops of tables, by cosine or in many dimensions."""
        seen, n, centre = self._seen, self._seen.n, self._geometry.centre
        points = self._arms.points.take(some, axis=0)
        points.setflags(write=False)  # as those of ``Arms`` are, for which code is compiled
        arms = ScaledArms(METRIC_CODES[self._arms.metric], points, centre, self._weight)
        places = np.empty((n, len(centre)), dtype=np.float32)
        np.subtract(seen.coordinates[:, :n].T, centre, out=places, casting="same_kind")
        observed = Observed(places, seen.times[:n], seen.rewards[:n])
        tables = np.zeros((1, 2, len(some)), dtype=np.float32)

        def add(begin: int, end: int) -> None:
            add_observations(arms, observed, None, time, NOW, units, self._sharpness, tables, begin, end)

        in_parts(add, len(some), n * len(some), ARMS)
        s0, s1 = tables[0].astype(np.float64)
        return s0, s1
