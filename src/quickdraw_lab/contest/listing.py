"""The list of all policies and environments that can take part in a contest."""

import inspect
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.evaluation.simulate import Player
from quickdraw_lab.contest.environments import ENVIRONMENTS, KINDS, EnvironmentSpec
from quickdraw_lab.contest.grids import ORACLES, grid_of, has_grid
from quickdraw_lab.players.built_in import known_policies
from quickdraw_lab.players.by_name import full_name, load_policy


def described_policies(own: list[str]) -> Iterator[tuple[str, str]]:
    """Yield every policy with what it does, the kinds of arms it plays, its parameters and the size of its grid."""
    for name in dict.fromkeys((*sorted(known_policies()), *map(full_name, own))):
        policy = load_policy(name)
        first = (inspect.getdoc(policy) or "").partition("\n")[0]
        parameters = ", ".join(_parameters(policy)) or "none"
        if name in ORACLES:
            grid = "an oracle: told the covariance of the field"
        elif not has_grid(name):
            grid = "no grid: plays with its defaults"
        else:
            grid = "not tuned" if len(grid_of(name)) == 1 else f"{len(grid_of(name))} settings in its grid"
        yield name, f"{first} Plays {_plays(policy)}. Parameters: {parameters}. ({grid})"


def described_environments(recorded: Mapping[str, EnvironmentSpec]) -> Iterator[tuple[str, str]]:
    """Yield every environment with its description: what it is, and its settings."""
    for name, spec in {**ENVIRONMENTS, **recorded}.items():
        kind = KINDS[spec.kind]
        settings = ", ".join(f"{setting}={spec.value(setting):g}" for setting in kind.settings)
        yield name, f"{kind.about}; {settings}"


def _parameters(policy: Callable[..., Player[int]]) -> Iterator[str]:
    for parameter in inspect.signature(policy).parameters.values():
        if parameter.name not in ("arms", "seed"):
            yield parameter.name if parameter.default is parameter.empty else f"{parameter.name}={parameter.default!r}"


def _plays(policy: Callable[..., Player[int]]) -> str:
    """Return the kinds of arms that a policy can be built on, by trying each."""
    angles = np.linspace(0.1, 1.0, 8)
    pairs = np.column_stack([angles, angles[::-1] ** 2])
    examples: dict[str, Arms | Box] = {
        "arms on a line": Arms.grid(-1, 1, 8),
        "points": Arms(pairs),
        "cosine": Arms(pairs, "cosine"),
        "haversine": Arms(pairs, "haversine"),
        "precomputed distances": Arms(np.abs(angles[:, None] - angles), "precomputed"),
        "boxes": Box(-1.0, 1.0),
    }
    found = [name for name, arms in examples.items() if _can_be_built(policy, arms)]
    return ", ".join(found) or "none of the known kinds of arms"


def _can_be_built(policy: Callable[..., Player[int]], arms: Arms | Box) -> bool:
    try:
        policy(arms, seed=0)
    except Exception:
        return False
    return True
