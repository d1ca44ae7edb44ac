"""Engines for a part of the arms: a subset that is asked for again and again, or arms that were added."""

from collections import OrderedDict
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.engines.tables.engine import TablesEngine
from quickdraw_bandits.interpolation.engines.tables.screen import Screen
from quickdraw_bandits.interpolation.index import TIE
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.limits import FREE, Limits
from quickdraw_bandits.interpolation.running_sums import RunningSums
from quickdraw_bandits.observations import Observations

REMEMBERED = 4
"""Subsets of which an engine is kept."""
LEAST_SUMMED, MOST_SUMMED = 200_000, 10_000_000
"""Arms times observations within which a subset that is asked for the first time with pending pulls has an engine at
once. Below, a direct sum takes less time, also without pending pulls; above, the engine of all arms does."""
VERY_MANY = 20_000
"""Arms from which on new ones get an engine of their own, ..."""
MOST_ADDED = 4
"""... until there is one for every four of the first arms: then all are put into a new engine."""


class Part:
    """An engine over some of the arms, which learns from observations of all.

    Parameters
    ----------
    arms, kernel, observations
        All arms; as for the other engines.
    positions
        The arms of the part, in ascending order.
    slack
        How far below the largest index those of the best arms may be, as with the engine of all arms. Default 0.
    once
        Whether the part may be asked about only once, so that nothing is kept for later choices.
    """

    def __init__(
        self,
        arms: Arms,
        kernel: Kernel,
        positions: Integers,
        observations: Observations,
        slack: float = 0.0,
        once: bool = False,
    ) -> None:
        self.positions, self.slack = positions, slack
        self._arms, self._seen = arms.part(positions), observations
        self._engine: Engine
        if kernel.time_scale is None:
            self._engine = RunningSums(self._arms, kernel, observations)
        else:
            self._engine = TablesEngine(self._arms, kernel, slack, observations)
            if once:
                self._engine.hold_back()
        self._indexed = 0

    def _learn(self) -> None:
        if self._indexed < self._seen.n:
            self._engine.extend()
            self._indexed = self._seen.n

    def estimate(self, time: float, arms: Integers | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at all arms of the part, or at some, counted within it."""
        self._learn()
        return self._engine.estimate(time, arms)

    def best(self, time: float, gamma: float, cap: float, keep: bool, limits: Limits) -> Integers:
        """Return the positions of the best arms of the part; ``limits.among`` is among its own arms."""
        self._learn()
        if limits.pending is not None:
            limits = limits._replace(pending=limits.pending.on(self._arms))
        return self.positions[self._engine.best(time, gamma, cap, keep, limits)]


class Parts:
    """The engines of the subsets that were asked for last.

    One is built for the second choice; with pending pulls for the first, if it saves time even then.
    """

    _screen: Screen | None = None

    def __init__(self) -> None:
        self._parts: OrderedDict[bytes, Part | None] = OrderedDict()
        self._last: Part | None = None

    def screen(self, arms: Arms, kernel: Kernel, observations: Observations) -> Screen:
        """Return what finds the best of arms that have no engine; the arms and the rest are always the same."""
        if self._screen is None:
            self._screen = Screen(arms, kernel, observations)
        return self._screen

    def get(
        self, arms: Arms, kernel: Kernel, positions: Integers, observations: Observations, slack: float, pending: bool
    ) -> Part | None:
        """Return the engine of a subset, None where it has none yet or can have none; ``slack`` is that of all arms."""
        if arms.metric == "precomputed" or kernel.time_scale is None:  # sums without drift are at hand for every arm
            return None
        if self._last is not None and self._last.positions is positions and self._last.slack == slack:
            return self._last
        key = positions.tobytes()
        known = self._parts.get(key)
        if key not in self._parts:
            once = pending and LEAST_SUMMED <= len(positions) * observations.n <= MOST_SUMMED
            self._parts[key] = Part(arms, kernel, positions, observations, slack, once) if once else None
        elif known is None or known.slack != slack:
            self._parts[key] = Part(arms, kernel, positions, observations, slack)
        self._parts.move_to_end(key)
        while len(self._parts) > REMEMBERED:
            self._parts.popitem(last=False)
        self._last = self._parts[key]
        if self._last is not None:
            self._last.positions = positions  # the same numbers, which may be asked for as this very array again
        return self._last


class GrownEngine(Engine):
    """An engine over the arms there were at first, and one over those that were added: the better of both.

    So arms are added to very many without a new engine for all of them.

    Parameters
    ----------
    arms
        All arms; the first engine has the first ``n_first``.
    kernel, observations
        As for the other engines.
    first, n_first
        The engine of the first arms, and how many they are.
    """

    def __init__(self, arms: Arms, kernel: Kernel, observations: Observations, first: Engine, n_first: int) -> None:
        super().__init__(observations)
        self.first, self.n_first = first, n_first
        self._arms = arms
        self._direct = DirectSum(arms, kernel, observations)
        self._added = Part(arms, kernel, np.arange(n_first, len(arms)), observations)

    @property
    def slack(self) -> float:
        """How far below the largest index those of the best arms may be."""
        return self.first.slack

    @property
    def work(self) -> int:
        """About how many kernel evaluations in float32 take as long as a choice among all arms."""
        return self.first.work

    @property
    def keeps_sums(self) -> bool:
        """Whether both engines have the sums of all their arms at hand."""
        return self.first.keeps_sums

    def extend(self) -> None:
        """Take in the observations that are new in the store."""
        self.first.extend()

    def estimate(self, time: float, arms: Any = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at the given arms, or at all of them, in float64.

        They are summed directly over all observations, or without drift taken from the sums of both engines.
        """
        if not self.keeps_sums:
            return self._direct.estimate(time, self._arms.points, arms)
        some = np.arange(len(self._arms)) if arms is None else arms
        is_new = some >= self.n_first
        mean, std = np.empty(len(some)), np.empty(len(some))
        mean[~is_new], std[~is_new] = self.first.estimate(time, some[~is_new])
        mean[is_new], std[is_new] = self._added.estimate(time, some[is_new] - self.n_first)
        return mean, std

    def best(self, time: float, gamma: float, cap: float, keep: bool = False, limits: Limits = FREE) -> Integers:
        """Return the best of both engines; of both if their indices tie."""
        found = []
        parts = limits.split(self.n_first)
        if parts[0] is not None:
            found.append(self.first.best(time, gamma, cap, keep, parts[0]))
        if parts[1] is not None:
            found.append(self._added.best(time, gamma, cap, keep, parts[1]))
        if len(found) == 1:
            return found[0]
        ends = np.array([found[0][0], found[1][0]])
        one, other = self.index_at(time, ends, gamma, cap, limits.pending)
        if abs(one - other) <= TIE * abs(one):
            return np.concatenate(found)
        return found[0 if one > other else 1]


def grown(engine: Engine, before: Arms, arms: Arms, kernel: Kernel, observations: Observations) -> Engine | None:
    """Return an engine for ``arms``, the first of which an engine serves; None where a new one should serve all."""
    first, n_first = (engine.first, engine.n_first) if isinstance(engine, GrownEngine) else (engine, len(before))
    if n_first < VERY_MANY or MOST_ADDED * (len(arms) - n_first) > n_first:
        return None
    if isinstance(first, TablesEngine) and not first.covers(arms.points[len(before) :]):
        return None
    return GrownEngine(arms, kernel, observations, first, n_first)
