"""A level of tables, for a block of arms."""

from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.engines.tables.turns import left_out


@dataclass
class Level:
    """The sums over the first ``included`` observations, for a block of arms and a stretch of time from ``start`` on.

    ``error`` bounds the relative error of every precision in them, rounding left aside. One that includes nothing
    stands for no level at all. One that is only planned has a ``recipe`` in place of tables: the moments after its
    start, and the levels above that it is made from.
    """

    first: int
    last: int
    included: int = 0
    start: float = 0.0
    length: float = 0.0
    error: float = 0.0
    tables: NDArray[np.float32] | None = field(default=None, repr=False)
    recipe: "tuple[Floats, list[Level]] | None" = field(default=None, repr=False)

    def left(self, time: float) -> float:
        """Return how much of the stretch lies after ``time``."""
        return self.length - (time - self.start)

    @property
    def soonest(self) -> float:
        """A moment before which more than an eighth of the stretch is left, however numbers are rounded."""
        return self.start + 0.87 * self.length if self.length else inf


class Served(NamedTuple):
    """Tables that serve at some time, for the arms from ``first`` to ``last`` - 1.

    They include the first ``included`` observations. The time lies at ``u`` on their stretch, scaled to [-1, 1].
    """

    first: int
    last: int
    included: int
    u: float
    tables: NDArray[np.float32]


def serves(level: Level, number: int, time: float, n: int) -> bool:
    """Tell whether a level's sums hold at ``time`` and leave out few enough of ``n`` observations."""
    return 0 <= time - level.start <= level.length and n - level.included <= 2 * left_out(number)
