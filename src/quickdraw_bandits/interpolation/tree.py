"""The tree engine: millions of euclidean arms, or a continuum, against any number of observations."""

import copy
from itertools import product
from math import inf
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation import compiled_boxes as tables
from quickdraw_bandits.interpolation import compiled_search as search
from quickdraw_bandits.interpolation.arm_tree import ArmTree
from quickdraw_bandits.interpolation.compiled_batch import BATCH, BATCH_ROWS
from quickdraw_bandits.interpolation.compiled_expansion import n_terms
from quickdraw_bandits.interpolation.compiled_forest import arm_range, reward_columns
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.forest import Forest
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.plain import upper_bound
from quickdraw_bandits.numerics.ties import argmaxes, pick
from quickdraw_bandits.observations import Observations

FIRST_BOXES = 1024
FIRST_LIST = 2**18
MOST_FRESH = 16
"""New observations between two choices above which boxes do not learn them but are looked at again."""
FARTHEST = 1e90
"""Scaled times beyond this count as this far, where every precision is zero in float64 anyway."""
CHEAP = 1_000_000
"""Arms times observations up to which an arm all but the best is not good enough, since the best is found soon."""
FINER = 1e-2
"""Part of the tolerance that is used then."""
FINEST_TIME = 1e-10
"""Rounding of scaled times that matters to no precision: they are known to such a part of themselves then."""
LARGEST_REWARD = 1e100
"""Rewards above this are kept in a larger unit, so that their sums do not overflow."""


class TreeEngine(Engine):
    """An arm whose index is within ``tolerance`` of the largest, found by bounding boxes of arms.

    For a box of arms and a stretch of time, every group of observations far enough away contributes to S0 = sum nu_s
    and to S1 = sum nu_s y_s a polynomial of second degree in place and time, with a bound of what is left out. The
    polynomials bound the index over the box from both sides. The box of the highest bound is split, until one is found
    whose lower bound is within the tolerance of the highest bound left. Boxes and their polynomials stay for the
    rounds that follow: a new observation is added to each, and only those whose time is up, or whose bound has come
    close to the largest, are looked at again. The formulas are in ``compiled_search``.

    The tolerance is absolute. It is raised to 1e-10 of the index or of the range of the rewards where that is more,
    since float64 can tell no smaller differences.

    Parameters
    ----------
    arms
        Euclidean arms of up to three dimensions, or a ``Box``.
    kernel
        The parameters; ``time_scale=None`` leaves time out.
    tolerance
        How far from the largest the index of the chosen arm may be.
    observations
        The policy's store.
    random
        Seeds the keys that break ties at the cap: every arm that reaches it is as likely.
    """

    def __init__(
        self,
        arms: Arms | Box,
        kernel: Kernel,
        tolerance: float,
        observations: Observations,
        random: np.random.Generator,
    ) -> None:
        super().__init__(observations)
        self._arms = arms
        self._kernel = kernel
        self._tolerance = tolerance
        self._rho = kernel.noise_variance**0.5
        self._time_weight = 0.0 if kernel.time_scale is None else 1 / (kernel.time_scale * self._rho)
        self._tree = ArmTree(arms, 1 / (arms.unit * kernel.length_scale * self._rho))
        self._forest = Forest(arms.dimension + 1)
        self._direct = DirectSum(arms, kernel, observations)
        self._dims = (0,) * arms.dimension
        self._start = 0.0
        self._unit = 1.0
        self._state = random.integers(2**63, size=1, dtype=np.uint64)
        self._cheap = CHEAP
        self._none_fresh = np.empty((0, arms.dimension + 2))
        self._fresh: list[Floats] = []
        self._last = inf
        self._most_slots = 0
        self._allocate(FIRST_BOXES, FIRST_LIST)

    def extend(self) -> None:
        """Take in the observations that are new in the store."""
        if self._forest.n == 0:
            self._start = float(self._seen.times[0])
        self._set_unit()
        rows = self._rows(slice(self._forest.n, self._seen.n))
        self._forest.add(rows)
        self._fresh.append(rows)
        if len(rows) > MOST_FRESH or len(self._fresh) > MOST_FRESH:
            self._fresh = []
            self._forget_boxes()

    def estimate(self, time: float, arms: Any = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them, summed directly in float64."""
        if isinstance(self._arms, Box):
            return self._direct.estimate(time, arms)
        return self._direct.estimate(time, self._arms.points if arms is None else self._arms.points[arms])

    def best(self, time: float, gamma: float, cap: float) -> Integers:
        """Return all arms at the cap if there are any; otherwise the arm that a copy of the engine chooses."""
        if isinstance(self._arms, Box):
            raise NotImplementedError("a Box has no end of arms, so that the best cannot be listed")
        mean, std = self._direct.estimate(time, self._arms.points)
        index = upper_bound(mean, std, gamma, cap)
        ties = argmaxes(index)
        if index[ties[0]] >= cap:
            return ties
        shared = {id(kept): kept for kept in (self._arms, self._seen, self._direct, self._tree)}
        twin = copy.deepcopy(self, shared)
        arm = twin.choose(time, gamma, cap, np.random.default_rng(0))
        return ties if arm in ties else np.array([arm])

    def choose(self, time: float, gamma: float, cap: float, random: np.random.Generator) -> Any:
        """Return an arm whose index is within the tolerance of the largest; all arms at the cap are as likely."""
        self._set_start(float(time))
        now = min(max((float(time) - self._start) * self._time_weight, -FARTHEST), FARTHEST)
        fresh = self._fresh[0] if len(self._fresh) == 1 else np.concatenate([self._none_fresh, *self._fresh])
        self._fresh = []
        if len(fresh) > MOST_FRESH or self._counters[tables.SLOTS] > self._most_slots:
            self._forget_boxes()
        step, self._last = abs(now - self._last), now
        while (box := self._search(fresh, now, step, gamma, cap)) == tables.FULL:
            self._allocate(2 * len(self._boxes), 2 * len(self._lists))
        if self._most_slots == 0:
            self._most_slots = 4 * int(self._counters[tables.SLOTS]) + FIRST_BOXES
        if box == search.VANISHED:
            self._forget_boxes()
            return self._best_of_some(time, gamma, cap, random)
        return self._arm_of(box, random)

    def _search(self, fresh: Floats, now: float, step: float, gamma: float, cap: float) -> int:
        forest, tree, seen = self._forest, self._tree, self._seen
        least, largest = seen.least_reward / self._unit, seen.largest_reward / self._unit
        if self._counters[tables.SLOTS] == 0:
            fresh = self._none_fresh
        tolerance = self._tolerance
        if tree.discrete and len(tree.permutation) * forest.n <= self._cheap:
            tolerance *= FINER
        box: int = search.search(
            self._dims,
            forest.rows,
            forest.nodes,
            forest.first,
            forest.buffered,
            forest.occupied,
            fresh,
            now,
            step,
            gamma * self._rho / self._unit,
            cap / self._unit,
            self._kernel.sharpness,
            least,
            largest,
            max(tolerance / self._unit, search.ROUNDING * (largest - least)),
            tree.discrete,
            tree.bounds,
            tree.points,
            tree.permutation,
            tree.origin,
            tree.weight,
            self._state,
            self._boxes,
            self._corners,
            self._links,
            self._sums,
            self._folds,
            self._close,
            self._free,
            self._lists,
            self._stack,
            self._work,
            self._batch,
            self._pending,
            self._heap,
            self._counters,
            self._path,
            self._times,
        )
        return box

    def _arm_of(self, box: int, random: np.random.Generator) -> Any:
        """Return the best arm of a box, or any where they were not told apart."""
        if not self._tree.discrete:
            d = self._arms.dimension
            low, high = self._corners[box, :d], self._corners[box, d + 1 : 2 * d + 1]
            place = low + random.random(d) * (high - low)
            return np.clip(place / self._tree.weight + self._tree.origin, self._arms.low, self._arms.high)  # type: ignore[union-attr]
        node = int(self._links[box, tables.NODE])
        position = int(self._links[box, tables.ARM])
        if position < 0:
            begin, end = arm_range(node, len(self._tree.points))
            position = begin if end - begin == 1 else int(random.integers(begin, end))
        return int(self._tree.permutation[position])

    def _best_of_some(self, time: float, gamma: float, cap: float, random: np.random.Generator) -> Any:
        """Return the best of all arms, or for a box the best of its corners and some observed places.

        For observations so far away, beyond 1e33 times rho, that their precisions vanish in float64. The direct sum
        scales them; a continuum is not searched any further then.
        """
        if isinstance(self._arms, Box):
            corners = np.array(list(product(*zip(self._arms.low, self._arms.high, strict=True))))
            points = np.concatenate([corners, self._seen.coordinates[:, : min(self._seen.n, 100)].T])
        else:
            points = self._arms.points
        mean, std = self._direct.estimate(time, points)
        arm = pick(argmaxes(upper_bound(mean, std, gamma, cap)), random)
        return points[arm] if isinstance(self._arms, Box) else arm

    def _rows(self, which: slice) -> Floats:
        """Return some of the observations as rows of the forest."""
        seen = self._seen
        times, rewards = seen.times[which], seen.rewards[which]
        rows = np.empty((len(times), self._arms.dimension + 2))
        rows[:, :-2] = self._tree.scaled(seen.coordinates[:, which].T)
        # Times are counted from the first observation, in units of l_t rho.
        with np.errstate(over="ignore"):
            rows[:, -2] = np.clip((times - self._start) * self._time_weight, -FARTHEST, FARTHEST)
        rows[:, -1] = rewards / self._unit
        return rows

    def _set_start(self, time: float) -> None:
        """Count times from ``time`` on if they are small and the first one was not, so that sums would be rounded.

        That builds the forest anew. Since the new start is less than a third of the old one, it hardly ever happens.
        """
        away = abs(time - self._start)
        if away > 4 * abs(time) and np.spacing(away) * self._time_weight > FINEST_TIME:
            self._start = time
            self._forest = Forest(self._arms.dimension + 1)
            self._forest.add(self._rows(slice(0, self._seen.n)))
            self._fresh = []
            self._forget_boxes()

    def _set_unit(self) -> None:
        """Count rewards in a unit in which the sums of the largest do not overflow."""
        seen = self._seen
        size = max(abs(seen.least_reward), abs(seen.largest_reward)) / self._unit
        if size > LARGEST_REWARD:
            change = 2.0 ** -int(np.log2(size))
            self._unit /= change
            # Rows that are not in use hold anything.
            with np.errstate(all="ignore"):
                self._forest.rows[:, -1] *= change
                self._forest.nodes[:, reward_columns(self._forest.dimension)] *= change
            self._forget_boxes()

    def _forget_boxes(self) -> None:
        self._counters[:] = 0
        self._most_slots = 0

    def _allocate(self, boxes: int, length: int) -> None:
        """Make room for so many boxes, and for lists of so many groups of observations; no box is kept."""
        d = self._arms.dimension
        terms = n_terms(d + 1)
        self._boxes = np.empty((boxes, tables.BOX_COLUMNS))
        self._corners = np.empty((boxes, 2 * (d + 1)))
        self._links = np.empty((boxes, tables.LINK_COLUMNS), dtype=np.int32)
        self._sums = np.empty((boxes, 2 * terms))
        self._folds = np.empty((boxes, 2 * terms))
        self._close = np.empty((boxes, tables.NEAR, 3))
        self._free = np.empty(boxes, dtype=np.int32)
        self._heap = np.empty(boxes, dtype=np.int32)
        self._lists = np.empty(length, dtype=np.int32)
        self._stack = np.empty(4096, dtype=np.int32)
        self._work = np.zeros((5, 2 * terms))
        self._batch = np.zeros((d + 1 + BATCH_ROWS, BATCH))
        self._pending = np.empty((2, BATCH), dtype=np.int32)
        self._path = np.empty(4096, dtype=np.int32)
        self._times = np.empty(4096)
        self._counters = np.zeros(tables.N_COUNTERS, dtype=np.int64)
        self._most_slots = 0
