"""The tree engine: millions of euclidean arms, or a continuum, against any number of observations."""

import copy
from itertools import product
from math import inf
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.engine import Contenders, Engine
from quickdraw_bandits.interpolation.engines.tree.arm_tree import ArmTree
from quickdraw_bandits.interpolation.engines.tree.bounds import ROUNDING
from quickdraw_bandits.interpolation.engines.tree.boxes import FULL, VANISHED, Query, Workspace
from quickdraw_bandits.interpolation.engines.tree.observation_trees import ObservationTrees
from quickdraw_bandits.interpolation.engines.tree.pulls import pulls_and_groups
from quickdraw_bandits.interpolation.engines.tree.search import search
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.limits import FREE, Limits, PendingPulls
from quickdraw_bandits.interpolation.reference import upper_bound
from quickdraw_bandits.numerics.ties import argmaxes, pick
from quickdraw_bandits.observations import Observations

FIRST_BOXES = 1024
FIRST_LIST = 2**18
LEAST_ROOM = 4
"""Before a search, at least 1 / ``LEAST_ROOM`` of all room for boxes is free."""
LONGEST_LIST = 16
"""Room for lists is doubled after a search that lists more than 1 / ``LONGEST_LIST`` of what fits."""
MOST_FRESH = 16
"""New observations between two choices above which boxes are dropped rather than updated."""
FARTHEST = 1e70
"""Scaled times beyond this count as this far, where every precision is zero in float64 anyway.

Bounds hold the fourth power of differences, which must not exceed the largest number."""
BACK_FADES = 0.9
"""Part of how far the clock went back that is still reckoned with at the next choice."""
CHEAP = 1_000_000
"""Arms times observations up to which a finer tolerance is used, since it costs little then."""
FINER = 1e-2
"""Part of the tolerance that is used then."""
FINEST_TIME = 1e-10
"""Rounding of scaled times that matters to no precision: they are known to such a part of themselves then."""
LARGEST_REWARD = 1e100
"""Rewards above this are kept in a larger unit, so that their sums do not overflow."""


class TreeEngine(Engine):
    """An arm whose index is within ``tolerance`` of the largest, found by branch and bound over boxes of arms.

    For a box of arms and a stretch of time, every group of observations far enough away contributes to S0 = sum nu_s
    and to S1 = sum nu_s y_s a polynomial of second degree in place and time, with a bound of what is left out. The
    polynomials bound the index over the box from both sides. The box of the highest bound is split, until one is found
    whose lower bound is within the tolerance of the highest bound left. Boxes and their polynomials stay for the
    rounds that follow: a new observation is added to each, and only those whose time is up, or whose bound has come
    close to the largest, are refined. The formulas are in docs/engines/tree.md.

    **Ties.** Arms within the tolerance of the cap count as at the cap, and each is as likely. Below the cap, arms that
    share the best place are, and so are the arms of a box whose bounds are within the tolerance of each other.

    Parameters
    ----------
    arms
        Euclidean arms of up to three dimensions, or a ``Box``.
    kernel
        The parameters; ``time_scale=None`` leaves time out.
    tolerance
        How far from the largest the index of the chosen arm may be, in units of the reward. A larger one is faster. It
        is raised to 1e-10 of the index or of the range of the rewards, since float64 tells no smaller differences.
    observations
        The policy's store.
    random
        Seeds the keys that break ties at the cap.
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
        self._tree = ArmTree.build(arms, 1 / (arms.unit * kernel.length_scale * self._rho))
        self._trees = ObservationTrees(arms.dimension + 1)
        self._direct = DirectSum(arms, kernel, observations)
        self._start = 0.0
        self._unit = 1.0
        self._cheap = CHEAP
        self._none_fresh = np.empty((0, arms.dimension + 2))
        self._fresh: list[Floats] = []
        self._none_pending = np.empty((0, arms.dimension + 1))
        self._last = inf
        self._back = 0.0
        self._most_slots = 0
        keys = random.integers(2**63, size=1, dtype=np.uint64)
        self._work = Workspace.allocate(arms.dimension, FIRST_BOXES, FIRST_LIST, keys)

    @property
    def slack(self) -> float:
        """How far below the largest index those of the best arms may be."""
        return self._tolerance

    def extend(self) -> None:
        """Take in the observations that are new in the store."""
        if self._trees.n == 0:
            self._start = float(self._seen.times[0])
        self._set_unit()
        rows = self._rows(slice(self._trees.n, self._seen.n))
        self._trees.add(rows)
        self._fresh.append(rows)
        if len(rows) > MOST_FRESH or len(self._fresh) > MOST_FRESH:
            self._forget_boxes()

    def estimate(self, time: float, arms: Any = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them, summed directly in float64."""
        if isinstance(self._arms, Box):
            return self._direct.estimate(time, arms)
        return self._direct.estimate(time, self._arms.points if arms is None else self._arms.points[arms])

    def forked(self) -> "TreeEngine":
        """Return an engine with a copy of the boxes."""
        shared = (self._arms, self._seen, self._direct, self._tree, self._trees)
        return copy.deepcopy(self, {id(kept): kept for kept in shared})

    def best(self, time: float, gamma: float, cap: float, keep: bool = False, limits: Limits = FREE) -> Integers:
        """Return the arms that ``choose`` may return, from a search that goes on until all are found.

        Without ``keep``, a copy is searched.
        """
        if isinstance(self._arms, Box):
            raise NotImplementedError("a Box has infinitely many arms, so that the best cannot be listed")
        twin = self if keep else self.forked()
        tied = np.zeros(len(self._arms), dtype=np.bool_)
        box = twin._search(time, gamma, cap, tied, limits)
        if box == VANISHED:
            twin._forget_boxes()
            some = limits.positions(len(self._arms))
            return some[argmaxes(self.index_at(time, some, gamma, cap, limits.pending))]
        position, begin, end = twin._result(box)
        if tied.any():
            found = self._tree.permutation[np.flatnonzero(tied)].astype(np.int64)
        elif position >= 0:
            found = self._tree.at_place_of(position)
        else:
            found = self._tree.permutation[begin:end].astype(np.int64)
        if limits.among is not None:
            found = found[limits.among.mask[found]]
        return np.sort(found)

    def choose(self, time: float, gamma: float, cap: float, random: np.random.Generator, limits: Limits = FREE) -> Any:
        """Return an arm whose index is within the tolerance of the largest."""
        if limits is not FREE and not isinstance(self._arms, Box):
            return super().choose(time, gamma, cap, random, limits)
        box = self._search(time, gamma, cap, self._work.tied, limits)
        if box == VANISHED:
            self._forget_boxes()
            return self._best_of_some(time, gamma, cap, random)
        if isinstance(self._arms, Box):
            d = self._arms.dimension
            low, high = self._work.boxes[box]["lower"][:d], self._work.boxes[box]["upper"][:d]
            place = low + random.random(d) * (high - low)
            return np.clip(place / self._tree.weight + self._tree.origin, self._arms.low, self._arms.high)
        return self._drawn(box, random)

    def contenders(self, time: float, gamma: float, cap: float, random: np.random.Generator) -> Contenders:
        """Return the arm that ``choose`` would return, and its key if it was drawn from all at the cap."""
        box = self._search(time, gamma, cap, self._work.tied, FREE)
        if box == VANISHED:
            self._forget_boxes()
            return Contenders(np.array([self._best_of_some(time, gamma, cap, random)]))
        found = self._work.boxes[box]
        key = float(found["key"]) if found["high"] >= cap / self._unit else inf
        return Contenders(np.array([self._drawn(box, random)]), key)

    def _drawn(self, box: int, random: np.random.Generator) -> int:
        """Return an arm of a box of the best ones."""
        position, begin, end = self._result(box)
        if position < 0:
            position = begin if end - begin == 1 else int(random.integers(begin, end))
        return int(self._tree.permutation[position])

    def _search(self, time: float, gamma: float, cap: float, tied: np.ndarray, limits: Limits) -> int:
        """Return a box of the best arms, or VANISHED; mark all arms at the cap if ``tied`` has room for them."""
        self._set_start(float(time))
        now = float(self._scaled_times(np.array(time)))
        fresh = self._fresh[0] if len(self._fresh) == 1 else np.concatenate([self._none_fresh, *self._fresh])
        self._fresh = []
        if len(fresh) > MOST_FRESH or self._slots > self._most_slots:
            self._forget_boxes()
        if self._tree.discrete and LEAST_ROOM * self._work.room < len(self._work.boxes):
            # A search that runs out of room has to forget all boxes, and the next one to make all of them again.
            self._work = self._work.larger()
        unit, tolerance = self._unit, self._tolerance
        least, largest = self._seen.least_reward / unit, self._seen.largest_reward / unit
        if self._tree.discrete and len(self._tree.permutation) * self._trees.n <= self._cheap:
            tolerance *= FINER
        # A clock that goes back, as that of several threads does, will do so again.
        self._back = max(self._last - now, BACK_FADES * self._back) if self._last < inf else 0.0
        query = Query(
            dims=(0,) * self._arms.dimension,
            now=now,
            step=abs(now - self._last),
            back=self._back,
            gamma=gamma * self._rho / unit,
            cap=cap / unit,
            sharpness=self._kernel.sharpness,
            least=least,
            largest=largest,
            tolerance=max(tolerance / unit, ROUNDING * (largest - least)),
            **pulls_and_groups(self._pulls(limits.pending)),
        )
        self._last = now
        box, listed_before = FULL, self._work.listed
        while box == FULL:
            learned = fresh if self._slots else self._none_fresh
            work = self._work._replace(tied=tied)
            if limits.among is not None:
                mask = limits.among.mask
                # Compiled code is for arrays that can be written to: it would be compiled again for others.
                work = work._replace(allowed=mask if mask.flags.carray else mask.copy())
            box = search(query, self._trees.trees, learned, self._tree, work)
            if box == FULL:
                size = 2 * len(work.boxes), 2 * len(work.lists)
                self._work = Workspace.allocate(self._arms.dimension, *size, work.keys)
                self._most_slots, listed_before = 0, self._work.listed
        if self._tree.discrete and LONGEST_LIST * self._work.listed_since(listed_before) > len(self._work.lists):
            # As with boxes: some searches list several times as much as those before them.
            self._work = self._work.with_longer_lists()
        if self._most_slots == 0:
            self._most_slots = 4 * self._slots + FIRST_BOXES
        return box

    def _pulls(self, pending: PendingPulls | None) -> Floats:
        """Return scaled place and time of every pending pull."""
        if pending is None:
            return self._none_pending
        return np.column_stack([self._tree.scaled(pending.coordinates), self._scaled_times(pending.times)])

    def _result(self, box: int) -> tuple[int, int, int]:
        """Return the position of the arm to choose or -1, and the range of the box in the order of the arm tree."""
        counters = self._work.counters[0]
        return int(self._work.boxes[box]["arm"]), int(counters["begin"]), int(counters["end"])

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
        """Return some of the observations as rows of the trees."""
        seen = self._seen
        times, rewards = seen.times[which], seen.rewards[which]
        rows = np.empty((len(times), self._arms.dimension + 2))
        rows[:, :-2] = self._tree.scaled(seen.coordinates[:, which].T)
        rows[:, -2] = self._scaled_times(times)
        rows[:, -1] = rewards / self._unit
        return rows

    def _scaled_times(self, times: Floats) -> Floats:
        """Return times counted from the first observation, in units of l_t rho."""
        with np.errstate(over="ignore"):
            return np.asarray(np.clip((times - self._start) * self._time_weight, -FARTHEST, FARTHEST))

    def _set_start(self, time: float) -> None:
        """Count times from ``time`` on if they are small and the first one was not, so that sums would be rounded.

        That builds the trees anew. Since the new start is less than a third of the old one, it hardly ever happens.
        """
        away = abs(time - self._start)
        if away > 4 * abs(time) and np.spacing(away) * self._time_weight > FINEST_TIME:
            self._start = time
            self._trees = ObservationTrees(self._arms.dimension + 1)
            self._trees.add(self._rows(slice(0, self._seen.n)))
            self._forget_boxes()

    def _set_unit(self) -> None:
        """Count rewards in a unit in which the sums of the largest do not overflow."""
        seen = self._seen
        size = max(abs(seen.least_reward), abs(seen.largest_reward)) / self._unit
        if size > LARGEST_REWARD:
            change = 2.0 ** -int(np.log2(size))
            self._unit /= change
            self._trees.rescale_rewards(change)
            self._forget_boxes()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # Copies of arrays can be written to, and compiled code is for those that cannot: it would be compiled again.
        self._tree.points.setflags(write=False)

    @property
    def _slots(self) -> int:
        """How many slots of the table of boxes were ever used."""
        return int(self._work.counters[0]["slots"])

    def _forget_boxes(self) -> None:
        """Drop all boxes; the next search starts from one, which needs to learn nothing."""
        self._work.counters[:] = 0
        self._most_slots = 0
        self._fresh = []
