"""Policies by their names."""

import inspect
from collections.abc import Iterable

from quickdraw_bandits import policies
from quickdraw_bandits.policies import Policy
from quickdraw_lab.plots.style import look_of

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
    """Return the policies of these names, once each.

    Upper and lower case are the same, commas separate names too, and the names that figures show are known as well.

    Examples
    --------
    >>> [policy.__name__ for policy in find_policies(["quickdraw,random", "QuickDraw", "SW-GP-UCB"])]
    ['QuickDraw', 'Random', 'SlidingGPUCB']
    """
    known = known_policies()
    by_name = {name.lower(): policy for name, policy in known.items()}
    by_name |= {look_of(name).label.lower(): policy for name, policy in known.items()}
    found: dict[type[Policy], None] = {}
    for name in (part for text in names for part in text.split(",") if part):
        if name.lower() not in by_name:
            raise ValueError(f"there is no policy {name!r}; known are {', '.join(sorted(known))}")
        found[by_name[name.lower()]] = None
    return list(found)
