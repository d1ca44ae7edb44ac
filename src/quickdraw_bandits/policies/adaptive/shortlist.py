"""Few arms out of very many, among which one of nearly the largest index usually is."""

from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.checks import Floats, Integers

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

FIRST_HALVINGS = 10
BEAM = 64
LEAF = 16
FINEST = 4
"""Arms of a range that is not halved any more."""
MOST_SURVEYED = FINEST << FIRST_HALVINGS
"""Sets of at most this many arms are surveyed whole."""


class Shortlist:
    """A search from coarse to fine through a balanced tree of arms.

    In the order of the tree, arms that are near each other are in one range of positions. The search looks at one arm
    of each of 1024 ranges, halves the 64 most promising, looks at one arm of each half, and so on, down to ranges of
    at most four arms, all of which are on the list. So are those of such a range around every observation that the
    model uses, so that what is known is not missed. A narrow peak between observations can be. Of ranges that promise
    the same, as all do of which nothing is known, some are drawn: the order of the tree must not decide where to look.

    Parameters
    ----------
    places
        Coordinates of more than 4096 arms, of shape (K, d).
    """

    def __init__(self, places: Floats) -> None:
        from quickdraw_bandits.numerics.balanced_tree import balanced_tree

        n = len(places)
        ordered, self._order, _ = balanced_tree(places, LEAF)
        self._places = ordered.copy()
        self._position = np.empty(n, dtype=np.int32)
        self._position[self._order] = np.arange(n, dtype=np.int32)
        edges = np.array([0, n])
        for _ in range(FIRST_HALVINGS):
            edges = np.insert(edges, np.arange(1, len(edges)), (edges[:-1] + edges[1:]) // 2)
        self._begin, self._end = edges[:-1], edges[1:]

    def search(self, model: "Model", gamma: float, random: np.random.Generator) -> tuple[Integers, Floats]:
        """Return arms, and their coordinates as the model takes them."""
        from quickdraw_bandits.policies.adaptive import compiled_shortlist

        seen = self._position[model.sample.arms]
        order = random.permutation(len(self._begin))
        ranges = self._places, self._begin, self._end, BEAM, FINEST
        rows, columns = compiled_shortlist.search(*ranges, model.knowledge, gamma, seen, order)
        return self._order[rows].astype(np.int64), columns
