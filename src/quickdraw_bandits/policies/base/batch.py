"""Several arms to try at once, and some of the arms only."""

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Box
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, integer

if TYPE_CHECKING:
    from quickdraw_bandits.policies.policy import Policy


CLOSE = 1e-3
"""How far apart places that would be the same are put, as a share of each side of the box."""
TRIES = 40
"""How often that is tried, each time twice as far until all of the box is: few numbers may lie between its corners."""
MOST_PLACES = 10_000
"""How many places in a box can be asked for at once: each is a choice of its own, and no arms run out."""


def checked_count(policy: "Policy[Any]", among: Subset | None, count: int | None) -> int | None:
    """Return how many arms are asked for, None for a single one, or raise ValueError for more than there are."""
    if count is None:
        return None
    arms: Any = policy.arms
    box = isinstance(arms, Box)
    if not box:
        refuse_all_or_nothing(policy)
    most = MOST_PLACES if box else len(arms) if among is None else len(among)
    return integer("count", count, at_least=1, at_most=most)


def choose_several(policy: "Policy[Any]", time: float, among: Subset | None, count: int) -> NDArray[Any]:
    """Return different arms, each chosen as if those before it were pending; none of them is pending afterwards."""
    arms: Any = policy.arms
    box = isinstance(arms, Box)
    left = among
    chosen: list[Any] = []
    taken: set[tuple[float, ...]] = set()
    try:
        for _ in range(count):
            arm = policy._choose(time, left)
            if box:
                arm = _apart(arm, taken, arms, policy._random)
                taken.add(tuple(arm.tolist()))
            chosen.append(arm)
            policy._pending.add(time, arm)
            if not box:
                left = left or Subset(len(arms), excluded=np.empty(0, dtype=np.int64))
                left = left.without(np.array([arm]))
    finally:
        for arm in chosen:
            policy._pending.remove(time, arm)
    return np.array(chosen)


def _apart(place: Floats, taken: set[tuple[float, ...]], box: Box, random: np.random.Generator) -> Floats:
    """Return the place, or another in the box where it is taken already.

    With pulls pending there, a policy may still take one place for the best; each axis is moved by up to a thousandth,
    and further where all of these are taken. Where the box has no others, the place is returned again.
    """
    first, side = place, box.high - box.low
    for attempt in range(TRIES):
        if tuple(place.tolist()) not in taken:
            break
        step = min(CLOSE * 2.0**attempt, 1.0) * side * random.random(len(first))
        inwards = np.where(first + step > box.high, -step, step)
        place = np.maximum(first + inwards, box.low)
    return place


def refuse_all_or_nothing(policy: "Policy[Any]") -> None:
    """Raise NotImplementedError for a policy whose ``_select`` takes no subset of the arms."""
    if not _takes_subsets(type(policy)):
        name = type(policy).__name__
        raise NotImplementedError(
            f"{name} chooses among all arms only; let its _select(self, time, among=None) take a subset of them"
        )


@cache
def _takes_subsets(kind: "type[Policy[Any]]") -> bool:
    return "among" in inspect.signature(kind._select).parameters
