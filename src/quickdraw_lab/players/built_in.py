"""The library's policies by name."""

import inspect
from collections.abc import Iterable

from quickdraw_bandits import policies
from quickdraw_bandits.plots.style import style_of
from quickdraw_bandits.policies import Policy

PAPER = ("Random", "SlidingEpsilonGreedy", "Restless", "SlidingGPUCB", "QuickDraw")
"""The five policies of the paper's experiments."""

DEFAULT = ("AdaptiveQuickDraw", *reversed(PAPER))
"""What ``quickdraw play`` and the demo play: the policy for newcomers, then those of the paper, best first."""


def known_policies() -> dict[str, type[Policy[int]]]:
    """Return every policy of the library by the name of its class."""
    public = (getattr(policies, name) for name in policies.__all__)
    return {
        each.__name__: each
        for each in public
        if isinstance(each, type) and issubclass(each, Policy) and not inspect.isabstract(each)
    }


def find_policies(names: Iterable[str]) -> list[type[Policy[int]]]:
    """Return the policies with these names, without repetition.

    Names are those of classes or those shown in figures. Case is ignored, and commas separate names.

    Examples
    --------
    >>> [policy.__name__ for policy in find_policies(["quickdraw,random", "QuickDraw", "SW-GP-UCB"])]
    ['QuickDraw', 'Random', 'SlidingGPUCB']
    """
    known = known_policies()
    by_name = {name.lower(): policy for name, policy in known.items()}
    by_name |= {style_of(name).label.lower(): policy for name, policy in known.items()}
    found: dict[type[Policy[int]], None] = {}
    for name in (part for text in names for part in text.split(",") if part):
        if name.lower() not in by_name:
            raise ValueError(f"there is no policy {name!r}; known policies are {', '.join(sorted(known))}")
        found[by_name[name.lower()]] = None
    return list(found)
