"""Compiling ahead, once per kind of policy and process."""

from collections.abc import Sequence

from quickdraw_bandits import AdaptiveQuickDraw, Arms, Mixed, QuickDraw, warm_up

_warmed: set[tuple[str, str, int]] = set()


def warm(policies: Sequence[Mixed]) -> None:
    """Compile what these policies need; where there are none, what most experiments will need."""
    few = Arms.grid(0, 1, 100)
    usual = [Mixed(QuickDraw(few, seed=0)), Mixed(AdaptiveQuickDraw(few, seed=0))]
    for policy in policies or usual:
        kind = type(policy.policy).__name__, policy.arms.metric, policy.arms.dimension
        if kind not in _warmed:
            warm_up(policy)
            _warmed.add(kind)
