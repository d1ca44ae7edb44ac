"""Several arms to try at once, and some of the arms only."""

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Box
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import integer

if TYPE_CHECKING:
    from quickdraw_bandits.policies.policy import Policy


MOST_PLACES = 10_000
"""How many places in a box can be asked for at once: each is a choice of its own, and no arms run out."""


def choose_several(policy: "Policy[Any]", time: float, among: Subset | None, count: int) -> NDArray[Any]:
    """Return different arms, each chosen as if those before it were pending; none of them is pending afterwards."""
    arms: Any = policy.arms
    box = isinstance(arms, Box)
    if not box:
        refuse_all_or_nothing(policy)
    most = MOST_PLACES if box else len(arms) if among is None else len(among)
    count = integer("count", count, at_least=1, at_most=most)
    left = among
    chosen: list[Any] = []
    try:
        for _ in range(count):
            arm = policy._choose(time, left)
            chosen.append(arm)
            policy._pending.add(time, arm)
            if not box:
                left = left or Subset(len(arms), excluded=np.empty(0, dtype=np.int64))
                left = left.without(np.array([arm]))
    finally:
        for arm in chosen:
            policy._pending.remove(time, arm)
    return np.array(chosen)


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
