"""The cached engine: any metric and dimension; a round costs the same however long the history."""

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation import compiled, compiled_cache, compiled_screen
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.kernel import Kernel

RECENT = 16
"""Observations of the smallest block; up to twice as many are summed directly every round."""
ALIKE = 4
"""Blocks of one size from which on the two oldest are joined, so that a block is about as old as it is long."""
UNIT_ROUNDOFF = 2.0**-24
SMALLEST_SUM = 1e-30
"""Sums in float32 below this may have lost what underflowed."""
LARGEST_SPREAD = 10.0
"""How far rewards may leave the range that they had when tables were made, in halves of it."""


@dataclass
class Block:
    """Observations from ``begin`` to ``end``, and their sums at the moments ``nodes`` at every arm."""

    begin: int
    end: int
    tables: NDArray[np.float32] | None = None
    start: float = np.inf
    stop: float = -np.inf
    served: int = 0
    waiting: int = 0


class CachedEngine:
    """An arm whose index is within ``tolerance`` of the largest, from sums that are kept for every arm.

    Observations are in blocks, in the order of their arrival, the older the longer: a block is about as old as it is
    long. As a function of time, a precision changes on the scale of its age. So the sums over a block whose youngest
    observation has age A are computed at m = 4 + 2p Chebyshev nodes of the next stretch of length A / 2 and
    interpolated there (see ``FrozenPast`` for the error). Then the block is summed again for the next stretch, which
    costs about m evaluations for every arm and size of block a round. Distances to the latest observations are kept.

    If every precision is known to a relative error e, S0 is off by at most e S0, and S1, with rewards counted from the
    middle of their range of half width H, by at most e S0 H. Hence the mean is off by at most 2 e H / (1 - e) and the
    deviation by a factor 1 ± e / (1 - e). Where these bounds leave it open whether the arm found is within the
    tolerance, those that could be better are summed directly.

    Parameters
    ----------
    arms
        The arms.
    kernel
        The parameters, with a time scale.
    tolerance
        How far from the largest the index of the chosen arm may be.
    """

    def __init__(self, arms: Arms, kernel: Kernel, tolerance: float) -> None:
        self._arms = arms
        self._kernel = kernel
        self._tolerance = tolerance
        self._direct = DirectSum(arms, kernel)
        self._metric = compiled.METRIC_CODES[arms.metric]
        rho = kernel.noise_variance**0.5
        self._rho = rho
        self._weight = (1 / (arms.unit * kernel.length_scale * rho)) ** 2
        p = kernel.sharpness
        m = 4 + 2 * p
        self._error = 2.0 ** (1 - m) * comb(2 * p + m - 1, m) * 4.0**-m * 1.5 ** (2 * p)
        angles = (2 * np.arange(m) + 1) * np.pi / (2 * m)
        self._nodes = np.cos(angles)
        self._node_weights = np.sin(angles) * (-1.0) ** np.arange(m)
        self._basis = np.empty(m)
        self._blocks: list[Block] = []
        self._known = 0
        self._squared = np.empty((2 * RECENT, len(arms)), dtype=np.float32)
        self._sums = np.empty((2, len(arms)), dtype=np.float32)
        self._index = np.empty(len(arms))
        self._buffer = np.empty(compiled.BLOCK)
        self._centre, self._half = 0.0, 0.0

    @property
    def n_observations(self) -> int:
        """How many observations there are."""
        return self._direct.history.n

    def add(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        """Take in observations, in any order of their times."""
        points = np.empty((len(arms), 0)) if self._arms.metric == "precomputed" else self._arms.points[arms]
        self._direct.add(times, arms, rewards, points)

    def estimate(self, time: float, arms: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them, summed directly in float64."""
        return self._direct.estimate(time, self._arms.points if arms is None else self._arms.points[arms])

    def best(self, time: float, gamma: float, cap: float) -> tuple[Integers, Floats]:
        """Return arms and their index min(mu + gamma Sigma, cap), the largest within the tolerance of the best."""
        seen, p = self._direct.history, self._kernel.sharpness
        self._set_units()
        if not np.isfinite(self._half):
            return self._directly(np.arange(len(self._arms)), time, gamma, cap)
        self._set_blocks()
        s0, s1 = self._sums
        self._sums[:] = 0
        size = 1.0
        for block in self._blocks:
            size = max(size, self._add_block(block, time, s0, s1))
        first = self._frozen
        rewards = (seen.rewards[first : seen.n] - self._centre) / self._half
        compiled_cache.add_recent(self._squared, self._terms(time, first, seen.n), rewards, p, s0, s1)
        fine = compiled_cache.largest_index(s0, s1, gamma * self._rho / self._half, p, SMALLEST_SUM, self._index)
        if not fine:
            return self._directly(np.arange(len(self._arms)), time, gamma, cap)
        # Rounding: of every term, of every part of a block, and of the sums over blocks and recent observations.
        longest = max((block.end - block.begin for block in self._blocks), default=0)
        steps = 8 * p + longest / compiled.BLOCK + 2 * RECENT + len(self._nodes) * (len(self._blocks) + 1)
        error = self._error + size * 1.5 ** (2 * p) * steps * UNIT_ROUNDOFF
        slack = error / (1 - error)
        spread = max(seen.largest_reward - self._centre, self._centre - seen.least_reward) / self._half
        # The deviation is the index less the mean, and the mean is at least -spread.
        margin = slack * (2 * spread + np.maximum(self._index + spread, 0.0))
        limit = (cap - self._centre) / self._half
        low = np.minimum(self._index - margin, limit)
        high = np.minimum(self._index + margin, limit)
        chosen = int(self._index.argmax())
        if high.max() - low[chosen] <= self._tolerance / self._half:
            return np.arange(len(low)), np.minimum(self._index, limit) * self._half + self._centre
        return self._directly(np.flatnonzero(high >= low.max()), time, gamma, cap)

    def _directly(self, arms: Integers, time: float, gamma: float, cap: float) -> tuple[Integers, Floats]:
        mean, std = self.estimate(time, arms)
        return arms, np.minimum(mean + gamma * std, cap)

    @property
    def _frozen(self) -> int:
        """How many observations are in blocks."""
        return self._blocks[-1].end if self._blocks else 0

    def _set_units(self) -> None:
        """Count rewards from the middle of their range, in halves of it, until they leave it by far."""
        seen = self._direct.history
        farthest = max(seen.largest_reward - self._centre, self._centre - seen.least_reward)
        if self._half == 0 or not farthest <= LARGEST_SPREAD * self._half:
            half = seen.largest_reward / 2 - seen.least_reward / 2
            self._centre = seen.least_reward + half
            self._half = half if half > 0 else 1.0
            for block in self._blocks:
                block.tables = None

    def _set_blocks(self) -> None:
        """Put all but the latest observations in blocks, and find the distances to the latest."""
        seen = self._direct.history
        before = self._frozen
        while seen.n - self._frozen > 2 * RECENT:
            self._blocks.append(Block(self._frozen, self._frozen + RECENT))
            self._join()
        moved = self._frozen - before
        kept = max(self._known - self._frozen, 0)
        if moved and kept:
            self._squared[:kept] = self._squared[moved : moved + kept]
        for s in range(self._frozen + kept, seen.n):
            row = self._squared[s - self._frozen]
            compiled_cache.distances_from(
                self._metric, self._arms.points, seen.coordinates, seen.arms, s, self._weight, row, self._buffer
            )
        self._known = seen.n

    def _join(self) -> None:
        """Join the two oldest blocks of a size where there are enough of it, from the smallest size up."""
        size = RECENT
        while True:
            alike = [k for k, block in enumerate(self._blocks) if block.end - block.begin == size]
            if len(alike) < ALIKE:
                return
            first = alike[0]
            self._blocks[first : first + 2] = [Block(self._blocks[first].begin, self._blocks[first + 1].end)]
            size *= 2

    def _terms(self, time: float, begin: int, end: int) -> Floats:
        ages = (time - self._direct.history.times[begin:end]) / (self._kernel.time_scale * self._rho)
        return np.asarray(1.0 + ages * ages)

    def _add_block(self, block: Block, time: float, s0: Any, s1: Any) -> float:
        """Add a block's sums at ``time``; return how much interpolation can enlarge errors of its tables."""
        if block.tables is None or not block.start <= time <= block.stop:
            self._sum_block(block, time)
        assert block.tables is not None
        block.served += 1
        if len(block.tables) == 1:
            compiled_cache.add_tables(block.tables, np.ones(1), s0, s1)
            return 1.0
        u = 2 * (time - block.start) / (block.stop - block.start) - 1
        size = compiled_screen.lagrange_basis(u, self._nodes, self._node_weights, self._basis)
        compiled_cache.add_tables(block.tables, self._basis, s0, s1)
        return float(size)

    def _sum_block(self, block: Block, time: float) -> None:
        """Sum a block at the nodes of the stretch ahead.

        At this moment alone where there is no such stretch, because observations are not in the past, and for a while
        where the last stretch served but once, because the clock jumps.
        """
        seen = self._direct.history
        stretch = (time - float(seen.times[block.begin : block.end].max())) / 2
        if block.tables is not None and len(block.tables) > 1 and block.served < 2:
            block.waiting = len(self._nodes)
        moments = time + stretch * (1 + self._nodes) / 2
        if block.waiting or not (stretch > 0 and np.isfinite(stretch)) or moments.min() == moments.max():
            block.waiting = max(block.waiting - 1, 0)
            moments, stretch = np.array([time]), 0.0
        block.start, block.stop, block.served = time, time + stretch, 0
        if block.tables is None or len(block.tables) != len(moments):
            block.tables = np.empty((len(moments), 2, len(self._arms)), dtype=np.float32)
        compiled_cache.block_tables(
            self._metric,
            self._arms.points,
            seen.coordinates,
            seen.arms,
            (seen.rewards[: block.end] - self._centre) / self._half,
            np.array([self._terms(float(moment), block.begin, block.end) for moment in moments]),
            block.begin,
            block.end,
            self._weight,
            self._kernel.sharpness,
            block.tables,
            self._buffer,
        )
