"""Ruling out arms in float32, so that float64 need look only at the few that are left."""

import os
from math import isfinite
from typing import Self

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation import compiled, compiled_screen
from quickdraw_bandits.interpolation.frozen_past import FrozenPast
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.numerics.threads import on_all_cores
from quickdraw_bandits.observations import Observations

WORTHWHILE_ERROR = 0.02
"""Largest relative error of a precision at which bounds are still tight enough to rule arms out."""
LARGEST_SPREAD = 1e3
"""How far rewards may leave the range that they had when sums were frozen."""
BEYOND_FLOAT32 = 1e30
SMALLEST_PRECISION = 1e-36
"""Smaller precisions count as this one; arms that such ones matter to are not screened (1e-6 of all, see ``error``)."""
UNIT_ROUNDOFF = 2.0**-24


class Screen:
    """Bounds of the index of euclidean arms, in units where rho is 1 and rewards lie between -1 and 1.

    The relative error of one precision in float32 is at most ``error``, the sum of four parts. With u = 2^-24:

    - coordinates of size X are rounded, so that a difference is off by delta <= 2 u X, and r² = 1 + … + d² by
      2 d delta / (1 + d²) <= delta for one coordinate, sqrt(dimension) times that for all together;
    - the age, the square, the sum and the reciprocal are rounded a few times each;
    - all that counts p times for r^(2p);
    - a sum is rounded once for every observation of a block, and once for every block.

    Old observations are interpolated in time (``FrozenPast``), which adds its own error.
    """

    def __init__(self, arms: Arms, kernel: Kernel, error: float) -> None:
        self._kernel = kernel
        self._error = error
        # One row a coordinate, so that a loop over arms reads memory in order.
        self._points = np.ascontiguousarray(_in_units_of_rho(arms, kernel).T, dtype=np.float32)
        # The precision of a term must not fall below the range of float32.
        self._largest_term = SMALLEST_PRECISION ** (-1 / kernel.sharpness)
        self._past = FrozenPast(len(arms), kernel.sharpness)
        self._sums = np.zeros((2, len(arms)), dtype=np.float32)
        self.low = np.empty(len(arms), dtype=np.float32)
        self.high = np.empty(len(arms), dtype=np.float32)
        self._buffers = np.empty((os.cpu_count() or 1, 3, compiled_screen.SCREEN_CHUNK), dtype=np.float32)
        # One entry an observation, as long as the history's arrays.
        self._coordinates = np.empty((arms.dimension, 0), dtype=np.float32)
        self._terms = np.empty(0, dtype=np.float32)
        self._rewards = np.empty(0, dtype=np.float32)
        self._n = 0
        self._centre = 0.0
        self._unit = 1.0

    @classmethod
    def build(cls, arms: Arms, kernel: Kernel) -> Self | None:
        """Return a screen, or None where float32 cannot help: for other metrics, and for a tiny rho or l_x."""
        if arms.metric != "euclidean":
            return None
        largest = float(np.abs(_in_units_of_rho(arms, kernel)).max())
        rounding = (2 * largest * arms.dimension**0.5 + 8 + arms.dimension) * UNIT_ROUNDOFF
        error = kernel.sharpness * rounding + (compiled.BLOCK + 4) * UNIT_ROUNDOFF + 1e-6
        return cls(arms, kernel, error) if error < WORTHWHILE_ERROR else None

    def extend(self, seen: Observations) -> None:
        """Take in the arms of the observations that are new in the store."""
        capacity = len(seen.times)
        if len(self._terms) < capacity:
            grown = np.empty((len(self._coordinates), capacity), dtype=np.float32)
            grown[:, : self._n] = self._coordinates[:, : self._n]
            self._coordinates = grown
            self._terms = np.empty(capacity, dtype=np.float32)
            self._rewards = np.empty(capacity, dtype=np.float32)
        self._coordinates[:, self._n : seen.n] = self._points[:, seen.arms[self._n : seen.n]]
        self._n = seen.n

    def bound(self, seen: Observations, time: float, gamma: float, cap: float) -> tuple[float, float]:
        """Set ``low`` and ``high``; return what ``high`` reaches at the best arm, and ``low`` where the cap is sure."""
        past, kernel = self._past, self._kernel
        if past.n_frozen == 0 or self._spread(seen) > LARGEST_SPREAD:
            past.n_frozen = 0
            self._set_units(seen)
        if not isfinite(self._unit):
            return self._rule_nothing_out()
        begin = 0
        error = self._error + seen.n / compiled.BLOCK * UNIT_ROUNDOFF
        if past.covers(time, seen.n) or self._freeze(seen, time):
            begin = past.n_frozen
            error = past.error + past.set_basis(time) * (error + 10 * UNIT_ROUNDOFF)
        spread = self._spread(seen)
        rho = kernel.noise_variance**0.5
        gamma_here = gamma * rho / self._unit
        if not gamma_here < BEYOND_FLOAT32:
            return self._rule_nothing_out()
        best = on_all_cores(
            compiled_screen.screen,
            len(self.low) * (seen.n - begin),
            self._points,
            self._coordinates,
            seen.times,
            seen.rewards,
            begin,
            seen.n,
            time,
            kernel.time_scale,
            rho,
            self._largest_term,
            self._centre,
            self._unit,
            past.values,
            past.basis,
            kernel.sharpness,
            gamma_here,
            spread,
            error,
            self._terms,
            self._rewards,
            self._sums,
            self.low,
            self.high,
            self._buffers,
        )
        if not abs(best) < BEYOND_FLOAT32:
            return self._rule_nothing_out()
        # The bounds themselves are computed in float32: a little slack for that.
        slack = 1e-6 * (abs(best) + spread)
        capped_from = (cap - self._centre) / self._unit + slack
        return min(best, capped_from) - slack, capped_from

    def _rule_nothing_out(self) -> tuple[float, float]:
        """For rewards or deviations so far apart that only float64 can tell."""
        self.high[:] = np.inf
        self.low[:] = -np.inf
        return -np.inf, np.inf

    def _freeze(self, seen: Observations, time: float) -> bool:
        """Sum the old observations for the stretch ahead; return whether that was possible and worth it."""
        moments = self._past.plan(time, seen.times, seen.n)
        if moments is None:
            return False
        n = self._past.n_frozen
        self._set_units(seen)
        compiled_screen.screen_rewards(seen.rewards, 0, n, self._centre, self._unit, self._rewards)
        for table, moment in zip(self._past.values, moments, strict=True):
            compiled_screen.screen_terms(
                seen.times,
                0,
                n,
                float(moment),
                self._kernel.time_scale,
                self._kernel.noise_variance**0.5,
                self._largest_term,
                self._terms,
            )
            on_all_cores(
                compiled_screen.screen_table,
                len(self.low) * n,
                self._points,
                self._coordinates,
                self._rewards,
                self._terms,
                n,
                self._kernel.sharpness,
                table,
                self._buffers,
            )
        return True

    def _set_units(self, seen: Observations) -> None:
        """Count rewards from the middle of their range, in halves of it; they must stay so while sums are frozen."""
        half = seen.largest_reward / 2 - seen.least_reward / 2
        self._centre = seen.least_reward + half
        self._unit = half if half > 0 else 1.0

    def _spread(self, seen: Observations) -> float:
        """How far rewards lie from the centre at most, in those units: 1 until the range grows."""
        return max(seen.largest_reward - self._centre, self._centre - seen.least_reward) / self._unit


def _in_units_of_rho(arms: Arms, kernel: Kernel) -> Floats:
    """Return coordinates counted from the middle of the arms, such that distances are D / (l_x rho)."""
    middle = (arms.points.max(axis=0).astype(np.float64) + arms.points.min(axis=0)) / 2
    scale = arms.unit * kernel.length_scale * kernel.noise_variance**0.5
    return np.asarray((arms.points - middle) / scale)
