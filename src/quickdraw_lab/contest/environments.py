"""The environments of the contest, by name.

A specification describes any number of environments of one kind; the same part and number always give the same one.
Environments of the tuning part are used to choose parameters, those of the result part for the result only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import not_negative, positive
from quickdraw_bandits.environments import Environment, KnownFunction, RandomField, Recorded
from quickdraw_lab.contest.recorded_rewards import read_recorded
from quickdraw_lab.testbed import TestBed

Part = Literal["tuning", "result"]
PARTS: tuple[Part, ...] = ("tuning", "result")


@dataclass(frozen=True)
class EnvironmentSpec:
    """What an environment is made of.

    Attributes
    ----------
    kind
        One of ``KINDS``.
    settings
        Those that differ from the defaults of the kind, sorted by name.
    path
        File of recorded rewards; empty for other kinds. The same content elsewhere is the same environment.
    content
        Checksum of that file, so that other content under the same name is another environment.
    given
        Makes an environment for a part from a seed, for the kind ``"given"``; None for other kinds.
    """

    kind: str
    settings: tuple[tuple[str, float], ...] = ()
    path: str = field(default="", compare=False)
    content: str = ""
    given: "Callable[[Part, int], Environment] | None" = field(default=None, compare=False, repr=False)

    def value(self, name: str) -> float:
        """Return a setting."""
        return dict(self.settings).get(name, KINDS[self.kind].settings[name])


@dataclass(frozen=True)
class Kind:
    """A kind of environment: its description, its settings with their defaults, and the function that builds one."""

    about: str
    settings: Mapping[str, float]
    build: Callable[[EnvironmentSpec, Part, TestBed, int], Environment]


def build_environment(spec: EnvironmentSpec, part: Part, number: int, test_bed: TestBed) -> Environment:
    """Return the environment with this number in a part.

    Examples
    --------
    >>> test_bed = TestBed(n_arms=20, n_rounds=30, warmup=10)
    >>> tuning, result = (build_environment(ENVIRONMENTS["base"], part, 0, test_bed) for part in PARTS)
    >>> tuning.seed == result.seed
    False
    """
    return KINDS[spec.kind].build(spec, part, test_bed, seed_of(test_bed, part, number))


def seed_of(test_bed: TestBed, part: Part, number: int) -> int:
    """Return the seed of an environment: of its rewards, noise and warm-up, and of the policies that play on it."""
    return test_bed.seed_at(PARTS.index(part), number)


def warmup_of(env: Environment, test_bed: TestBed) -> int:
    """Return the number of random rounds at the start: the same share of all rounds in every environment."""
    return round(test_bed.warmup * env.n_rounds / test_bed.n_rounds)


def _random_field(spec: EnvironmentSpec, part: Part, test_bed: TestBed, seed: int) -> Environment:
    shared = _shared_field(spec.value("rho_x"), spec.value("rho_t"), test_bed.n_arms, test_bed.n_rounds, seed)
    return shared.vary(spec.value("alpha"), spec.value("noise"))


@lru_cache(maxsize=1)
def _shared_field(rho_x: float, rho_t: float, n_arms: int, n_rounds: int, seed: int) -> RandomField:
    """Build a field once for all powers and noise levels that are played in succession."""
    return RandomField(rho_x, rho_t, n_arms=n_arms, n_rounds=n_rounds, seed=seed)


def _few_arms(spec: EnvironmentSpec, part: Part, test_bed: TestBed, seed: int) -> Environment:
    """Build independent arms, all at the same distance from each other.

    The rewards are those of a field whose correlation length over arms is far below the distance between arms.
    """
    n_arms = int(spec.value("arms"))
    of_time = RandomField(1e-3, spec.value("rho_t"), n_arms=n_arms, n_rounds=test_bed.n_rounds, seed=seed)
    return Recorded(of_time.mean, Arms(np.eye(n_arms)), of_time.times, noise=spec.value("noise"), seed=seed)


def _hill(spec: EnvironmentSpec, part: Part, test_bed: TestBed, seed: int) -> Environment:
    peak = _drawn(seed, -0.8, 0.8)
    return _known(lambda x: 1 - ((x - peak) / 2) ** 2, spec, test_bed, seed)


def _moving_hill(spec: EnvironmentSpec, part: Part, test_bed: TestBed, seed: int) -> Environment:
    phase, turns = _drawn(seed, 0, 2 * np.pi), spec.value("turns")
    return _known(
        lambda x, t: 1 - ((x - 0.8 * np.sin(2 * np.pi * turns * t + phase)) / 2) ** 2,
        spec, test_bed, seed,
    )  # fmt: skip


def _turning_line(spec: EnvironmentSpec, part: Part, test_bed: TestBed, seed: int) -> Environment:
    phase, turns = _drawn(seed, 0, 2 * np.pi), spec.value("turns")
    return _known(lambda x, t: 0.5 + 0.5 * x * np.sin(2 * np.pi * turns * t + phase), spec, test_bed, seed)


def _known(function: Callable[..., object], spec: EnvironmentSpec, test_bed: TestBed, seed: int) -> Environment:
    return KnownFunction(function, test_bed.n_arms, test_bed.n_rounds, noise=spec.value("noise"), seed=seed)


def _drawn(seed: int, low: float, high: float) -> float:
    return float(np.random.default_rng(seed).uniform(low, high))


def _recorded(spec: EnvironmentSpec, part: Part, test_bed: TestBed, seed: int) -> Environment:
    """Return the rounds of the record that belong to this part, or all rounds in hindsight.

    Times are those of the whole record, so that time scales mean the same in both parts.
    """
    header = spec.value("header")
    record = read_recorded(
        spec.path, spec.content, bool(spec.value("arms_in_rows")), None if header < 0 else bool(header)
    )
    if spec.value("hindsight"):
        return Recorded(record.mean, record.arms, record.times, noise=spec.value("noise"), seed=seed)
    return part_of(record, part, spec.value("noise"), seed)


def part_of(record: Recorded, part: Part, noise: float, seed: int) -> Recorded:
    """Return the first rounds of a record for tuning, or the others for the result."""
    cut = round(TUNING_SHARE * record.n_rounds)
    rounds = slice(0, cut) if part == "tuning" else slice(cut, None)
    return Recorded(record.mean[rounds], record.arms, record.times[rounds], noise=noise, seed=seed)


def _given(spec: EnvironmentSpec, part: Part, test_bed: TestBed, seed: int) -> Environment:
    assert spec.given is not None  # that is what the kind means
    return spec.given(part, seed)


MOST_FEW_ARMS = 10_000
"""With more independent arms, the matrix of their coordinates takes too much memory."""

RECORDED = {"noise": 0.0, "hindsight": 0.0, "arms_in_rows": 0.0, "header": -1.0}
"""Settings of recorded rewards; a header of -1 is found out."""

TUNING_SHARE = 0.4
"""Share of a record, from its beginning, on which parameters are tuned."""

KINDS: Mapping[str, Kind] = {
    "field": Kind(
        "the paper's random field over arms on a line",
        {"rho_x": 0.1, "rho_t": 0.1, "alpha": 1.0, "noise": 0.0},
        _random_field,
    ),
    "few-arms": Kind("independent arms that drift slowly", {"arms": 10, "rho_t": 1.0, "noise": 0.1}, _few_arms),
    "hill": Kind("a concave function that does not change", {"noise": 0.1}, _hill),
    "moving-hill": Kind("a concave function that moves back and forth", {"noise": 0.1, "turns": 1.0}, _moving_hill),
    "turning-line": Kind("a line whose slope rises and falls", {"noise": 0.1, "turns": 1.0}, _turning_line),
    "recorded": Kind("recorded rewards", RECORDED, _recorded),
    "given": Kind("an environment of your own", {}, _given),
}

ENVIRONMENTS: Mapping[str, EnvironmentSpec] = {
    "base": EnvironmentSpec("field"),
    "noise-0.1": EnvironmentSpec("field", (("noise", 0.1),)),
    "noise-0.3": EnvironmentSpec("field", (("noise", 0.3),)),
    "alpha-3": EnvironmentSpec("field", (("alpha", 3.0),)),
    "slow-drift": EnvironmentSpec("field", (("rho_t", 1.0),)),
    "fast-drift": EnvironmentSpec("field", (("rho_t", 0.01),)),
    "few-arms": EnvironmentSpec("few-arms"),
    "hill": EnvironmentSpec("hill"),
    "moving-hill": EnvironmentSpec("moving-hill"),
    "turning-line": EnvironmentSpec("turning-line"),
}
"""The environments that need no file."""


def find_environment(text: str, recorded: Mapping[str, EnvironmentSpec]) -> EnvironmentSpec:
    """Return the environment of a name, with other settings if the text has some: ``base:rho_x=0.3,noise=0.1``.

    Examples
    --------
    >>> find_environment("base:noise=0.2", {}).settings
    (('noise', 0.2),)
    """
    name, _, rest = text.partition(":")
    known = {**ENVIRONMENTS, **recorded}
    if name not in known:
        raise ValueError(f"there is no environment {name!r}; known environments are {', '.join(known)}")
    spec = known[name]
    defaults = KINDS[spec.kind].settings
    settings = dict(spec.settings)
    for item in filter(None, rest.split(",")):
        setting, _, value = item.partition("=")
        if setting not in defaults:
            raise ValueError(f"environment {text!r}: the settings of {name} are {', '.join(defaults)}, got {item!r}")
        try:
            settings[setting] = _checked(setting, value)
        except ValueError as error:
            raise ValueError(f"environment {text!r}: {error}") from None
    changed = sorted((name, value) for name, value in settings.items() if value != defaults[name])
    return EnvironmentSpec(spec.kind, tuple(changed), spec.path, spec.content)


def _checked(setting: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{setting} must be a number, got {text!r}") from None
    if setting == "arms":
        if not (2 <= value <= MOST_FEW_ARMS and value.is_integer()):
            raise ValueError(f"arms must be an integer from 2 to {MOST_FEW_ARMS}, got {text}")
        return value
    if setting in ("hindsight", "arms_in_rows", "header"):
        if value not in (0, 1):
            raise ValueError(f"{setting} must be 0 or 1, got {text}")
        return value
    return (positive if setting in ("rho_x", "rho_t", "alpha", "turns") else not_negative)(setting, value)
