"""Several choices at one time, each with the arms chosen before it as pending pulls."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.limits import PendingPulls
from quickdraw_bandits.interpolation.tables.arm_index import add_pulls, fill_index
from quickdraw_bandits.numerics.distances import METRIC_CODES
from quickdraw_bandits.numerics.ties import argmaxes

HIGHEST = 64
"""Arms at which pulls are summed at first; twice as many in every pass after."""
OVERHEAD = 10_000
"""Kernel evaluations that take about as long as the call that asks for them: so many are made ahead."""
ROOM = 256
"""Pulls that may be added at one time before all are summed again."""


class Asked(NamedTuple):
    """The time, the factor gamma of the deviation, the cap, and how many observations there are."""

    time: float
    gamma: float
    cap: float
    n: int


class Moment:
    """The index at every arm at one time, kept up to date while pulls are added at the end of those that are pending.

    Pulls that were pending at first are summed only at arms that may be the best. Elsewhere they are left out: they
    can only lower the index, so that what is kept there bounds it from above. A pull that is added later is counted at
    every arm at once. Estimates in float64, which tell arms apart that are nearly as good, are made once for each arm.

    Parameters
    ----------
    asked
        The time, and what the index is made of.
    arms, kernel
        The arms, and the parameters of the interpolation.
    mean, deviation
        Of every arm without pending pulls.
    error
        How far the index from these may be off.
    estimate
        Returns mean and deviation at some arms at this time, in float64.
    """

    def __init__(
        self,
        asked: Asked,
        arms: Arms,
        kernel: Kernel,
        mean: Floats,
        deviation: Floats,
        error: float,
        estimate: Callable[[Integers], tuple[Floats, Floats]],
    ) -> None:
        self.asked = asked
        self._arms, self._kernel = arms, kernel
        self._error, self._estimate = error, estimate
        self._mean, self._precision = mean, self._as_precision(deviation)
        n = len(arms)
        columns = np.empty((0, n)) if arms.metric == "precomputed" else np.array(arms.points.T, np.float64, order="C")
        self._places = arms.points, columns, np.arange(n), METRIC_CODES[arms.metric]
        self._weight = (1 / (arms.unit * kernel.length_scale)) ** 2
        self._squares, self._index = np.empty(n), np.empty(n)
        self._exact_mean, self._exact_precision = np.full(n, np.nan), np.empty(n)
        self._first: PendingPulls | None = None

    def _as_precision(self, deviation: Floats) -> Floats:
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(deviation ** (-2.0 * self._kernel.sharpness))

    def best(self, pending: PendingPulls, among: Subset | None, tolerance: float) -> Integers:
        """Return the best arms, as ``TablesEngine.best`` does."""
        self._count(pending)
        asked, p, barred = self.asked, self._kernel.sharpness, None if among is None else ~among.mask
        index = self._index
        while True:
            fill_index(self._mean, self._precision, self._added, asked.gamma, asked.cap, p, index)
            if barred is not None:
                index[barred] = -np.inf
            some: Integers = (index >= index.max() - 2 * self._error).nonzero()[0]
            if self._summed[some].all():
                break
            self._sum_first()
        if len(some) == 1:
            return some
        if 4 * self._error <= tolerance:
            return some[argmaxes(index[some])]
        means = self._exact_mean[some]
        if np.isnan(means).any():
            self._estimate_at(some[np.isnan(means)])
            means = self._exact_mean[some]
        exact = np.empty(len(some))
        fill_index(means, self._exact_precision[some], self._added[some], asked.gamma, asked.cap, p, exact)
        return some[argmaxes(exact)]

    def _estimate_at(self, some: Integers) -> None:
        """Estimate at arms where it was not done, and at others that later choices may need."""
        ahead = OVERHEAD // self.asked.n
        if ahead > len(some):
            some = np.union1d(some, self._most_promising(~np.isnan(self._exact_mean), ahead))
        self._exact_mean[some], deviation = self._estimate(some)
        self._exact_precision[some] = self._as_precision(deviation)

    def _most_promising(self, done: NDArray[np.bool_], count: int) -> Integers:
        """Return the arms of the largest index of those that are not done."""
        if count >= len(done):
            return (~done).nonzero()[0]
        some = np.argpartition(np.where(done, -np.inf, self._index), -count)[-count:]
        return some[~done[some]]

    def _count(self, pending: PendingPulls) -> None:
        """Count pulls that are new; begin again where others than the last have changed."""
        times, arms = pending.times, pending.pulled
        n = len(times)
        if self._first is None or not self._goes_on(times, arms):
            self._times, self._pulled = np.empty(n + ROOM), np.empty(n + ROOM, dtype=np.int64)
            self._times[:n], self._pulled[:n], self._n = times, arms, n
            self._first = PendingPulls(self._arms, self._kernel, self._times[:n], self._pulled[:n])
            self._added = np.zeros(len(self._arms))
            self._summed = np.zeros(len(self._arms), dtype=np.bool_)
            self._at_once = max(HIGHEST, OVERHEAD // n)
        elif n > self._n:
            new = slice(self._n, n)
            self._times[new], self._pulled[new] = times[new], arms[new]
            self._add(self._times[new], self._pulled[new])
            self._n = n

    def _goes_on(self, times: Floats, arms: Integers) -> bool:
        n = self._n
        if not n <= len(times) <= len(self._times):
            return False
        return bool((times[:n] == self._times[:n]).all() and (arms[:n] == self._pulled[:n]).all())

    def _add(self, times: Floats, pulled: Integers) -> None:
        kernel = self._kernel
        assert kernel.time_scale is not None
        with np.errstate(over="ignore"):
            terms = kernel.noise_variance + ((self.asked.time - times) / kernel.time_scale) ** 2
        add_pulls(*self._places, pulled, terms, self._weight, kernel.sharpness, self._squares, self._added)

    def _sum_first(self) -> None:
        """Count the first pulls at the most promising of the arms where they were left out."""
        assert self._first is not None
        some = self._most_promising(self._summed, self._at_once)
        self._added[some] += self._as_precision(self._first.alone(self.asked.time, some))
        self._summed[some] = True
        self._at_once *= 2
