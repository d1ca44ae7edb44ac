"""A policy with its parameters, as it takes part in a figure or a contest."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from time import process_time
from typing import Self
from warnings import catch_warnings

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace, simulate
from quickdraw_bandits.evaluation.simulate import Player
from quickdraw_bandits.policies.scale_warning import ScaleWarning
from quickdraw_lab.players.by_name import load_policy
from quickdraw_lab.players.rehearse import prepare
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
    given
        Builds the policy as ``given(arms, **parameters, seed=...)``; None for one that is found by its name.
    """

    policy: str
    parameters: tuple[tuple[str, Value], ...] = ()
    source: str = ""
    given: Callable[..., Player[int]] | None = field(default=None, compare=False, repr=False)

    def build(self, arms: Arms, seed: int) -> Player[int]:
        """Return a new policy on these arms."""
        build = load_policy(self.policy) if self.given is None else self.given
        return build(arms, **dict(self.parameters), seed=seed)

    def to_json(self) -> Record:
        """Return plain values."""
        return {"policy": self.policy, "parameters": dict(self.parameters), "source": self.source}

    @classmethod
    def from_json(cls, values: Record) -> Self:
        """Return the contestant with these plain values; other keys are ignored."""
        return cls(values["policy"], tuple(sorted(values["parameters"].items())), values["source"])


def measure(
    contestant: Contestant,
    build: Callable[[], Player[int]],
    env: Environment,
    warmup: int,
    record: Callable[[Trace, float], Record],
) -> Record:
    """Play one run and return what ``record`` makes of its trace and processor time, or its error and traceback.

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
        return {"error": one_line(error), "traceback": own_traceback(error)}
    return record(trace, cpu_seconds)


def one_line(error: BaseException) -> str:
    """Return an error as one line that can be printed and stored anywhere."""
    text = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    return text.encode(errors="backslashreplace").decode()


def own_traceback(error: BaseException) -> str:
    """Return the traceback of an error without the frames of this package above the policy's own code.

    An error within the library keeps its frames from ``simulate`` on.
    """
    frames = traceback.extract_tb(error.__traceback__)
    ours = (__file__, simulate.__code__.co_filename)
    first = next((k for k, frame in enumerate(frames) if frame.filename not in ours), 0)
    lines = [*traceback.format_list(frames[first:]), *traceback.format_exception_only(error)]
    return "".join(lines).rstrip().encode(errors="backslashreplace").decode()


def place_of(error: BaseException) -> str:
    """Return the file and line where an error was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
