"""A policy with its parameters, as it takes part in a figure or a contest."""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Self
from warnings import catch_warnings

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace, simulate
from quickdraw_bandits.evaluation.simulate import Player
from quickdraw_bandits.policies.scale_warning import ScaleWarning
from quickdraw_lab.policies.by_name import load_policy
from quickdraw_lab.policies.rehearse import prepare
from quickdraw_lab.runner.run import Record

Value = float | str | None
"""The value of a parameter."""


@dataclass(frozen=True)
class Contestant:
    """A policy that takes part.

    Attributes
    ----------
    policy
        Name of a built-in class, or ``module:Class``.
    parameters
        Those that differ from the defaults, sorted by name.
    source
        Identifies the version of a policy from elsewhere; empty for a built-in one.
    """

    policy: str
    parameters: tuple[tuple[str, Value], ...] = ()
    source: str = ""

    def build(self, arms: Arms, seed: int) -> Player:
        """Return a new policy on these arms."""
        return load_policy(self.policy)(arms, **dict(self.parameters), seed=seed)

    def to_json(self) -> Record:
        """Return plain values."""
        return {"policy": self.policy, "parameters": dict(self.parameters), "source": self.source}

    @classmethod
    def from_json(cls, values: Record) -> Self:
        """Return the contestant with these plain values; other keys are ignored."""
        return cls(values["policy"], tuple(sorted(values["parameters"].items())), values["source"])


def measure(
    contestant: Contestant,
    build: Callable[[], Player],
    env: Environment,
    warmup: int,
    record: Callable[[Trace, float], Record],
) -> Record:
    """Play one run and return what ``record`` makes of its trace and processor time, or the error it raised.

    The seed of the environment is also that of the warm-up.
    """
    try:
        prepare(contestant.policy)
        policy = build()
        start = process_time()
        with catch_warnings(action="ignore", category=ScaleWarning):  # sweeps and grids include extreme scales
            trace = simulate(policy, env, warmup, env.seed)
        cpu_seconds = process_time() - start
    except (Exception, SystemExit) as error:
        # A policy from elsewhere may raise anything; the other runs continue.
        return {"error": one_line(error)}
    return record(trace, cpu_seconds)


def one_line(error: BaseException) -> str:
    """Return an error as one line that can be printed and stored anywhere."""
    text = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    return text.encode(errors="backslashreplace").decode()
