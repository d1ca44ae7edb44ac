"""The estimate by direct summation: every place against every observation, on all cores."""

from functools import partial
from time import perf_counter as time_now
from typing import cast

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.metrics import Metric, Points, distances
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation import aside
from quickdraw_bandits.interpolation.estimate import LARGEST, QUESTION, SMALLEST, estimate_at_rows
from quickdraw_bandits.interpolation.index import largest_index
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.reference import upper_bound
from quickdraw_bandits.numerics.distances import METRIC_CODES, PRECOMPUTED
from quickdraw_bandits.numerics.threads import in_parts
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.observations import Observations

METRIC_NAMES = {code: cast(Metric, name) for name, code in METRIC_CODES.items()}
AT_ONCE = 65_536
"""Kernel evaluations of a pass in NumPy: what they need fits the second-level cache."""


class DirectSum:
    """The estimate (E2) at any place from all observations, in float64.

    Parameters
    ----------
    arms
        Where arms lie, and how distances are measured.
    kernel
        The parameters of the interpolation.
    observations
        The policy's store.
    """

    def __init__(self, arms: Arms | Box, kernel: Kernel, observations: Observations) -> None:
        self._seen = observations
        self._asked = (
            METRIC_CODES[arms.metric],
            (1 / (arms.unit * kernel.length_scale)) ** 2,
            1 / kernel.time_scale if kernel.time_scale else 0.0,
            kernel.noise_variance,
            kernel.sharpness,
        )

    def estimate(self, time: float, points: Points, rows: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given rows of ``points``, or at all of them.

        ``points`` are coordinates, or for precomputed distances rows of the matrix.
        """
        seen = self._seen
        if points.flags.writeable:  # compiled code is made for read-only arrays, as those of ``Arms`` are
            points = points.view()
            points.setflags(write=False)
        if rows is None:
            rows = np.arange(len(points))
        code = aside.missing(points)
        if code is not None:
            began = time_now()
            found = self._plainly(time, points, rows)
            code.spend(time_now() - began)
            if found is not None:
                return found
        mean, std = np.empty(len(rows)), np.empty(len(rows))
        question = np.array([(seen.n, time, *self._asked)], dtype=QUESTION)
        store = seen.coordinates, seen.arms, seen.times, seen.rewards
        in_parts(partial(estimate_at_rows, points, rows, *store, question, mean, std), len(rows), len(rows) * seen.n)
        return mean, std

    def best(self, time: float, points: Points, rows: Integers, gamma: float, cap: float) -> Integers:
        """Return those of the given rows whose index (E4) is the largest, all that tie up to rounding."""
        if len(rows) == 1:  # whatever its index is
            return rows
        if aside.missing(points) is not None:
            return rows[argmaxes(upper_bound(*self.estimate(time, points, rows), gamma, cap))]
        positions = np.empty(len(rows), dtype=np.int64)
        ties = largest_index(*self.estimate(time, points, rows), gamma, cap, positions)
        return rows[positions[:ties]]

    def _plainly(self, time: float, points: Points, rows: Integers) -> tuple[Floats, Floats] | None:
        """Return the estimate by NumPy, while there is no compiled code; None where sums leave the range of float64."""
        seen, n = self._seen, self._seen.n
        metric, weight, rate, noise_variance, sharpness = self._asked
        ages = np.square((time - seen.times[:n]) * rate)[:, None]
        rewards, places = seen.rewards[:n], seen.coordinates[:, :n].T
        mean, total = np.empty(len(rows)), np.empty(len(rows))
        at_once = max(1, AT_ONCE // n)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            for begin in range(0, len(rows), at_once):
                block = slice(begin, begin + at_once)
                here = points[rows[block]]
                if metric == PRECOMPUTED:
                    apart = here[:, seen.arms[:n]].T.astype(np.float64)
                else:
                    apart = distances(METRIC_NAMES[metric], here, places)
                nu = (noise_variance + ages + weight * np.square(apart)) ** -sharpness
                total[block] = nu.sum(axis=0)
                mean[block] = rewards @ nu
            if not ((total > SMALLEST) & (total < LARGEST) & (abs(mean) < LARGEST)).all():
                return None
        return mean / total, total ** (-0.5 / sharpness)
