"""Arms that fill a box: all of its points, or an evenly spaced grid."""

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.ties import pick


class Lattice:
    """Coordinates in units of the lattice for a ``Box`` or a grid of arms.

    In a ``Box`` the places along an axis are the numbers from 0 to 1. On a grid they are 0 … n - 1. Arms may be given
    in any order, and several may share a place.

    Parameters
    ----------
    arms
        A ``Box``, or euclidean ``Arms`` whose coordinates along every axis are evenly spaced (to a hundredth of the
        spacing), with an arm at every combination.
    policy
        Name of the policy, for error messages.

    Examples
    --------
    >>> grid = Lattice(Arms([[0.0, 5.0], [0.0, 7.0], [1.0, 5.0], [1.0, 7.0], [0.0, 6.0], [1.0, 6.0]]), "HOO")
    >>> grid.sizes, grid.places(np.array([1, 3])), grid.arms_at(np.array([0, 1]))
    (array([2, 3]), array([[0., 2.], [1., 2.]]), array([4]))
    """

    def __init__(self, arms: Arms | Box, policy: str) -> None:
        self.is_box = isinstance(arms, Box)
        self._arms = arms
        if isinstance(arms, Box):
            self.sizes: Integers = np.ones(arms.dimension, dtype=np.int64)
            return
        found = _grid(arms.points.astype(np.float64)) if arms.metric == "euclidean" else None
        if found is None:
            raise ValueError(
                f"arms must be a Box or a grid for {policy} (euclidean, evenly spaced along every axis, an arm at "
                f"every combination), got {arms!r}; build one with Box(low, high) or Arms.grid(low, high, n), or use "
                "a policy that plays any arms, such as Zooming or QuickDraw"
            )
        self.sizes, self._places = found
        flat = np.ravel_multi_index(tuple(self._places.T), tuple(self.sizes))
        self._order = np.argsort(flat, kind="stable")
        self._starts = np.searchsorted(flat[self._order], np.arange(int(np.prod(self.sizes)) + 1))

    @property
    def dimension(self) -> int:
        """The number of axes."""
        return len(self.sizes)

    def places(self, arms: Integers | Floats) -> Floats:
        """Return the places of arms, given as positions, or as rows of coordinates for a ``Box``."""
        if isinstance(self._arms, Box):
            inside: Floats = (arms - self._arms.low) / (self._arms.high - self._arms.low)
            return inside
        return self._places[arms].astype(np.float64)

    def arms_at(self, place: Integers) -> Integers:
        """Return the positions of the arms at one place of the grid."""
        flat = int(np.ravel_multi_index(tuple(place), tuple(self.sizes)))
        return self._order[self._starts[flat] : self._starts[flat + 1]]

    def arms_near(self, place: Integers | Floats, among: Subset | None) -> Integers:
        """Return the arms at a place of the grid, or the nearest of those that may be chosen."""
        if among is None:
            return self.arms_at(place.astype(np.int64))
        away = np.square(self._places[among.positions] - place).sum(axis=1)
        return np.asarray(among.positions[away == away.min()])

    def arm(self, place: Integers | Floats, random: np.random.Generator, among: Subset | None = None) -> int | Floats:
        """Return the arm at or near a place, as a policy selects it; one at random if several are as near."""
        if isinstance(self._arms, Box):
            low, high = self._arms.low, self._arms.high
            return np.clip(low + place * (high - low), low, high)
        return pick(self.arms_near(place, among), random)


def _grid(points: Floats) -> tuple[Integers, Integers] | None:
    """Return the number of places along each axis and the place of each arm, or None if the points are not a grid."""
    sizes, places = [], []
    for column in points.T:
        values = np.unique(column)
        extent = values[-1] - values[0]
        n = 1 + int((np.diff(values) > 1e-9 * extent).sum())
        position = (column - values[0]) * ((n - 1) / extent) if n > 1 else np.zeros(len(column))
        whole = np.rint(position)
        if np.abs(position - whole).max() > 0.01:
            return None
        sizes.append(n)
        places.append(whole.astype(np.int64))
    if np.prod(sizes, dtype=np.float64) > len(points):
        return None
    taken = np.zeros(sizes, dtype=bool)
    taken[tuple(places)] = True
    return (np.array(sizes), np.column_stack(places)) if taken.all() else None
