"""A policy that takes part in a contest, with the settings to try: by its name, or given as an object."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.evaluation.simulate import Player
from quickdraw_lab.contest.grids import checked_grid, settings_of, version_of
from quickdraw_lab.players.built_in import known_policies
from quickdraw_lab.players.by_name import source_of
from quickdraw_lab.players.contestant import Contestant, Value

Settings = Sequence[tuple[tuple[str, Value], ...]]


@dataclass(frozen=True)
class Entrant:
    """A policy with the settings to try.

    Attributes
    ----------
    name
        Under which it plays.
    source
        Identifies its version; empty for a built-in policy.
    given
        Builds it as ``given(arms, **parameters, seed=...)``; None for one that is found by its name.
    grid
        The settings of a policy that was given, its defaults first.
    """

    name: str
    source: str = ""
    given: Callable[..., Player[int]] | None = None
    grid: Settings = ((),)

    @classmethod
    def of(cls, policy: "object", name: str | None = None) -> "Entrant":
        """Return the entrant of a name, a class, a function that builds a policy, a built policy, or an entrant.

        Parameters
        ----------
        policy
            A name is that of a built-in class, or ``module:Class``. A class or function is called as
            ``policy(arms, **parameters, seed=...)``; settings to try are its attribute ``contest_grid``. A policy that
            was built already plays as a copy on every environment with as many arms.
        name
            Under which it plays, by default that of the class or function.
        """
        if isinstance(policy, Entrant):
            return policy
        if isinstance(policy, str):
            return cls(policy, " ".join(filter(None, (source_of(policy), version_of(policy)))))
        built_in = next((known for known, each in known_policies().items() if each is policy), None)
        if built_in is not None and name is None:
            return cls(built_in)
        own = str(name or getattr(policy, "__name__", type(policy).__name__))
        if own in known_policies():
            if name is not None:
                raise ValueError(f"policies must not give a name of the library to a policy of your own, got {name!r}")
            own = f"own {own}"
        if callable(policy) and not callable(getattr(type(policy), "select", None)):
            return cls(own, "", policy, checked_grid(own, getattr(policy, "contest_grid", ({},))))
        if callable(getattr(policy, "select", None)) and callable(getattr(policy, "update", None)):
            return cls(own, "", CopyOf(policy))  # type: ignore[arg-type]
        raise ValueError(
            f"policies must be names, classes, functions that build a policy, or objects with select and update, "
            f"got {policy!r}"
        )

    def contestants(self, budget: int) -> tuple[Contestant, ...]:
        """Return the policy with each of the first settings."""
        settings = settings_of(self.name, budget) if self.given is None else self.grid[:budget]
        return tuple(Contestant(self.name, setting, self.source, self.given) for setting in settings)


@dataclass(frozen=True)
class CopyOf:
    """Builds copies of a policy, for environments that have as many arms."""

    policy: Player[int]

    def __call__(self, arms: Arms, seed: int) -> Player[int]:
        """Return a copy."""
        own = getattr(self.policy, "arms", None)
        if own is not None and len(own) != len(arms):
            raise ValueError(f"it was built on {len(own)} arms, and the environment has {len(arms)}; give its class")
        return copy.deepcopy(self.policy)
