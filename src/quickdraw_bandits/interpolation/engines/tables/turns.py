"""Which arms have their tables made in which round: every level is cut into blocks of arms, made in turns."""

from functools import lru_cache

import numpy as np

from quickdraw_bandits.checks import Integers

RECENT = 16
"""Observations that the lowest level leaves out when it is made; up to twice as many are summed every round."""
WORK = 5_000_000
"""Kernel evaluations that making a block takes at least: half a millisecond's. Levels that take less are not cut."""
GRAIN = 256
"""Blocks begin at multiples of this number of arms, which is work for two threads."""


def left_out(number: int) -> int:
    """Return how many of the latest observations a level leaves out when it is made."""
    return RECENT << number


def top_number(n: int) -> int:
    """Return the number of the highest level for ``n`` observations: it has at least half of them."""
    return max(0, (n // (2 * RECENT)).bit_length() - 1)


class Turns:
    """The blocks of every level, and when it is whose turn to be made.

    A level lasts as many observations as it leaves out, or half as many for p > 1. Made at once, all of its tables
    would be due in the same round, and those of the levels below with them. So it is cut into blocks of arms, and each
    has its turn at another count of observations, after 7/8 of the time that it lasts.

    The blocks of a level lie within those of the level below, from one to two in each. A block has its turn together
    with one of the block below: it is then new, or halfway, whenever that one is made from it, and serves as long. Of
    the two turns that it may have, blocks take the first and the second alternately, in the order of their turns in the
    level below: then those of every level are spread evenly over its period.

    Parameters
    ----------
    n_arms
        How many arms there are.
    nodes
        Moments at which a level is summed.
    share
        How long a level lasts, as a share of the observations that it leaves out.

    Examples
    --------
    >>> turns = Turns(100_000, nodes=7, share=1.0)
    >>> [turns.count(number) for number in range(5)]
    [4, 8, 16, 32, 64]
    >>> turns.edges(0)
    array([     0,  24832,  49920,  75008, 100000])
    >>> turns.due(0, 13, 14), turns.due(0, 14, 17), turns.due(0, 17, 18)
    ([0], [1], [])
    """

    def __init__(self, n_arms: int, nodes: int, share: float) -> None:
        self._n_arms, self._nodes, self._share = n_arms, nodes, share
        grains = -(-n_arms // GRAIN)
        finest = _power_of_two(grains)
        self._edges = np.arange(finest + 1) * grains // finest * GRAIN
        self._edges[-1] = n_arms
        self._phases: list[Integers] = []

    def count(self, number: int) -> int:
        """Return how many blocks a level has: a power of two."""
        return _count(number, self._n_arms, self._nodes, self._share, len(self._edges) - 1)

    def edges(self, number: int) -> Integers:
        """Return where the blocks of a level begin, and where the last one ends."""
        return self._edges[:: (len(self._edges) - 1) // self.count(number)]

    def above(self, number: int, block: int) -> range:
        """Return the blocks of the level above that lie within a block."""
        many = self.count(number + 1) // self.count(number)
        return range(many * block, many * (block + 1))

    def period(self, number: int) -> int:
        """Return how many observations there are from turn to turn."""
        return _period(number, self._share)

    def due(self, number: int, before: int, n: int) -> list[int]:
        """Return the blocks whose turn has come since there were ``before`` observations."""
        while len(self._phases) <= number:
            self._phases.append(self._phases_of(len(self._phases)))
        phases, period = self._phases[number], self.period(number)
        if len(phases) == 1:  # a level that is not cut, which is asked about in every round
            return [0] if (n - int(phases[0])) % period < n - before else []
        found: list[int] = ((n - phases) % period < n - before).nonzero()[0].tolist()
        return found

    def _phases_of(self, number: int) -> Integers:
        """Return by how many observations the turn of each block is later than a multiple of the period."""
        blocks = np.arange(self.count(number))
        if number == 0:
            return blocks * self.period(0) // len(blocks)
        below = self._phases[number - 1]
        if len(below) < len(blocks):  # two blocks in each of the level below
            return below[blocks // 2] + blocks % 2 * self.period(number - 1)
        rank = np.argsort(np.argsort(below, kind="stable"))
        return below + rank % 2 * self.period(number - 1)


def _period(number: int, share: float) -> int:
    return int(share * left_out(number) * 7 / 8)


@lru_cache  # every round asks
def _count(number: int, n_arms: int, nodes: int, share: float, most: int) -> int:
    work = 2 * left_out(number) * nodes * n_arms
    return _power_of_two(min(work // WORK, _period(number, share), most))


def _power_of_two(number: int) -> int:
    """Return the largest power of two up to a number, and at least 1."""
    return 1 << max(number, 1).bit_length() - 1
