"""The stationary engine: two sums an arm, kept up to date (E7)."""

import os

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation import compiled
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.plain import upper_bound
from quickdraw_bandits.numerics.threads import on_all_cores
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.observations import Observations


class RunningSums(Engine):
    """The stationary estimate (E2 with E1): sum nu_s and sum nu_s y_s at every arm.

    An update costs O(arms) however many observations there were. Precisions are
    counted in units of the largest possible, rho^(-2p), which keeps them between 0 and 1. The sums carry their
    rounding errors along (Neumaier's summation), so that millions of observations lose nothing.
    """

    def __init__(self, arms: Arms, kernel: Kernel, observations: Observations) -> None:
        super().__init__(observations)
        self._arms = arms
        self._kernel = kernel
        self._metric = compiled.METRIC_CODES[arms.metric]
        # (D / l_x)² / rho², for a distance that is not yet scaled.
        self._weight = (1 / (arms.unit * kernel.length_scale * kernel.noise_variance**0.5)) ** 2
        self._sums = np.zeros((len(arms), 4))  # sum nu and its rounding, sum nu y and its rounding
        self._reward_total = 0.0
        self._buffers = np.empty((os.cpu_count() or 1, compiled.BLOCK))
        self._indexed = 0

    def extend(self) -> None:
        """Take in the observations that are new in the store; their times do not matter.

        Observations of one arm have the same precision everywhere, so that they are added up first: a log costs
        O(arms · different arms in it), not O(arms · its length).
        """
        new = slice(self._indexed, self._seen.n)
        arms, rewards = self._seen.arms[new], self._seen.rewards[new]
        if len(arms) == 1:
            sources, counts, totals = arms, np.ones(1), rewards
        else:
            sources, inverse = np.unique(arms, return_inverse=True)
            counts = np.zeros(len(sources))
            totals = np.zeros(len(sources))
            np.add.at(counts, inverse, 1.0)
            np.add.at(totals, inverse, rewards)
        coordinates = np.empty((self._arms.dimension, len(sources)))
        compiled.append_coordinates(coordinates, self._arms.points, sources, 0)
        on_all_cores(
            compiled.add_to_sums,
            len(self._arms) * len(sources),
            self._metric,
            self._arms.points,
            coordinates,
            sources,
            counts,
            totals,
            self._weight,
            self._kernel.sharpness,
            self._sums,
            self._buffers,
        )
        self._reward_total += float(rewards.sum())
        self._indexed = self._seen.n

    def estimate(self, time: float, arms: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them; time does not matter."""
        sums = self._sums if arms is None else self._sums[arms]
        mean, std = np.empty(len(sums)), np.empty(len(sums))
        # Where every precision has underflowed no observation says more than another.
        average = self._reward_total / self._indexed
        rho = self._kernel.noise_variance**0.5
        compiled.from_sums(sums, self._kernel.sharpness, rho, average, mean, std)
        return mean, std

    def best(self, time: float, gamma: float, cap: float) -> Integers:
        """Return all arms of the largest index min(mu + gamma Sigma, cap)."""
        return argmaxes(upper_bound(*self.estimate(time), gamma, cap))
