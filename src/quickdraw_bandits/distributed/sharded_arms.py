"""Arms that are elsewhere: how many there are in which shard, and the coordinates of a few."""

from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quickdraw_bandits.arms import Arms, Metric
from quickdraw_bandits.arms.arm_set import ArmSet
from quickdraw_bandits.arms.labels import resolved
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, integer
from quickdraw_bandits.distributed.shard import Frame

REMEMBERED = 4096
"""Arms whose coordinates are kept: those chosen last, whose rewards will come."""


class ShardedArms(ArmSet[int]):
    """A set of arms in parts. Positions run through the parts in order.

    Attributes
    ----------
    metric, unit, dimension
        As those of ``Arms``.
    counts
        How many arms each part has.
    """

    def __init__(self, metric: Metric, counts: list[int], frame: Frame, added: Any = None) -> None:
        self.metric, self.counts, self.frame = metric, counts, frame
        self.unit, self.dimension = frame.unit, len(frame.low)
        self.starts: Integers = np.concatenate([[0], np.cumsum(counts)])
        self.added = added
        """The arms that this set has more than the one that it was extended from."""
        self._known: OrderedDict[int, Floats] = OrderedDict()

    def __len__(self) -> int:
        return int(self.starts[-1])

    def __repr__(self) -> str:
        return f"ShardedArms({len(self):,} arms in {len(self.counts)} parts, metric={self.metric!r})"

    @property
    def labels(self) -> range:
        """The positions: arms in parts have no names."""
        return range(len(self))

    def position(self, label: str | int) -> int:
        """Return the position that was given."""
        return integer("label", label, at_least=0, at_most=len(self) - 1)

    def resolved(self, name: str, given: Any) -> Any:
        """Return columns of data frames as arrays, and all else as it is; ValueError for labels."""
        return given if type(given) is int else resolved(None, name, given)

    def owners(self, positions: Integers) -> Integers:
        """Return the shard of each arm."""
        return np.searchsorted(self.starts, positions, side="right") - 1

    def part(self, shard: int, among: Subset | None) -> Subset | None:
        """Return those of some arms that are in a shard, None for all of its arms."""
        return None if among is None else among.part(int(self.starts[shard]), int(self.starts[shard + 1]))

    def remember(self, position: int, place: Floats) -> None:
        """Keep the coordinates of an arm."""
        self._known[position] = place
        self._known.move_to_end(position)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)

    def places(self, positions: Any) -> Floats:
        """Return coordinates of arms as far as they are known here; those of others are NaN."""
        unknown = np.full(self.dimension, np.nan)
        if np.ndim(positions) == 0:
            return self._known.get(int(positions), unknown)
        found = [self._known.get(position, unknown) for position in positions.tolist()]
        return np.array(found).reshape(len(found), self.dimension)

    def extended(self, points: ArrayLike, labels: ArrayLike | None = None) -> "ShardedArms":
        """Return the set with more arms behind those it has, in the last part."""
        if labels is not None:
            raise ValueError("labels must be left out: arms in parts go by their positions")
        new = Arms(points, self.metric, scale=False)
        if new.dimension != self.dimension:
            raise ValueError(f"points must have {self.dimension} coordinates as the other arms, got {new.dimension}")
        low, high = new.extent
        frame = Frame(self.unit, np.minimum(self.frame.low, low), np.maximum(self.frame.high, high))
        # As they were given: the shard brings them to unit length where needed, once.
        more = ShardedArms(self.metric, [*self.counts[:-1], self.counts[-1] + len(new)], frame, np.array(points))
        more._known = self._known
        return more
