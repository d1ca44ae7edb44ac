"""The estimate by direct summation: every place against every observation, on all cores."""

from functools import partial

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.metrics import Points
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.estimate import QUESTION, estimate_at_rows
from quickdraw_bandits.interpolation.index import largest_index
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.numerics.distances import METRIC_CODES
from quickdraw_bandits.numerics.threads import in_parts
from quickdraw_bandits.observations import Observations


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
        mean, std = np.empty(len(rows)), np.empty(len(rows))
        question = np.array([(seen.n, time, *self._asked)], dtype=QUESTION)
        store = seen.coordinates, seen.arms, seen.times, seen.rewards
        in_parts(partial(estimate_at_rows, points, rows, *store, question, mean, std), len(rows), len(rows) * seen.n)
        return mean, std

    def best(self, time: float, points: Points, rows: Integers, gamma: float, cap: float) -> Integers:
        """Return those of the given rows whose index (E4) is the largest, all that tie up to rounding."""
        positions = np.empty(len(rows), dtype=np.int64)
        ties = largest_index(*self.estimate(time, points, rows), gamma, cap, positions)
        return rows[positions[:ties]]
