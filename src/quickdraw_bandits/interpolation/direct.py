"""The estimate by direct summation: every place against every observation, compiled, on all cores."""

import os
from math import inf

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation import compiled
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.numerics.threads import WORTHWHILE, on_all_cores
from quickdraw_bandits.observations import Observations


class DirectSum:
    """The estimate (E2) at any place from all observations, in float64."""

    def __init__(self, arms: Arms | Box, kernel: Kernel, observations: Observations) -> None:
        self._metric = compiled.METRIC_CODES[arms.metric]
        self._weight = (1 / (arms.unit * kernel.length_scale)) ** 2
        self._kernel = kernel
        self._seen = observations
        self._terms = np.empty(0)
        self._buffers = np.empty((os.cpu_count() or 1, compiled.BLOCK))

    def estimate(self, time: float, points: np.ndarray) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at every row of ``points`` (of distances for ``precomputed``)."""
        seen, kernel = self._seen, self._kernel
        self._set_terms(time)
        mean, std = np.empty(len(points)), np.empty(len(points))
        on_all_cores(
            compiled.estimate,
            len(points) * seen.n,
            self._metric,
            points,
            seen.coordinates,
            seen.arms,
            seen.rewards,
            self._terms,
            seen.n,
            self._weight,
            kernel.sharpness,
            mean,
            std,
            self._buffers,
        )
        return mean, std

    def decide(
        self,
        time: float,
        gamma: float,
        cap: float,
        points: np.ndarray,
        low: np.ndarray,
        high: np.ndarray,
        threshold: float,
        capped_from: float,
        positions: Integers,
        index: Floats,
    ) -> int:
        """Fill ``positions`` and ``index`` with the arms of the largest index (E4), and return how many there are.

        Only arms whose upper bound ``high`` reaches the threshold are looked at, and those whose lower bound ``low``
        reaches ``capped_from`` are taken to reach the cap.
        """
        seen, kernel = self._seen, self._kernel
        self._set_terms(time)
        # Few arms are left as a rule; only where they could be many is it worth counting them.
        left = len(index)
        if left * seen.n > WORTHWHILE and threshold > -inf:
            left = int(np.count_nonzero(high >= threshold))
        return int(
            on_all_cores(
                compiled.decide,
                left * seen.n,
                self._metric,
                points,
                seen.coordinates,
                seen.arms,
                seen.rewards,
                self._terms,
                seen.n,
                self._weight,
                kernel.sharpness,
                gamma,
                cap,
                low,
                high,
                threshold,
                capped_from,
                positions,
                index,
                self._buffers,
            )
        )

    def _set_terms(self, time: float) -> None:
        seen, kernel = self._seen, self._kernel
        if len(self._terms) < len(seen.times):
            self._terms = np.empty(len(seen.times))
        time_scale = inf if kernel.time_scale is None else kernel.time_scale
        compiled.time_terms(seen.times, seen.n, time, time_scale, kernel.noise_variance, self._terms)
