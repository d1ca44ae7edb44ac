"""Sums over old observations as functions of time: what is in which tables, and until when they serve."""

from functools import cached_property
from typing import Any, Self

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.engines.tables.far_past import FarPast
from quickdraw_bandits.interpolation.engines.tables.geometry import UNIT_ROUNDOFF, Geometry
from quickdraw_bandits.interpolation.engines.tables.level import Level, Served, serves
from quickdraw_bandits.interpolation.engines.tables.node_sums import ScaledArms, Units
from quickdraw_bandits.interpolation.engines.tables.nodes import TimeNodes
from quickdraw_bandits.interpolation.engines.tables.table_sums import ERROR_OF_NODES, TableSums
from quickdraw_bandits.interpolation.engines.tables.turns import RECENT, Turns, left_out, top_number
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.numerics.distances import METRIC_CODES
from quickdraw_bandits.observations import Observations

SHORTEST = 1e-250
"""A stretch must not be shorter, lest its parts underflow."""
BACK_FADES = 0.9
"""Part of how far the clock went back that is still reckoned with at the next choice: stretches start earlier by it."""
LARGEST_SPREAD = 10.0
"""How far rewards may leave the range that they had when tables were made, in halves of it."""
FOUND_AGAIN = {"_heir", "_first", "_far_known", "_far_groups", "_grouped", "_soonest"}
"""Attributes that are not saved."""


class Levels(TableSums):
    """Tables of sums over all but the latest observations, on stretches of time that grow with their age.

    As a function of time, the precision of an observation changes on the scale of its age. Level j has the sums over
    all but the latest 16 · 2^j observations, at a few Chebyshev nodes of a stretch about as long as they are old. It
    is made from the level above, which is a polynomial on a longer stretch and so is carried over without error, and
    from the observations in between. A choice needs only the lowest level and the latest observations. Every level
    takes a few kernel evaluations per arm and round.

    A level that takes long to make is cut into blocks of arms, each with a stretch of its own. They are made in turns
    (``Turns``), so that no round waits for all of them.

    Parameters
    ----------
    arms, kernel, observations
        As for ``TablesEngine``.
    """

    _heir: "Levels | None" = None  # a fork that is ahead by no more than what it was asked about
    _first: "tuple[float, dict[str, Any]] | None" = None  # what a fork was first asked about, and its state then

    def __init__(self, arms: Arms, kernel: Kernel, observations: Observations) -> None:
        assert kernel.time_scale is not None
        self._kernel = kernel
        self._seen = observations
        self.nodes = TimeNodes(kernel.sharpness)
        rho = kernel.noise_variance**0.5
        self.units = Units(kernel.time_scale * rho, 0.0, 0.0)
        self._geometry = Geometry(arms)
        weight = (1 / (arms.unit * kernel.length_scale * rho)) ** 2
        self.arms = ScaledArms(METRIC_CODES[arms.metric], arms.points, self._geometry.centre, weight)
        self._node_error = ERROR_OF_NODES / self.nodes.growth
        self._far = FarPast(
            arms, self._geometry.centre, self._geometry.radius, weight, kernel.sharpness, self._node_error
        )
        self._latest: Floats = np.empty(0)  # the latest time among the first observations, for every number of them
        self._indexed = 0
        self._once = self._geometry.rounding(kernel.sharpness)
        self._turns = Turns(len(arms), len(self.nodes), self.nodes.share)
        self._levels: dict[int, list[Level | None]] = {}  # the blocks of every level, by its number
        self._turned = 0  # observations at the last choice
        # For every block of the lowest level: choices that it served, and for how many it is made for one alone.
        self._served = [0] * self._turns.count(0)
        self._waiting = [0] * self._turns.count(0)
        self._last = np.inf
        self._back = 0.0  # how far the clock went back lately, as that of several threads does
        self._reuse = True
        self._none = np.empty((0, 2, len(arms)), dtype=np.float32)

    @property
    def kernel(self) -> Kernel:
        """The parameters of the interpolation."""
        return self._kernel

    def fork(self) -> Self:
        """Return a copy that can be advanced without changing this one; tables are shared, not copied."""
        self._settle()
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._levels = {number: blocks.copy() for number, blocks in self._levels.items()}
        twin._served, twin._waiting = self._served.copy(), self._waiting.copy()
        twin._reuse = False
        twin._heir = twin._first = None
        twin._soonest = {}
        return twin

    def inherit_from(self, fork: Self) -> None:
        """Take over the tables of a fork if the next question is the fork's first one, instead of making them again."""
        self._heir = fork

    def _inherit(self, time: float) -> bool:
        """Become what the fork was after its first question, if that was about this time; return whether it was."""
        heir, self._heir = self._heir, None
        if heir is None or heir._first is None or heir._first[0] != time:
            return False
        self.__dict__.update(heir._first[1])
        self._soonest = {}
        return True

    def _note_first(self, time: float) -> None:
        # Tables of a fork are never overwritten, so that lists of them are enough.
        lists = {number: blocks.copy() for number, blocks in self._levels.items()}
        changing = {name: self.__dict__[name] for name in ("units", "_turned", "_last", "_back")}
        state = {"_levels": lists, "_served": self._served.copy(), "_waiting": self._waiting.copy(), **changing}
        self._first = time, state

    def __getstate__(self) -> dict[str, Any]:
        """Return all that cannot be found again, with no table only planned."""
        self._settle()
        return {name: value for name, value in self.__dict__.items() if name not in FOUND_AGAIN}

    def extend(self) -> None:
        """Take in the observations that are new in the store."""
        self._heir = None
        seen, before = self._seen, self._indexed
        if len(self._latest) < len(seen.times):
            self._latest = np.concatenate([self._latest[:before], np.empty(len(seen.times) - before)])
        if seen.n == before + 1:
            time = seen.times[before]
            self._latest[before] = max(time, self._latest[before - 1]) if before else time
        else:
            new = np.maximum.accumulate(seen.times[before : seen.n])
            self._latest[before : seen.n] = np.maximum(new, self._latest[before - 1]) if before else new
        self._indexed = seen.n

    def stands_at(self, time: float) -> bool:
        """Tell whether the last question was about this time, with the observations of now."""
        return time == self._last and self._turned == self._seen.n

    def advance(self, time: float) -> list[Served]:
        """Make the lowest level serve at ``time``, and return its tables, block after block."""
        self._settle()
        if not self._inherit(time):
            self._advance(time)
        if not self._reuse and self._first is None:
            self._note_first(time)
        return self.serving

    def plan(self, time: float) -> None:
        """Do what ``advance`` does, but leave the sums to the next call of it.

        Which tables are made when depends on times alone. So a long history is taken in without making tables that
        nothing is ever chosen from, and those that are left in the end are the same.
        """
        self._heir = None
        self._defers = self._planned = True
        try:
            self._advance(time)
        finally:
            self._defers = False

    def _advance(self, time: float) -> None:
        self._set_units()
        if self._last < np.inf:
            self._back = max(self._last - time, BACK_FADES * self._back)
            if time < self._last:
                self._soonest = {}
        self._last = time
        before, self._turned = self._turned, self._seen.n
        if self._seen.n <= 2 * RECENT:
            self._levels.clear()
        else:
            self._take_turns(time, before)
            for block in range(len(self._served)):
                self._serve(time, block)

    @property
    def serving(self) -> list[Served]:
        """The tables of the lowest level at the time last asked about, block after block."""
        found = []
        for level in self._levels.get(0, []):
            assert level is not None
            assert level.tables is not None
            u = 2 * (self._last - level.start) / level.length - 1 if level.length else 0.0
            found.append(Served(level.first, level.last, level.included, u, level.tables))
        return found or [Served(0, len(self.arms.points), 0, 0.0, self._none)]

    def hold_back(self) -> None:
        """Make tables for the moment of the next choice alone: there may be no other."""
        self._heir = None
        self._waiting = [1] * len(self._waiting)

    @property
    def error(self) -> float:
        """A bound of the relative error of every precision, and so of their sums, at the time last asked about.

        Rounding in float32, in units of u: of every term and of sums over up to 32 of them (``once``), and two of every
        level's tables, all of which interpolation can enlarge; and of the sum over tables and the latest observations.
        """
        rounding = (self._once + 2 * len(self._levels) + len(self.nodes)) * self.nodes.growth + 2 * RECENT + 8
        lowest = [level.error for level in self._levels.get(0, []) if level]
        return float(rounding * UNIT_ROUNDOFF) + (self.nodes.error + max(lowest) if lowest else 0.0)

    def _set_units(self) -> None:
        """Count rewards from the middle of their range, in halves of it, until they leave it by far."""
        seen, units = self._seen, self.units
        farthest = max(seen.largest_reward - units.centre, units.centre - seen.least_reward)
        if units.half == 0 or not farthest <= LARGEST_SPREAD * units.half:
            half = seen.largest_reward / 2 - seen.least_reward / 2
            self.units = Units(units.time, seen.least_reward + half, half if half > 0 else 1.0)
            self._levels.clear()

    def _take_turns(self, time: float, before: int) -> None:
        """Make the blocks whose turn has come since there were ``before`` observations, the highest level first."""
        n = self._seen.n
        if self._turns.count(top_number(n)) == 1 or not self._levels:
            return
        top = self._top(time)
        made = False
        for number in range(top, -1, -1):
            if n - before < self._turns.period(number):
                for block in self._turns.due(number, before, n):
                    self._make(time, number, block, top)
                    made = True
        if not made:
            self._renew_one(time, top)

    def _renew_one(self, time: float, top: int) -> None:
        """Make one of the blocks whose stretch is about to end, of the highest level that has some.

        While no observations come, no block has its turn, and all levels would end together.
        """
        for number in range(top, -1, -1):
            if self._turns.count(number) == 1:
                return
            if time < self._soonest.get(number, -np.inf):
                continue
            blocks = self._levels.get(number, ())
            for block, level in enumerate(blocks):
                if level and level.length and 0 <= 8 * level.left(time) < level.length:
                    self._make(time, number, block, top)
                    return
            self._soonest[number] = min(
                (level.soonest for level in blocks if level and level.left(time) > 0), default=np.inf
            )

    @cached_property
    def _soonest(self) -> dict[int, float]:
        """By level: no block of it is about to end before this moment, unless the clock goes back."""
        return {}

    def _serve(self, time: float, block: int) -> None:
        """Make a block of the lowest level serve, and all above that are needed for it."""
        level = self._block(0, block)
        if level and serves(level, 0, time, self._seen.n):
            self._served[block] += 1
        else:
            if level and level.length and self._served[block] < 2:
                # The clock jumps, or many observations arrive at once: making sums for a while ahead was not worth it.
                self._waiting[block] = len(self.nodes)
            top = self._top(time)
            if self._waiting[block]:
                self._waiting[block] -= 1
                found, made = self._above(time, 0, block, top, make=False)[0], False
            else:
                found, made = self._make(time, 0, block, top)
            if not made:
                self._make_moment(time, block, found)

    def _block(self, number: int, block: int) -> Level | None:
        return self._levels[number][block] if number in self._levels else None

    def _keep(self, number: int, block: int, level: Level) -> None:
        if number not in self._levels:
            self._levels[number] = [None] * self._turns.count(number)
        self._levels[number][block] = level
        if number in self._soonest:
            self._soonest[number] = min(self._soonest[number], level.soonest)
        if number == 0:
            self._served[block] = 0

    def _top(self, time: float) -> int:
        """Return the number of the highest level that is of use, and drop all above."""
        top = top_number(self._seen.n)
        # Levels are of no use where all that they would hold is far.
        near = self._seen.n - self._far_count(time, self._seen.n)
        while top > 0 and near <= left_out(top):
            top -= 1
        for number in [number for number in self._levels if number > top]:
            del self._levels[number]
        return top

    def _make(self, time: float, number: int, block: int, top: int) -> tuple[list[Level], bool]:
        """Make a block for the stretch ahead, and all above that are needed for it.

        Return it, and whether it was made. Where observations are not in the past, it was not: then return what a
        block for one moment can be made from.
        """
        above, complete = self._above(time, number, block, top, make=True)
        if complete:
            level = self._made_from(time, number, block, above)
            if level:
                self._keep(number, block, level)
                return [level], True
        return above, False

    def _above(self, time: float, number: int, block: int, top: int, make: bool) -> tuple[list[Level], bool]:
        """Return the lowest levels above that serve for long enough to make a block from them, for all of its arms.

        With ``make``, those of the next level are made where they do not serve; return whether they all do then.
        """
        if number == top:
            first, last = self._turns.edges(number)[block : block + 2].tolist()
            return [Level(first, last)], True
        found: list[Level] = []
        complete, n = True, self._seen.n
        for above in self._turns.above(number, block):
            level = self._block(number + 1, above)
            if level and serves(level, number + 1, time, n) and 8 * level.left(time) >= level.length:
                some, made = [level], True
            elif make:
                some, made = self._make(time, number + 1, above, top)
            else:
                some, made = self._above(time, number + 1, above, top, make=False)[0], False
            found += some
            complete &= made
        return found, complete

    def _made_from(self, time: float, number: int, block: int, above: list[Level]) -> Level | None:
        """Return a block for the stretch ahead, or None where observations are not in the past."""
        included = max(self._seen.n - left_out(number), *(level.included for level in above))
        start, length = self._stretch(time - self._back, included, above)
        if self._back and not 2 * self._back < length:
            start, length = self._stretch(time, included, above)
        if not SHORTEST < length < np.inf:
            return None
        return self._sum(self._block(number, block), included, start, length, self.nodes.after_start(length), above)

    def _make_moment(self, time: float, block: int, above: list[Level]) -> None:
        """Make a block of the lowest level for this moment alone."""
        included = max(self._seen.n - RECENT, *(level.included for level in above))
        self._keep(0, block, self._sum(self._block(0, block), included, time, 0.0, np.zeros(1), above))
