"""What can take part: policies with what they play and their parameters, and environments."""

import inspect
from collections.abc import Iterator, Mapping

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_lab.contest.arenas import ARENAS, KINDS, Arena
from quickdraw_lab.contest.grids import KNOWS_THE_FIELD, grid_of, has_grid
from quickdraw_lab.known_policies import known_policies
from quickdraw_lab.own_policies import full_name, load_policy


def policy_lines(own: list[str]) -> Iterator[str]:
    """Yield a line to a policy: what it does, what arms it plays, its parameters, how many settings are tried."""
    for name in dict.fromkeys((*sorted(known_policies()), *map(full_name, own))):
        policy = load_policy(name)
        first = (inspect.getdoc(policy) or "").partition("\n")[0]
        parameters = ", ".join(_parameters(policy)) or "no parameters"
        if name in KNOWS_THE_FIELD:
            tried = "told what the field is made of: what is attainable"
        elif not has_grid(name):
            tried = "no grid: its defaults"
        else:
            tried = "not tuned" if len(grid_of(name)) == 1 else f"{len(grid_of(name))} settings in its grid"
        yield f"{name}: {first} Plays {_plays(policy)}. {parameters}. ({tried})"


def arena_lines(recorded: Mapping[str, Arena]) -> Iterator[str]:
    """Yield a line to an environment: what it is, and its settings."""
    for name, arena in {**ARENAS, **recorded}.items():
        kind = KINDS[arena.kind]
        settings = ", ".join(f"{setting}={arena.value(setting):g}" for setting in kind.settings)
        yield f"{name}: {kind.about}; {settings}"


def _parameters(policy: object) -> Iterator[str]:
    for parameter in inspect.signature(policy).parameters.values():  # type: ignore[arg-type]
        if parameter.name not in ("arms", "seed"):
            yield parameter.name if parameter.default is parameter.empty else f"{parameter.name}={parameter.default!r}"


def _plays(policy: object) -> str:
    """Tell what arms a policy can be built on, by building it on some of each kind."""
    angles = np.linspace(0.1, 1.0, 8)
    pairs = np.column_stack([angles, angles[::-1] ** 2])
    examples = {
        "arms on a line": Arms.grid(-1, 1, 8),
        "points": Arms(pairs),
        "cosine": Arms(pairs, "cosine"),
        "haversine": Arms(pairs, "haversine"),
        "precomputed distances": Arms(np.abs(angles[:, None] - angles), "precomputed"),
        "boxes": Box(-1.0, 1.0),
    }
    found = [name for name, arms in examples.items() if _can_be_built(policy, arms)]
    return ", ".join(found) or "nothing that is tried here"


def _can_be_built(policy: object, arms: object) -> bool:
    try:
        policy(arms, seed=0)  # type: ignore[operator]
    except Exception:
        return False
    return True
