"""Policies by their names."""

import inspect
from collections.abc import Iterable

from quickdraw_bandits import policies
from quickdraw_bandits.policies import Policy

PAPER = ("Random", "SlidingEpsilonGreedy", "Restless", "SlidingGPUCB", "QuickDraw")
"""The five policies of the paper's experiments."""


def known_policies() -> dict[str, type[Policy]]:
    """Return every policy of the package by the name of its class."""
    public = (getattr(policies, name) for name in policies.__all__)
    return {
        each.__name__: each
        for each in public
        if isinstance(each, type) and issubclass(each, Policy) and not inspect.isabstract(each)
    }


def find_policies(names: Iterable[str]) -> list[type[Policy]]:
    """Return the policies of these names, once each; upper and lower case are the same.

    Examples
    --------
    >>> [policy.__name__ for policy in find_policies(["quickdraw", "random", "QuickDraw"])]
    ['QuickDraw', 'Random']
    """
    known = known_policies()
    by_lower = {name.lower(): policy for name, policy in known.items()}
    found: dict[type[Policy], None] = {}
    for name in names:
        if name.lower() not in by_lower:
            raise ValueError(f"there is no policy {name!r}; known are {', '.join(sorted(known))}")
        found[by_lower[name.lower()]] = None
    return list(found)
