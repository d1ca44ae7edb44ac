"""Several choices at one time, each with the arms chosen before it as pending pulls."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.metrics import Points
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.engines.tables.arm_index import add_pulls, best_so_far
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.limits import PendingPulls
from quickdraw_bandits.numerics.distances import METRIC_CODES

FEWEST = 64
"""Arms at which everything is summed at first; twice as many in every pass after."""
AT_ONCE = 200_000
"""Kernel evaluations of a pass at least: fewer do not take much less time, and later choices need them as well."""
ROOM = 256
"""Pulls that may be added at one time before all are summed again."""
NOBODY = np.empty(0, dtype=np.bool_)


class Asked(NamedTuple):
    """The time, the factor gamma of the deviation, the cap, and how many observations there are."""

    time: float
    gamma: float
    cap: float
    n: int


class Places(NamedTuple):
    """Where the arms lie, as the compiled loop takes it."""

    rows: Points
    columns: Floats
    positions: Integers
    metric: int

    @classmethod
    def of(cls, arms: Arms) -> "Places":
        """Return those of a set of arms."""
        rows, columns = arms.points, np.empty((0, len(arms)))
        if arms.metric != "precomputed":
            # A copy that can be written to, which Numba recognises faster than one that cannot.
            rows, columns = np.array(rows, np.float64), np.array(rows.T, np.float64, order="C")
        return cls(rows, columns, np.arange(len(arms)), METRIC_CODES[arms.metric])


class Moment:
    """The index at every arm at one time, kept up to date while pulls are added at the end of those that are pending.

    Arms that may be the best are made ready: the pulls that were pending at first are summed there, and where the
    tables are not exact enough, mean and deviation are computed again in float64. At the others these pulls are left
    out. They can only lower the index, so that what is kept bounds it from above. A pull that is added later is counted
    at every arm at once.

    Parameters
    ----------
    asked
        The time, and what the index is made of.
    arms, kernel, places
        The arms, the parameters of the interpolation, and where the arms lie.
    mean, deviation
        Of every arm without pending pulls.
    error
        How far the index from these may be off.
    estimate
        Returns mean and deviation at some arms at this time, in float64; None where the error is small enough.
    """

    def __init__(
        self,
        asked: Asked,
        arms: Arms,
        kernel: Kernel,
        places: Places,
        mean: Floats,
        deviation: Floats,
        error: float,
        estimate: Callable[[Integers], tuple[Floats, Floats]] | None,
    ) -> None:
        self.asked = asked
        self._arms, self._kernel = arms, kernel
        # Of two arms whose indices may both be off, that of the larger one is less than twice the error too low.
        self._slack, self._estimate = 0.0 if estimate is None else error, estimate
        self._mean, self._precision = mean, self._as_precision(deviation)
        n = len(arms)
        self._places = places
        self._weight = (1 / (arms.unit * kernel.length_scale)) ** 2
        self._squares, self._index, self._found = np.empty(n), np.empty(n), np.empty(n, dtype=np.int64)
        self._exact = np.zeros(n, dtype=np.bool_)
        self._first: PendingPulls | None = None
        self._n = 0

    def _as_precision(self, deviation: Floats) -> Floats:
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(deviation ** (-2.0 * self._kernel.sharpness))

    def best(self, pending: PendingPulls, among: Subset | None) -> Integers:
        """Return the best arms, as ``TablesEngine.best`` does."""
        self._count(pending)
        (_, gamma, cap, _), barred = self.asked, NOBODY if among is None else ~among.mask
        sums = self._mean, self._precision, self._added, self._ready, barred
        while True:
            n, rivals = best_so_far(*sums, self._slack, gamma, cap, self._kernel.sharpness, self._index, self._found)
            if rivals == 0:
                return self._found[:n].copy()
            self._prepare()

    def _count(self, pending: PendingPulls) -> None:
        """Count pulls that are new; begin again where others than the last have changed."""
        times, arms = pending.times, pending.pulled
        n = len(times)
        if self._first is None or not self._goes_on(times, arms):
            self._times, self._pulled = np.empty(n + ROOM), np.empty(n + ROOM, dtype=np.int64)
            self._times[:n], self._pulled[:n] = times, arms
            self._first = PendingPulls(self._arms, self._kernel, self._times[:n], self._pulled[:n])
            self._added = np.zeros(len(self._arms))
            self._ready = np.zeros(len(self._arms), dtype=np.bool_)
            terms = n if self._estimate is None else n + self.asked.n
            self._at_once = max(FEWEST, AT_ONCE // terms)
        elif n > self._n:
            new = slice(self._n, n)
            self._times[new], self._pulled[new] = times[new], arms[new]
            self._add(self._times[new], self._pulled[new])
        self._n, self._views = n, (times, arms)

    def _goes_on(self, times: Floats, arms: Integers) -> bool:
        n, before = self._n, self._views
        if not n <= len(times) <= len(self._times):
            return False
        if times.base is not None and times.base is before[0].base and arms.base is before[1].base:
            return True  # pulls are only ever added to arrays of ``Pending``
        return bool((times[:n] == self._times[:n]).all() and (arms[:n] == self._pulled[:n]).all())

    def _add(self, times: Floats, pulled: Integers) -> None:
        kernel = self._kernel
        assert kernel.time_scale is not None
        terms = kernel.noise_variance + ((self.asked.time - times) / kernel.time_scale) ** 2
        add_pulls(*self._places, pulled, terms, self._weight, kernel.sharpness, self._squares, self._added)

    def _prepare(self) -> None:
        """Make the most promising of the other arms ready."""
        assert self._first is not None
        some = self._most_promising()
        self._added[some] += self._as_precision(self._first.alone(self.asked.time, some))
        if self._estimate is not None:
            new = some[~self._exact[some]]
            self._mean[new], deviation = self._estimate(new)
            self._precision[new] = self._as_precision(deviation)
            self._exact[new] = True
        self._ready[some] = True
        self._at_once *= 2

    def _most_promising(self) -> Integers:
        """Return the arms of the largest index of those that are not ready."""
        if self._at_once >= len(self._ready):
            return (~self._ready).nonzero()[0]
        some = np.argpartition(np.where(self._ready, -np.inf, self._index), -self._at_once)[-self._at_once :]
        return np.sort(some[~self._ready[some]])
