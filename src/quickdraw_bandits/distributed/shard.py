"""A part of the arms in a process of its own: what shards of all policies have in common."""

import os
import zlib
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from quickdraw_bandits.arms import Arms, Metric
from quickdraw_bandits.arms.metrics import Points, distances
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.distributed.parts import File
from quickdraw_bandits.observations import Observations

CHECKED = 2**16
"""Arms whose checksum is computed at a time."""


class Summary(NamedTuple):
    """What must be known of a part to measure all arms together: size, type, and the corners of its bounding box.

    And a checksum of all coordinates, to see whether they are the same when the part is read again.
    """

    n_arms: int
    type: str
    low: Floats
    high: Floats
    checksum: int


class Frame(NamedTuple):
    """What all shards share: the unit of distance, and the corners of the bounding box of all arms."""

    unit: float
    low: Floats
    high: Floats


class Behind(NamedTuple):
    """The answer of a shard that has not seen all observations that a question is about: how many it has seen."""

    n: int


class Shard:
    """Holds a part of the arms, and all observations as points: most of them are of arms of other shards.

    Parameters
    ----------
    number
        Which part it is, from 0, for error messages.
    source
        The coordinates, or the file that has them.
    metric
        As for ``Arms``.
    added
        Arms that came later, in the order in which they came.
    before
        What the part was when it was first read, without arms that came later; None at first.
    """

    _latest: tuple[Integers, Floats] | None = None
    """The best arms of the latest question, and their index."""

    def __init__(
        self, number: int, source: Any, metric: Metric, added: list[Any], before: Summary | None = None
    ) -> None:
        self._number, self._source, self._metric, self._added, self._before = number, source, metric, added, before

    @cached_property
    def _arms(self) -> Arms:
        """The arms, read when they are first needed: what is wrong with them is then told to who asks."""
        source = self._source
        try:
            arms = Arms(source.read() if isinstance(source, File) else source, self._metric, scale=False)
        except (ValueError, OSError) as error:
            raise ValueError(f"parts[{self._number}]: {error}") from None
        if self._before is not None:
            self._check(summary(arms), self._before)
        self._source = None
        for points in self._added:
            arms = arms.extended(points)
        return arms

    def _check(self, now: Summary, before: Summary) -> None:
        """Raise an error if a part that is read again is another: positions and all that was learned would be wrong."""
        if (now.n_arms, now.type, now.checksum) != (before.n_arms, before.type, before.checksum):
            raise ValueError(
                f"parts[{self._number}] must be as it was when the policy was built, {before.n_arms:,} arms of type "
                f"{before.type}; it was changed since, got {now.n_arms:,} of type {now.type}. Restore it, or build a "
                "new policy and update it with policy.observations"
            )

    @cached_property
    def _seen(self) -> Observations:
        return Observations(self._arms)

    def process(self) -> int:
        """Return the number of the process."""
        return os.getpid()

    def summary(self) -> Summary:
        """Return size, type, bounding box and checksum."""
        return summary(self._arms)

    def points(self) -> Points:
        """Return all coordinates; only asked of small sets."""
        return self._arms.points

    def places(self, positions: Integers) -> Floats:
        """Return the coordinates of some arms."""
        return self._arms.places(positions).astype(np.float64)

    def farthest(self, place: Floats) -> float:
        """Return the largest unscaled distance of an arm from a place."""
        return float(distances(self._arms.metric, self._arms.points, place[None]).max())

    def set_frame(self, frame: Frame) -> None:
        """Measure distances as all shards do."""
        self._arms = self._arms.as_part(*frame)

    def add_arms(self, points: Any) -> None:
        """Take more arms, behind those it has."""
        self._arms = self._arms.extended(points)

    def extend(self, start: int, times: Floats, arms: Integers, rewards: Floats, places: Floats) -> None:
        """Take in observations from number ``start`` on; those it has are skipped, and none is taken after a gap."""
        new = slice(self._seen.n - start, None)
        if start <= self._seen.n < start + len(times):
            self._seen.append(times[new], arms[new], rewards[new], places[new])
            self._learn()

    def after(self, log: tuple[Any, ...], method: str, *arguments: Any) -> Any:
        """Take in observations, as ``extend`` does, and answer a question."""
        self.extend(*log)
        return getattr(self, method)(*arguments)

    def contend(self, *arguments: Any) -> Any:
        """Return the best of the arms as an ``Offer``, or ``Behind``, and keep them as ``_latest``."""
        raise NotImplementedError

    def tied(self, arguments: tuple[Any, ...], least: float, rank: int | None) -> Any:
        """Return how many arms of the latest offer have at least this index, and all of them or the one of a rank.

        A shard that was started since asks itself for the offer again.
        """
        if self._latest is None:
            offered = self.contend(*arguments)
            if isinstance(offered, Behind):
                return offered
        assert self._latest is not None
        arms, values = self._latest
        found = arms[values >= least]
        return len(found), found if rank is None else found[rank : rank + 1]

    def _learn(self) -> None:
        """Use the observations that are new in the store."""


def summary(arms: Arms) -> Summary:
    """Return size, type, bounding box and checksum of arms."""
    points = arms.points
    low, high = (np.array([f(column) for column in points.T], dtype=np.float64) for f in (np.min, np.max))
    checksum = 0
    for start in range(0, len(points), CHECKED):
        checksum = zlib.crc32(points[start : start + CHECKED].tobytes(), checksum)
    return Summary(len(points), points.dtype.name, low, high, checksum)
