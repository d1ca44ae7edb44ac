"""A few arms out of very many, among which one of nearly the largest index usually is."""

from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.space import NONE, Targets

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

FIRST_HALVINGS = 10
BEAM = 64
ARMS_PER_LEAF = 16
"""Largest number of arms in a leaf of the tree, which are not ordered any further."""
FINEST = 4
"""Largest number of arms in a range that is not halved any more."""
MOST_ADDED = 1024
"""Arms that can be added before the tree is built again."""
MOST_BOUNDED = FINEST << FIRST_HALVINGS
"""Sets of at most this many arms need no shortlist: the index of each is bounded."""


class Shortlist:
    """A search from coarse to fine through a balanced tree of arms.

    In the order of the tree, arms that are near each other are in one range of positions. The search bounds the index
    of one arm of each of 1024 ranges, halves the 64 ranges of the highest bounds, bounds one arm of each half, and so
    on, down to ranges of at most four arms, all of which are on the list. So are those of such a range around every
    observation that the model uses, so that what is known is not missed. A narrow peak between observations can be.
    Ranges of equal bounds, as all have where nothing is known, are drawn at random: the order of the tree must not
    decide where to look.

    Parameters
    ----------
    points
        Coordinates of more than 4096 arms, of shape (K, d).
    """

    def __init__(self, points: Floats) -> None:
        from quickdraw_bandits.numerics.balanced_tree import balanced_tree

        n = len(points)
        ordered, self._order, _ = balanced_tree(points, ARMS_PER_LEAF)
        self._points = ordered.astype(points.dtype)
        self._position = np.empty(n, dtype=np.int32)
        self._position[self._order] = np.arange(n, dtype=np.int32)
        self._begin, self._end = np.array([0]), np.array([n])
        for _ in range(FIRST_HALVINGS):
            self._begin, self._end = _halves(self._begin, self._end)
        begin, end = self._begin, self._end
        while (end - begin).max() > FINEST:
            begin, end = _halves(begin, end)
        self._edges = np.append(begin, n)
        self.added: Integers = np.arange(0)

    def extend(self, n_arms: int) -> bool:
        """Take in new arms, up to this number, as ``added``, which belong on every list; False if they are too many."""
        if n_arms - len(self._order) > MOST_ADDED:
            return False
        self.added = np.arange(len(self._order), n_arms)
        return True

    def search(self, model: "Model", gamma: float, random: np.random.Generator) -> Targets:
        """Return the arms on the list, without those that were added."""
        from quickdraw_bandits.policies.adaptive.narrowing import narrow

        order = random.permutation(len(self._begin))
        begin, end = self._begin[order], self._end[order]
        middles = self._columns((begin + end) // 2)
        while middles.shape[1]:
            arms = self._order[(begin + end) // 2].astype(np.int64)
            _, index = model.bounds(Targets(middles, NONE, arms), gamma)
            least = np.partition(index, -BEAM)[-BEAM] if len(index) > BEAM else -np.inf
            begin, end, middles = narrow(self._points, index, least, begin, end, BEAM, FINEST, order)
        pulled = model.sample.arms
        own = pulled[(pulled >= 0) & (pulled < len(self._position))]  # of a part of the arms, others are elsewhere
        found = np.concatenate([begin, self._position[own]])
        finest = np.unique(np.searchsorted(self._edges, found, side="right"))
        rows = self._edges[finest - 1][:, None] + np.arange(FINEST)
        rows = rows[rows < self._edges[finest][:, None]]
        return Targets(self._columns(rows), NONE, self._order[rows].astype(np.int64))

    def _columns(self, rows: Integers) -> Floats:
        return np.ascontiguousarray(self._points[rows].T, dtype=np.float64)


def _halves(begin: Integers, end: Integers) -> tuple[Integers, Integers]:
    """Return the halves of ranges of more than ``FINEST`` positions, and the others as they are.

    Examples
    --------
    >>> _halves(np.array([0, 10]), np.array([10, 13]))
    (array([ 0,  5, 10]), array([ 5, 10, 13]))
    """
    middle = np.where(end - begin > FINEST, (begin + end) // 2, begin)
    low, high = np.column_stack([begin, middle]).ravel(), np.column_stack([middle, end]).ravel()
    whole = high > low
    return low[whole], high[whole]
