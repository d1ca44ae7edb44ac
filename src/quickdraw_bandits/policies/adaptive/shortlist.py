"""A few arms out of very many, among which one of nearly the largest index is."""

import copy
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.space import NONE, Targets

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

FEW = 4096
"""Sets of at most this many arms need no shortlist. No list is longer."""
WORK = 10_000_000
"""Work for one choice beyond the representatives, in additions and multiplications: one or two milliseconds."""
GROUP, MOST_GROUPS = 64, 8192
"""Largest number of arms in a group, and of groups: with more arms, groups are larger."""
BEST = 8
"""Groups of the highest bounds, and of the latest observations, whose arms are all listed."""
BLOCK = 2**16
"""Arms whose narrow coordinates are widened at a time."""
MOST_ADDED = 1024
"""Arms that can be added before groups are formed again."""
SLACK = 0.005
"""How far below the largest index that of the arm chosen among very many may be, in units of gamma."""


class Listed(NamedTuple):
    """Arms on a shortlist, with their means and upper bounds of their indices."""

    targets: Targets
    mean: Floats
    bounds: Floats


class Shortlist:
    """Groups of arms that are near each other, each with a representative: the best of its arms when last searched.

    For every choice, the indices of all representatives are bounded, and the highest bounds tightened. On the list are
    all arms of the best groups and of those of the latest observations, all observed arms, and the representatives of
    all other groups. Some of these are searched for a new representative: the most promising, and others in turn, so
    that each group is searched again and again. While the model has so few observations that all arms can be bounded in
    the same time, they are. Arms that were added since the groups were formed are on every list.

    An arm can be missed if it became the best of its group after the last search of the group. The page on the adaptive
    policy has measurements.

    Parameters
    ----------
    points
        Coordinates of the arms, of shape (K, d). They are kept in the type they have, and compared in float64.
    """

    def __init__(self, points: Floats) -> None:
        from quickdraw_bandits.numerics.balanced_tree import balanced_tree

        n = len(points)
        ordered, order, corners = balanced_tree(points, max(GROUP, -(-n // MOST_GROUPS)))
        # In the order of the tree, so that a group is a range of positions.
        self._all = Targets(np.ascontiguousarray(ordered.T, dtype=points.dtype), NONE, order.astype(np.int64))
        self._position = np.empty(n, dtype=np.int32)
        self._position[order] = np.arange(n, dtype=np.int32)
        self._edges = _edges(n, (len(corners) + 1) // 2)
        self._representatives: Integers | None = None
        self._columns = np.empty((points.shape[1], len(self._edges) - 1))
        self._turn = 0
        self.added = Targets(np.empty((points.shape[1], 0)), NONE, np.arange(0))

    @property
    def n_arms(self) -> int:
        """How many arms are in groups: all but those that were added."""
        return len(self._all.arms)

    def __copy__(self) -> Self:
        """Return a copy whose searches leave this one as it is; both share what no search changes."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._representatives, twin._columns = copy.copy(self._representatives), self._columns.copy()
        return twin

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
        return Listed(targets, np.concatenate([listed.mean, mean]), np.concatenate([listed.bounds, bounds]))

    def _search_groups(
        self, model: "Model", gamma: float, random: np.random.Generator, mask: NDArray[np.bool_] | None
    ) -> Listed:
        """Return the arms on the list without those that were added."""
        room = affordable(model)
        if self._representatives is None or room >= self.n_arms:
            mean, index = self._bounds_of_all(model, gamma)
            self._representatives = np.zeros(len(self._edges) - 1, dtype=np.int64)
            self._renew(np.arange(len(self._edges) - 1), index, random)
            return self._highest(np.arange(len(index)), mean, index, mask)
        heads = Targets(self._columns, NONE, self._all.arms[self._representatives])
        mean, index = model.bounds(heads, gamma)
        index, _, _ = model.largest(heads, gamma, SLACK * gamma, mean, index)
        observed = model.sample.arms
        own = (observed >= 0) & (observed < self.n_arms)  # where arms are a part of a larger set, others are elsewhere
        seen = self._position[observed[own]].astype(np.int64)
        near, others = self._to_search(index, seen, room)
        near_rows, other_rows = self._members(near), self._members(others)
        rows = np.concatenate([near_rows, seen, other_rows])
        means, bounds = model.bounds(self._some(rows), gamma)
        self._renew(near, bounds[: len(near_rows)], random)
        self._renew(others, bounds[len(rows) - len(other_rows) :], random)
        # Of the other groups searched, the new representative is listed. So are those of all groups not searched.
        found = len(rows) - len(other_rows) + np.searchsorted(other_rows, self._representatives[others])
        kept = np.concatenate([np.arange(len(rows) - len(other_rows)), found])
        rest = np.ones(len(index), dtype=np.bool_)
        rest[near] = rest[others] = False
        return self._highest(
            np.concatenate([rows[kept], self._representatives[rest]]),
            np.concatenate([means[kept], mean[rest]]),
            np.concatenate([bounds[kept], index[rest]]),
            mask,
        )

    def _bounds_of_all(self, model: "Model", gamma: float) -> tuple[Floats, Floats]:
        """Return means and bounds of all arms in groups; without a copy of all coordinates where they are narrow."""
        if self._all.columns.dtype == np.float64:
            return model.bounds(self._all, gamma)
        starts = range(0, self.n_arms, BLOCK)
        parts = [model.bounds(self._some(np.arange(k, min(k + BLOCK, self.n_arms))), gamma) for k in starts]
        return np.concatenate([mean for mean, _ in parts]), np.concatenate([bounds for _, bounds in parts])

    def _to_search(self, index: Floats, seen: Integers, room: int) -> tuple[Integers, Integers]:
        """Return groups whose arms all come onto the list, and others to search, both in increasing order.

        ``index`` has the tightened bounds of all groups' representatives.
        """
        n_groups = len(index)
        size = -(-self.n_arms // n_groups)
        some = min(max(room // size // 2, BEST), n_groups - 1)
        promising = np.argpartition(index, n_groups - some)[n_groups - some :]
        best = promising[np.argsort(index[promising])[-BEST:]]
        turn = (self._turn + np.arange(some)) % n_groups
        self._turn = int(turn[-1] + 1) % n_groups
        latest = np.searchsorted(self._edges, seen[:BEST], side="right") - 1
        near = np.unique(np.concatenate([best, latest]))
        return near, np.setdiff1d(np.concatenate([promising, turn]), near)

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


def _edges(n: int, groups: int) -> Integers:
    """Return where groups begin, and the end of the last: n halved again and again, up to a power of two of groups.

    Examples
    --------
    >>> _edges(10, 4)
    array([ 0,  2,  5,  7, 10])
    """
    edges = np.array([0, n])
    while len(edges) <= groups:
        middles = (edges[:-1] + edges[1:]) // 2
        edges = np.append(np.column_stack([edges[:-1], middles]).ravel(), n)
    return edges
