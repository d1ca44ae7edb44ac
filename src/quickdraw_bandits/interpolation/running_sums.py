"""The stationary engine: two sums per arm, kept up to date (E7)."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.compensated import CHUNK, Added, add_to_sums, from_sums
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.index import largest_index
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.limits import FREE, Limits, best_below
from quickdraw_bandits.interpolation.reference import upper_bound
from quickdraw_bandits.numerics.distances import METRIC_CODES
from quickdraw_bandits.numerics.threads import in_parts
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.observations import Observations


class RunningSums(Engine):
    """The stationary estimate (E2 with E1): sum nu_s and sum nu_s y_s at every arm.

    An update costs O(arms) however many observations there were. Precisions are counted in units of the largest
    possible, rho^(-2p), which keeps them between 0 and 1. The sums carry their rounding errors along (Neumaier's
    summation), so that millions of observations lose nothing.
    """

    def __init__(self, arms: Arms, kernel: Kernel, observations: Observations) -> None:
        super().__init__(observations)
        self._arms = arms
        self._metric = METRIC_CODES[arms.metric]
        self._rho = kernel.noise_variance**0.5
        self._sharpness = kernel.sharpness
        # (D / l_x)² / rho², for a distance that is not yet scaled.
        self._weight = (1 / (arms.unit * kernel.length_scale * self._rho)) ** 2
        self._sums = np.zeros((4, len(arms)))  # sum nu and its rounding, sum nu y and its rounding
        self._reward_total = 0.0
        self._indexed = 0
        # For the answer to the latest question.
        self._mean, self._std = np.empty(len(arms)), np.empty(len(arms))
        self._positions = np.empty(len(arms), dtype=np.int64)

    @property
    def keeps_sums(self) -> bool:
        """They are all that this engine keeps."""
        return True

    def extend(self) -> None:
        """Take in the observations that are new in the store; their times do not matter.

        Observations of one arm have the same precision everywhere, so that they are added up first: a log costs
        O(arms · different arms in it), not O(arms · its length).
        """
        new = slice(self._indexed, self._seen.n)
        arms, totals, places = self._seen.arms[new], self._seen.rewards[new], self._seen.coordinates[:, new]
        self._reward_total += float(totals.sum())
        counts = np.ones(1)
        if len(arms) > 1:
            arms, first, inverse = np.unique(arms, return_index=True, return_inverse=True)
            places = places[:, first]
            counts, rewards, totals = np.zeros(len(arms)), totals, np.zeros(len(arms))
            np.add.at(counts, inverse, 1.0)
            np.add.at(totals, inverse, rewards)
        added = Added(np.ascontiguousarray(places.T), arms, counts, totals)
        arguments = (self._metric, self._arms.points, added, self._weight, self._sharpness, self._sums)
        in_parts(
            lambda begin, end: add_to_sums(*arguments, begin, end),
            len(self._arms),
            len(self._arms) * len(arms),
            CHUNK,
        )
        self._indexed = self._seen.n

    def estimate(self, time: float, arms: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them; time does not matter."""
        sums = self._sums if arms is None else np.ascontiguousarray(self._sums[:, arms])
        mean, std = np.empty(sums.shape[1]), np.empty(sums.shape[1])
        self._fill(sums, mean, std)
        return mean, std

    def best(self, time: float, gamma: float, cap: float, keep: bool = False, limits: Limits = FREE) -> Integers:
        """Return all arms of the largest index min(mu + gamma Sigma, cap)."""
        self._fill(self._sums, self._mean, self._std)
        if limits is not FREE:
            return self._best_of(time, gamma, cap, limits)
        ties = largest_index(self._mean, self._std, gamma, cap, self._positions)
        return self._positions[:ties].copy()

    def _best_of(self, time: float, gamma: float, cap: float, limits: Limits) -> Integers:
        mean, std, pending = self._mean, self._std, limits.pending
        index = upper_bound(mean, std, gamma, cap)
        if limits.among is not None:
            index[~limits.among.mask] = -np.inf
        if pending is None:
            return argmaxes(index)
        return best_below(
            index, lambda some: upper_bound(mean[some], pending.lowered(time, some, std[some]), gamma, cap), cap
        )

    def _fill(self, sums: Floats, mean: Floats, std: Floats) -> None:
        # Where every precision has underflowed no observation says more than another.
        average = self._reward_total / self._indexed
        from_sums(sums, self._sharpness, self._rho, average, mean, std)
