"""Few arms out of very many, among which one of nearly the largest index usually is."""

from collections.abc import Callable

import numpy as np

from quickdraw_bandits.checks import Floats, Integers

MOST_SURVEYED = 4096
"""Sets of at most this many arms are surveyed whole."""
FIRST_RANGES = 1024
BEAM = 64
LEAF = 16
FINEST = 4
"""Arms of a range that is not halved any more."""


class Shortlist:
    """A search from coarse to fine through a balanced tree of arms.

    In the order of the tree, arms that are near each other are in one range of positions. The search looks at one arm
    of each of 1024 ranges, halves the 64 most promising, looks at one arm of each half, and so on, down to ranges of
    four arms, all of which are on the list. So are four arms around every observation that the model uses, so that what
    is known is not missed. A narrow peak between observations can be.

    Parameters
    ----------
    places
        Coordinates of the arms, of shape (K, d).
    """

    def __init__(self, places: Floats) -> None:
        from quickdraw_bandits.interpolation import compiled_forest

        n = len(places)
        levels = 0
        while n > LEAF << levels:
            levels += 1
        self._order = np.arange(n, dtype=np.int32)
        bounds = np.empty((2 ** (levels + 1) - 1, 2 * places.shape[1]))
        compiled_forest.build_arm_tree(places.copy(), self._order, bounds)
        self._position = np.empty(n, dtype=np.int32)
        self._position[self._order] = np.arange(n, dtype=np.int32)
        self._n = n

    def search(self, promise: Callable[[Integers], Floats], seen: Integers) -> Integers:
        """Return arms; ``promise`` gives the bound of the index at some, ``seen`` are those of the observations."""
        edges = np.linspace(0, self._n, FIRST_RANGES + 1).astype(np.int64)
        begin, end = edges[:-1], edges[1:]
        while True:
            if len(begin) > BEAM:
                values = promise(self._order[(begin + end) // 2].astype(np.int64))
                best = np.argpartition(-values, BEAM)[:BEAM]
                begin, end = begin[best], end[best]
            if (end - begin).max() <= FINEST:
                break
            middle = (begin + end) // 2
            begin, end = np.concatenate([begin, middle]), np.concatenate([middle, end])
        around = np.unique(self._position[seen] // FINEST).astype(np.int64) * FINEST
        starts = np.concatenate([begin, around])
        positions = np.unique((starts[:, None] + np.arange(FINEST)).ravel())
        return self._order[positions[positions < self._n]].astype(np.int64)
