"""The stationary engine: two sums an arm, kept up to date (E7)."""

import os

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation import compiled
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.plain import upper_bound
from quickdraw_bandits.numerics.threads import on_all_cores


class RunningSums:
    """The stationary estimate (E2 with E1): sum nu_s and sum nu_s y_s at every arm.

    An update costs O(arms) however many observations there were, and no observation is kept. Precisions are
    counted in units of the largest possible, rho^(-2p), which keeps them between 0 and 1. The sums carry their
    rounding errors along (Neumaier's summation), so that millions of observations lose nothing.
    """

    def __init__(self, arms: Arms, kernel: Kernel) -> None:
        self._arms = arms
        self._kernel = kernel
        self._metric = compiled.METRIC_CODES[arms.metric]
        # (D / l_x)² / rho², for a distance that is not yet scaled.
        self._weight = (1 / (arms.unit * kernel.length_scale * kernel.noise_variance**0.5)) ** 2
        self._sums = np.zeros((len(arms), 4))  # sum nu and its rounding, sum nu y and its rounding
        self._reward_total = 0.0
        self._positions = np.arange(len(arms))
        self._buffers = np.empty((os.cpu_count() or 1, compiled.BLOCK))
        self.n_observations = 0
        self.times = np.empty(0)
        self.least_reward = np.inf

    @property
    def average_reward(self) -> float:
        """The average of all rewards."""
        return self._reward_total / self.n_observations

    def add(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        """Take in observations; their times do not matter.

        Observations of one arm have the same precision everywhere, so that they are added up first: a log costs
        O(arms · different arms in it), not O(arms · its length).
        """
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
        self.n_observations += len(arms)
        self._reward_total += float(rewards.sum())
        self.least_reward = min(self.least_reward, float(rewards[0] if len(rewards) == 1 else rewards.min()))

    def estimate(self, time: float, arms: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them; time does not matter."""
        sums = self._sums if arms is None else self._sums[arms]
        mean, std = np.empty(len(sums)), np.empty(len(sums))
        # Where every precision has underflowed no observation says more than another.
        average = self.average_reward
        rho = self._kernel.noise_variance**0.5
        compiled.from_sums(sums, self._kernel.sharpness, rho, average, mean, std)
        return mean, std

    def best(self, time: float, gamma: float, cap: float) -> tuple[Integers, Floats]:
        """Return arms and their index min(mu + gamma Sigma, cap), all arms of the largest index among them."""
        mean, std = self.estimate(time)
        return self._positions, upper_bound(mean, std, gamma, cap)
