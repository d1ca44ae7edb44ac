"""What an experiment is: checks, the form in which it is stored, and the policy that it describes."""

import inspect
import io
import math
import re
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from quickdraw_bandits import Arms, Mixed, policies
from quickdraw_bandits.arms.metrics import METRICS
from quickdraw_bandits.checks import fraction, integer, positive
from quickdraw_service.errors import BadRequestError
from quickdraw_service.requests import Definition

POLICIES = tuple(sorted(set(policies.__all__) - {"Policy", "BanditConvex"}))
"""Policies that the service plays: those whose state follows from the log alone.

``BanditConvex`` is none of them: it plays pairs of arms on both sides of a random direction, which no log holds, and in
more than one dimension its choices have no probabilities in closed form.
"""
NOT_PARAMETERS = ("self", "arms", "seed", "features", "forgettings", "length_scales", "library")
"""What a definition has elsewhere, or cannot hold; the Gaussian processes of other libraries need not be installed."""
NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
"""Names of experiments."""
_NAME = re.compile(NAME_PATTERN.replace("$", r"\Z"))
LARGEST_SEED = 2**63 - 1


class _Stored(msgspec.Struct, frozen=True):
    """A definition without its points."""

    grid: tuple[float, float, int] | None
    metric: str
    labels: list[str] | None
    policy: str
    parameters: dict[str, float | int | str | None]
    uniform: float
    seed: int
    reward_within: float | None


def parameters_of(policy: str) -> dict[str, object]:
    """Return the parameters of a policy of the service, and their defaults.

    Examples
    --------
    >>> parameters_of("Restless")
    {'volatility': 0.3, 'first_arms': 100}
    """
    if policy not in POLICIES:
        raise BadRequestError(f"policy must be one of {', '.join(POLICIES)}, got {policy!r}")
    signature = inspect.signature(getattr(policies, policy).__init__)
    return {name: each.default for name, each in signature.parameters.items() if name not in NOT_PARAMETERS}


@lru_cache(1024)
def check_name(name: str) -> None:
    """Raise BadRequestError for a name that no experiment can have."""
    if not _NAME.match(name):
        raise BadRequestError(
            "the name of an experiment must be 1 to 128 letters, digits, dots, hyphens and underscores, and begin with "
            f"a letter or digit, got {name[:140]!r}"
        )


def build(definition: Definition) -> Mixed:
    """Return the policy that a definition describes, or raise BadRequestError."""
    known = parameters_of(definition.policy)
    for name in definition.parameters:
        if name not in known:
            expected = f"one of {', '.join(known)}" if known else "left out"
            raise BadRequestError(f"parameters of {definition.policy} must be {expected}, got {name!r}")
    try:
        seed = integer("seed", definition.seed, at_least=0, at_most=LARGEST_SEED)
        uniform = fraction("uniform", definition.uniform)
        if definition.reward_within is not None:
            positive("reward_within", definition.reward_within)
        arms = build_arms(definition)
        chosen: Any = getattr(policies, definition.policy)
        return Mixed(chosen(arms, **definition.parameters, seed=seed), uniform=uniform, seed=seed)
    except (ValueError, TypeError, NotImplementedError) as error:
        raise BadRequestError(str(error)) from error


def build_arms(definition: Definition) -> Arms:
    """Return the arms of a definition; ValueError if there are none such."""
    if (definition.grid is None) == (definition.points is None):
        raise ValueError("arms must be given by a grid or by points, and not by both")
    if definition.grid is not None:
        low, high, n = definition.grid
        if definition.metric != "euclidean":
            raise ValueError(f"metric must be euclidean for a grid, got {definition.metric!r}")
        grid = Arms.grid(low, high, n)
        return grid if definition.labels is None else Arms(grid.points, labels=definition.labels)
    if definition.metric not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(METRICS)}, got {definition.metric!r}")
    return Arms(definition.points, metric=definition.metric, labels=definition.labels)  # type: ignore[arg-type]


def to_stored(definition: Definition) -> tuple[str, bytes | None]:
    """Return a definition as JSON, and its points in NumPy's file format.

    Equal definitions give equal results: parameters are in the order of their names, and every number has one form.
    """
    values = {name: getattr(definition, name) for name in _Stored.__struct_fields__}
    values["parameters"] = {name: _plain(value) for name, value in sorted(definition.parameters.items())}
    values["uniform"] = float(definition.uniform)
    if definition.grid is not None:
        low, high, n = definition.grid
        values["grid"] = (float(low), float(high), int(n))
    if definition.reward_within is not None:
        values["reward_within"] = float(definition.reward_within)
    points = None
    if definition.points is not None:
        file = io.BytesIO()
        np.save(file, np.ascontiguousarray(definition.points, dtype=np.float64), allow_pickle=False)
        points = file.getvalue()
    return msgspec.json.encode(_Stored(**values)).decode(), points


def from_stored(text: str, points: bytes | None) -> Definition:
    """Return the definition that ``to_stored`` was given."""
    stored = msgspec.json.decode(text, type=_Stored)
    values = {name: getattr(stored, name) for name in _Stored.__struct_fields__}
    array = None if points is None else np.load(io.BytesIO(points), allow_pickle=False)
    return Definition(points=array, **values)


def _plain(value: float | int | str | None) -> float | int | str | None:
    """Return a whole number as an int, so that 2 and 2.0 are the same."""
    if isinstance(value, float) and math.isfinite(value) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value
