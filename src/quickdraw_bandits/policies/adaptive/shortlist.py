"""A few arms out of very many, among which one of nearly the largest index is."""

import copy
import heapq
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.correlation import Rates, correlation
from quickdraw_bandits.policies.adaptive.space import NONE, Targets

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model
    from quickdraw_bandits.policies.adaptive.rough_bounds import Groups
    from quickdraw_bandits.policies.adaptive.screening import Screen

FEW = 4096
"""Sets of at most this many arms need no shortlist. No list is longer."""
WORK = 10_000_000
"""While all arms can be bounded with so much work, in additions and multiplications, they are: some milliseconds."""
FLAT = 3
"""Most dimensions in which groups are narrow, so that few need to be searched."""
SEARCHED = 0.5, 1.0, 0.5
"""Part of that for groups that are searched because of their potential: in few dimensions, in more, and where screening
finds nearly all of the best arms. Bounds in single precision cost less than half in few."""
IN_TURN = 0.2, 1.0, 0.5
"""Groups searched in turn, in units of that."""
GROUP, MOST_GROUPS = 64, 8192
"""Number of arms in a group on average, and of groups at most: with more arms, groups are larger."""
FINER, MANY, FEW_AXES = 8, 2**15, 8
"""How much smaller than average groups far from all others can be; with more arms than that, and few coordinates. With
more coordinates, arms are screened."""
BEST = 8, 16, 8
"""Groups searched of each kind at least: of the highest bounds, of the latest observations, in turn."""
SLOPE = 2.0
"""By how many standard deviations of the signal means in a group may differ, in units of the width of the group."""
MOST_SEARCHED = 128
"""Largest number of groups searched because one of their arms may be the best."""
LISTED = 1024
"""Length of the list at most, without arms that were added, where groups are searched."""
AROUND = 32
"""Arms next to each other in the list whose bounds are lowered together."""
BLOCK = 2**16
"""Arms whose narrow coordinates are widened at a time."""
MOST_ADDED = 1024
"""Arms that can be added before groups are formed again."""
SLACK, ROUNDED_SLACK = 0.005, 0.01
"""How far below the largest index on a list that of the arm chosen among very many may be, in units of gamma."""


class Listed(NamedTuple):
    """Arms on a shortlist, with their means and upper bounds of their indices; ``rounded`` if in single precision."""

    targets: Targets
    mean: Floats
    bounds: Floats
    rounded: bool = False


class Shortlist:
    """Groups of arms that are near each other, each with a representative: the best of its arms when last searched.

    For every choice, the indices of all representatives are bounded, and the highest bounds tightened. Then groups are
    searched: the best, those of the latest observations, those whose potential is above the best index found, and a few
    others in turn. Potential is what an arm of the group may have, judged by its representative, by the width of the
    group, and by what was found in its last search. On the list are all arms of these groups and all representatives
    whose bounds reach the best index, and all observed arms; with more than eight coordinates also arms of many other
    groups, chosen as ``screening.py`` says. While the model has so few observations that all arms can be bounded in the
    same time, they are. Arms that were added since the groups were formed are on every list.

    An arm can be missed where a group was not searched because of its potential: that is no strict bound, because means
    differ within a group, and because there may be more such groups than time. The page on the adaptive policy has
    measurements.

    Parameters
    ----------
    points
        Coordinates of the arms, of shape (K, d). They are kept in the type they have, and compared in float64.
    """

    _next = 0
    """The group whose turn it is to be screened."""

    def __init__(self, points: Floats) -> None:
        from quickdraw_bandits.numerics.balanced_tree import balanced_tree

        n, dimension = points.shape
        size = max(GROUP, -(-n // MOST_GROUPS))
        finer = FINER if n > MANY and dimension <= FEW_AXES else 1
        ordered, order, corners = balanced_tree(points, -(-size // finer))
        # In the order of the tree, so that a group is a range of positions.
        self._all = Targets(np.ascontiguousarray(ordered.T, dtype=points.dtype), NONE, order.astype(np.int64))
        self._position = np.empty(n, dtype=np.int32)
        self._position[order] = np.arange(n, dtype=np.int32)
        self._edges = _edges(n, corners, 2 ** math.ceil(math.log2(n / size)))
        extents = [f.reduceat(self._all.columns, self._edges[:-1], axis=1) for f in (np.maximum, np.minimum)]
        self._diagonals: Floats = np.sqrt(np.square(extents[0] - extents[1], dtype=np.float64).sum(axis=0))
        self._representatives: Integers | None = None
        self._columns = np.empty((dimension, len(self._edges) - 1))
        self._found: Floats = np.full(len(self._edges) - 1, np.inf)  # bounds of representatives at the last search
        self._rates: Rates | None = None
        self._reach: Floats = self._found
        self._turn = 0
        self.added = Targets(np.empty((dimension, 0)), NONE, np.arange(0))

    @property
    def n_arms(self) -> int:
        """How many arms are in groups: all but those that were added."""
        return len(self._all.arms)

    def __copy__(self) -> Self:
        """Return a copy whose searches leave this one as it is; both share what no search changes."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._representatives, twin._columns = copy.copy(self._representatives), self._columns.copy()
        twin._found = self._found.copy()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what follows from the rest."""
        return {name: value for name, value in self.__dict__.items() if name != "_screen"}

    @cached_property
    def _screen(self) -> "Screen":
        from quickdraw_bandits.policies.adaptive.screening import Screen

        return Screen(self._all.columns, self._edges)

    def extend(self, points: Floats) -> bool:
        """Put arms on every list: all that were added behind those in groups. Return False if they are too many.

        ``points`` has their coordinates, of shape (n, d).
        """
        if len(points) > MOST_ADDED:
            return False
        self.added = Targets(np.ascontiguousarray(points.T), NONE, self.n_arms + np.arange(len(points)))
        return True

    def search(
        self, model: "Model", gamma: float, random: np.random.Generator, mask: NDArray[np.bool_] | None = None
    ) -> Listed:
        """Return the arms on the list, and remember the best of every group that was searched.

        Parameters
        ----------
        model
            A model that is prepared for estimates.
        gamma
            How many deviations the index lies above the mean.
        random
            Draws the representative where several arms of a group have the highest bound.
        mask
            Which arms may be listed, by default all. The list is empty if none of those looked at in groups may.
        """
        listed = self._search_groups(model, gamma, random, mask)
        if len(self.added.arms) == 0 or len(listed.bounds) == 0:
            return listed
        added, (mean, bounds) = self.added, model.bounds(self.added, gamma)
        if mask is not None:
            allowed = mask[added.arms]
            added = Targets(np.ascontiguousarray(added.columns[:, allowed]), NONE, added.arms[allowed])
            mean, bounds = mean[allowed], bounds[allowed]
        columns = np.concatenate([listed.targets.columns, added.columns], axis=1)
        targets = Targets(columns, NONE, np.concatenate([listed.targets.arms, added.arms]))
        return Listed(
            targets, np.concatenate([listed.mean, mean]), np.concatenate([listed.bounds, bounds]), listed.rounded
        )

    def _search_groups(
        self, model: "Model", gamma: float, random: np.random.Generator, mask: NDArray[np.bool_] | None
    ) -> Listed:
        """Return the arms on the list without those that were added."""
        room = affordable(model)
        if self._representatives is None or room >= self.n_arms:
            mean, index = self._bounds_of_all(model, gamma)
            self._representatives = np.zeros(len(self._edges) - 1, dtype=np.int64)
            self._renew(np.arange(len(self._edges) - 1), index, random)
            self._found = np.maximum.reduceat(index, self._edges[:-1])
            return self._highest(np.arange(len(index)), mean, index, mask)
        return self.search_some(model, gamma, random, mask, room)

    def search_some(
        self, model: "Model", gamma: float, random: np.random.Generator, mask: NDArray[np.bool_] | None, room: int
    ) -> Listed:
        """Search groups with ``room`` for so many arms, and return the arms on the list without those that were added.

        ``search`` does so if there is no room for all. All groups must have been searched once.
        """
        from quickdraw_bandits.policies.adaptive.rough_bounds import Groups, bound_rounded, members, renew
        from quickdraw_bandits.policies.adaptive.upper_bounds import ROUNDING

        assert self._representatives is not None
        groups = Groups(self._edges, self._diagonals, self._representatives, self._columns, self._found)
        heads = Targets(self._columns, NONE, self._all.arms[self._representatives])
        observed, rounded = model.observed
        margin = ROUNDING * gamma + observed.error
        means, bounds = bound_rounded(heads, observed, rounded, gamma)
        mean, index = means.astype(np.float64), bounds.astype(np.float64)
        index, exact, best = model.largest(heads, gamma, ROUNDED_SLACK * gamma, mean, index, True, AROUND)
        if mask is not None:
            best = index.max(where=exact & mask[heads.arms], initial=-np.inf)
        sampled = model.sample.arms
        sampled = sampled[(sampled >= 0) & (sampled < self.n_arms)]  # of a part of a larger set, others are elsewhere
        seen = self._position[sampled].astype(np.int64)
        some = self._to_search(groups, model, index, seen, best, gamma, room)
        screened = seen[:0]
        if len(self._columns) > FEW_AXES:
            # Correlations over the diagonals of groups: reach is the deviation of the difference of two arms.
            alike = 1.0 - self._reach**2 / 2
            screened, self._next = self._screen.promising(self._columns, index, alike, self._next)
        others = np.concatenate([seen, screened])
        rows, columns, names = members(self._all.columns, self._all.arms, groups, some, others)
        targets = Targets(columns, NONE, names)
        means, bounds = bound_rounded(targets, observed, rounded, gamma)
        least, limits = best - margin, index[some] - mean[some]
        renew(groups, some, targets, observed, gamma, least, limits, random.random(len(some)), means, bounds)
        index[some] = -np.inf  # their arms are listed themselves
        high, rest = np.flatnonzero(bounds >= least), np.flatnonzero(index >= least)
        rows = np.concatenate([rows[high], self._representatives[rest]])
        index[some] = np.inf  # the best of their arms represent them already
        self._promote(screened, bounds[len(bounds) - len(screened) :], index)
        bounds = np.concatenate([bounds[high], index[rest]])
        kept = np.flatnonzero(mask[self._all.arms[rows]]) if mask is not None else np.arange(len(rows))
        if len(kept) > LISTED:
            kept = kept[np.argpartition(bounds[kept], len(kept) - LISTED)[len(kept) - LISTED :]]
        kept = kept[np.unique(rows[kept], return_index=True)[1]]  # an observed arm can be in a group that was searched
        means = np.concatenate([means[high], mean[rest]])
        return Listed(self._some(rows[kept]), means[kept], bounds[kept], rounded=True)

    def _promote(self, rows: Integers, bounds: Floats, index: Floats) -> None:
        """Let arms represent their groups if their bounds are higher than those of the arms that did, in ``index``."""
        assert self._representatives is not None
        groups = np.searchsorted(self._edges, rows, side="right") - 1
        order = np.argsort(bounds, kind="stable")  # the last of those assigned stays
        order = order[bounds[order] > index[groups[order]]]
        self._representatives[groups[order]] = rows[order]
        self._columns[:, groups[order]] = self._all.columns[:, rows[order]]

    def _bounds_of_all(self, model: "Model", gamma: float) -> tuple[Floats, Floats]:
        """Return means and bounds of all arms in groups; without a copy of all coordinates where they are narrow."""
        if self._all.columns.dtype == np.float64:
            return model.bounds(self._all, gamma)
        starts = range(0, self.n_arms, BLOCK)
        parts = [model.bounds(self._some(np.arange(k, min(k + BLOCK, self.n_arms))), gamma) for k in starts]
        return np.concatenate([mean for mean, _ in parts]), np.concatenate([bounds for _, bounds in parts])

    def _to_search(
        self, groups: "Groups", model: "Model", index: Floats, seen: Integers, best: float, gamma: float, room: int
    ) -> Integers:
        """Return groups to search, in increasing order; ``index`` has the tightened bounds of their representatives.

        ``seen`` are observed arms, the latest first; ``best`` is the largest index found so far, and ``room`` for how
        many arms there is time.
        """
        from quickdraw_bandits.policies.adaptive.rough_bounds import Wanted, potentials, to_search
        from quickdraw_bandits.policies.adaptive.screening import MIXED

        dimension = len(self._columns)
        kind = int(dimension > FLAT) + int(FEW_AXES < dimension <= MIXED)
        least, room = BEST[kind], int(SEARCHED[kind] * room)
        rates, rise = model.candidate.rates, gamma + SLOPE * model.signal**0.5
        if rates != self._rates:  # what was found with others says nothing
            self._rates, self._reach = rates, np.sqrt(2.0 - 2.0 * correlation(self._diagonals**2, 0.0, False, rates))
            self._found[:] = np.inf
        latest = self._all.columns[:, seen[:least]].astype(np.float64)
        potential = potentials(groups, rise * self._reach, latest, index, gamma, rates.near)
        n_groups, turn = len(index), self._turn
        count = min(max(int(IN_TURN[kind] * room * n_groups / self.n_arms), least), n_groups)
        self._turn = (turn + count) % n_groups
        last = np.searchsorted(self._edges, seen[:least], side="right") - 1
        enough = best + 0.5 * ROUNDED_SLACK * gamma
        return np.asarray(
            to_search(groups, potential, index, Wanted(least, MOST_SEARCHED, enough, room, turn, count, last))
        )

    def _members(self, groups: Integers) -> Integers:
        """Return the positions of all arms of some groups."""
        sizes = self._edges[groups + 1] - self._edges[groups]
        return np.arange(sizes.sum()) + np.repeat(self._edges[groups + 1] - np.cumsum(sizes), sizes)

    def _renew(self, groups: Integers, index: Floats, random: np.random.Generator) -> None:
        """Let an arm of the highest bound represent each group; ``index`` has the bounds of all of their arms."""
        assert self._representatives is not None
        sizes = self._edges[groups + 1] - self._edges[groups]
        highest = np.maximum.reduceat(index, np.cumsum(sizes) - sizes)
        best = np.flatnonzero(index == np.repeat(highest, sizes))
        # The last of those assigned stays, so that each of several is as likely.
        random.shuffle(best)
        self._representatives[np.repeat(groups, sizes)[best]] = self._members(groups)[best]
        self._columns[:, groups] = self._all.columns[:, self._representatives[groups]]

    def _highest(self, rows: Integers, mean: Floats, index: Floats, mask: NDArray[np.bool_] | None) -> Listed:
        """Return the arms of the highest bounds without those that cannot be best: no index is below its mean."""
        if mask is not None:
            allowed = mask[self._all.arms[rows]]
            rows, mean, index = rows[allowed], mean[allowed], index[allowed]
        kept = np.flatnonzero(index >= mean.max(initial=-np.inf))
        most = FEW - len(self.added.arms)
        if len(kept) > most:
            kept = kept[np.argpartition(index[kept], len(kept) - most)[len(kept) - most :]]
        kept = kept[np.unique(rows[kept], return_index=True)[1]]  # an observed arm can be in a group that was searched
        return Listed(self._some(rows[kept]), mean[kept], index[kept])

    def _some(self, rows: Integers) -> Targets:
        columns = np.ascontiguousarray(self._all.columns[:, rows], dtype=np.float64)
        return Targets(columns, NONE, self._all.arms[rows])


def affordable(model: "Model") -> int:
    """Return how many arms can be bounded for one choice: fewer with more observations, or in more dimensions."""
    n, dimension = model.sample.points.shape
    return int(WORK // (n * (7 + dimension)))


def _edges(n: int, corners: Floats, count: int) -> Integers:
    """Return where groups begin, and the end of the last: nodes of a balanced tree, split again and again.

    The node with the largest product of its diagonal and the root of its number of arms is split next, so that arms
    far from all others come into groups of few, and those close together into groups of many.

    Examples
    --------
    >>> from quickdraw_bandits.numerics.balanced_tree import balanced_tree
    >>> _edges(8, balanced_tree(np.array([[0.0, 0.1, 0.2, 0.3, 1.0, 2.0, 4.0, 8.0]]).T, 2)[2], 3)
    array([0, 4, 6, 8])
    """
    dimension = corners.shape[1] // 2
    diagonals = np.sqrt(np.square(corners[:, dimension:] - corners[:, :dimension]).sum(axis=1)).tolist()
    nodes = [(-diagonals[0] * n**0.5, 0, 0, n)]
    edges = [0, n]
    while nodes and len(edges) <= count:
        _, node, begin, end = heapq.heappop(nodes)
        middle = (begin + end) // 2
        edges.append(middle)
        for child, first, last in ((2 * node + 1, begin, middle), (2 * node + 2, middle, end)):
            if 2 * child + 2 < len(diagonals):
                heapq.heappush(nodes, (-diagonals[child] * (last - first) ** 0.5, child, first, last))
    return np.sort(np.array(edges))
