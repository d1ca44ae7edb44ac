"""The environments of the contest, by name.

An arena makes any number of environments of one kind: the same number and part always give the same one. Those of the
tuning part serve to choose parameters, those of the result part for nothing but the result.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import not_negative, positive
from quickdraw_bandits.environments import Environment, KnownFunction, RandomField, Recorded
from quickdraw_lab.bed import Bed
from quickdraw_lab.contest.records import read_record

Part = Literal["tuning", "result"]
PARTS: tuple[Part, ...] = ("tuning", "result")


@dataclass(frozen=True)
class Arena:
    """What environments are made of.

    Attributes
    ----------
    kind
        One of ``KINDS``.
    settings
        Those that differ from the kind's own, in the order of their names.
    path
        Where recorded rewards are; empty for the rest. The same content elsewhere is the same arena.
    content
        A checksum of what is recorded: another file under the same name is another arena.
    """

    kind: str
    settings: tuple[tuple[str, float], ...] = ()
    path: str = field(default="", compare=False)
    content: str = ""

    def value(self, name: str) -> float:
        """Return a setting."""
        return dict(self.settings).get(name, KINDS[self.kind].settings[name])


@dataclass(frozen=True)
class Kind:
    """A way to make environments: what it is, its settings with their usual values, and the function that makes one."""

    about: str
    settings: Mapping[str, float]
    make: Callable[[Arena, Part, Bed, int], Environment]


def environment(arena: Arena, part: Part, number: int, bed: Bed) -> Environment:
    """Return an environment of an arena by its part and number.

    Examples
    --------
    >>> bed = Bed(n_arms=20, n_rounds=30, warmup=10)
    >>> tuning, result = (environment(ARENAS["base"], part, 0, bed) for part in PARTS)
    >>> tuning.seed == result.seed
    False
    """
    return KINDS[arena.kind].make(arena, part, bed, seed_of(bed, part, number))


def seed_of(bed: Bed, part: Part, number: int) -> int:
    """Return the seed of an environment: of its rewards, its noise, its warm-up and the policies on it."""
    return int(np.random.SeedSequence(bed.seed, spawn_key=(PARTS.index(part), number)).generate_state(1)[0])


def warmup_of(env: Environment, bed: Bed) -> int:
    """Return how many rounds are random at first: the same share of all rounds everywhere."""
    return round(bed.warmup * env.n_rounds / bed.n_rounds)


def _random_field(arena: Arena, part: Part, bed: Bed, seed: int) -> Environment:
    value = arena.value
    shared = _shared_field(value("rho_x"), value("rho_t"), bed.n_arms, bed.n_rounds, seed)
    return shared.vary(value("alpha"), value("noise"))


@lru_cache(maxsize=1)
def _shared_field(rho_x: float, rho_t: float, n_arms: int, n_rounds: int, seed: int) -> RandomField:
    """Make a field that settings of other power or noise share when they are played one after the other."""
    return RandomField(rho_x, rho_t, n_arms=n_arms, n_rounds=n_rounds, seed=seed)


def _few_arms(arena: Arena, part: Part, bed: Bed, seed: int) -> Environment:
    """Make arms that have nothing to do with each other, which all distances being equal says to the policies.

    Their rewards are those of a field whose correlation over arms ends long before the next arm.
    """
    n_arms = int(arena.value("arms"))
    of_time = RandomField(1e-3, arena.value("rho_t"), n_arms=n_arms, n_rounds=bed.n_rounds, seed=seed)
    return Recorded(of_time.mean, Arms(np.eye(n_arms)), of_time.times, noise=arena.value("noise"), seed=seed)


def _hill(arena: Arena, part: Part, bed: Bed, seed: int) -> Environment:
    peak = _drawn(seed, -0.8, 0.8)
    return _known(lambda x: 1 - ((x - peak) / 2) ** 2, arena, bed, seed)


def _moving_hill(arena: Arena, part: Part, bed: Bed, seed: int) -> Environment:
    phase, turns = _drawn(seed, 0, 2 * np.pi), arena.value("turns")
    return _known(
        lambda x, t: 1 - ((x - 0.8 * np.sin(2 * np.pi * turns * t + phase)) / 2) ** 2,
        arena, bed, seed,
    )  # fmt: skip


def _turning_line(arena: Arena, part: Part, bed: Bed, seed: int) -> Environment:
    phase, turns = _drawn(seed, 0, 2 * np.pi), arena.value("turns")
    return _known(lambda x, t: 0.5 + 0.5 * x * np.sin(2 * np.pi * turns * t + phase), arena, bed, seed)


def _known(function: Callable[..., object], arena: Arena, bed: Bed, seed: int) -> Environment:
    return KnownFunction(function, bed.n_arms, bed.n_rounds, noise=arena.value("noise"), seed=seed)


def _drawn(seed: int, low: float, high: float) -> float:
    return float(np.random.default_rng(seed).uniform(low, high))


def _recorded(arena: Arena, part: Part, bed: Bed, seed: int) -> Environment:
    """Return rounds of the record that only this part plays, or in hindsight all of them.

    Times are those of the whole record, so that what is tuned on one part means the same on the other.
    """
    record = read_record(arena.path, arena.content, bool(arena.value("arms_in_rows")))
    rounds = slice(None)
    if not arena.value("hindsight"):
        cut = round(TUNING_SHARE * record.n_rounds)
        rounds = slice(0, cut) if part == "tuning" else slice(cut, None)
    return Recorded(record.mean[rounds], record.arms, record.times[rounds], noise=arena.value("noise"), seed=seed)


def _checked(setting: str, text: str) -> float:
    """Return the value of a setting, in which there is nothing that would be rounded or ignored."""
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{setting} must be a number, got {text!r}") from None
    if setting == "arms":
        if not (2 <= value <= MOST_FEW_ARMS and value.is_integer()):
            raise ValueError(f"arms must be an integer from 2 to {MOST_FEW_ARMS}, got {text}")
        return value
    if setting in ("hindsight", "arms_in_rows"):
        if value not in (0, 1):
            raise ValueError(f"{setting} must be 0 or 1, got {text}")
        return value
    return (positive if setting in ("rho_x", "rho_t", "alpha", "turns") else not_negative)(setting, value)


MOST_FEW_ARMS = 10_000
"""Beyond that the distances of arms that are all equally far apart take too much memory."""

TUNING_SHARE = 0.4
"""The share of a record, from its beginning, on which parameters are tuned."""

KINDS: Mapping[str, Kind] = {
    "field": Kind(
        "the paper's random field over arms on a line",
        {"rho_x": 0.1, "rho_t": 0.1, "alpha": 1.0, "noise": 0.0},
        _random_field,
    ),
    "few-arms": Kind(
        "independent arms, slowly drifting",
        {"arms": 10, "rho_t": 1.0, "noise": 0.1},
        _few_arms,
    ),
    "hill": Kind("a concave function that stands still", {"noise": 0.1}, _hill),
    "moving-hill": Kind("a concave function that moves to and fro", {"noise": 0.1, "turns": 1.0}, _moving_hill),
    "turning-line": Kind("a line whose slope rises and falls", {"noise": 0.1, "turns": 1.0}, _turning_line),
    "recorded": Kind("recorded rewards", {"noise": 0.0, "hindsight": 0.0, "arms_in_rows": 0.0}, _recorded),
}

ARENAS: Mapping[str, Arena] = {
    "base": Arena("field"),
    "noise-0.1": Arena("field", (("noise", 0.1),)),
    "noise-0.3": Arena("field", (("noise", 0.3),)),
    "alpha-3": Arena("field", (("alpha", 3.0),)),
    "slow-drift": Arena("field", (("rho_t", 1.0),)),
    "fast-drift": Arena("field", (("rho_t", 0.01),)),
    "few-arms": Arena("few-arms"),
    "hill": Arena("hill"),
    "moving-hill": Arena("moving-hill"),
    "turning-line": Arena("turning-line"),
}
"""Those that need no file."""


def find_arena(text: str, recorded: Mapping[str, Arena]) -> Arena:
    """Return the arena of a name, with settings of its own if the text has some: ``base:rho_x=0.3,noise=0.1``.

    Examples
    --------
    >>> find_arena("base:noise=0.2", {}).settings
    (('noise', 0.2),)
    """
    name, _, rest = text.partition(":")
    known = {**ARENAS, **recorded}
    if name not in known:
        raise ValueError(f"there is no environment {name!r}; known are {', '.join(known)}")
    arena = known[name]
    settings = dict(arena.settings)
    for item in filter(None, rest.split(",")):
        setting, _, value = item.partition("=")
        possible = KINDS[arena.kind].settings
        if setting not in possible:
            raise ValueError(f"environment {text!r}: the settings of {name} are {', '.join(possible)}, got {item!r}")
        try:
            settings[setting] = _checked(setting, value)
        except ValueError as error:
            raise ValueError(f"environment {text!r}: {error}") from None
    usual = KINDS[arena.kind].settings
    changed = sorted((name, value) for name, value in settings.items() if value != usual[name])
    return Arena(arena.kind, tuple(changed), arena.path, arena.content)
