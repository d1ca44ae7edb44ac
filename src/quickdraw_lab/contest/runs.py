"""One run of the contest: a policy on an environment."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace
from quickdraw_bandits.evaluation.simulate import Player
from quickdraw_lab.contest.environments import EnvironmentSpec, Part, build_environment, warmup_of
from quickdraw_lab.contest.grids import ORACLES, is_oracle
from quickdraw_lab.players.contestant import Contestant, measure
from quickdraw_lab.runner.run import Record
from quickdraw_lab.testbed import TestBed


@dataclass(frozen=True)
class ContestRun:
    """A policy on the environment with this number in a part."""

    spec: EnvironmentSpec
    contestant: Contestant
    part: Part
    number: int

    @property
    def order(self) -> int:
        """Number by number, so that all environments progress evenly."""
        return self.number

    @property
    def shares(self) -> tuple[EnvironmentSpec, Part]:
        """What the environment is made of."""
        return self.spec, self.part

    def to_json(self) -> Record:
        """Return plain values."""
        return {
            "kind": self.spec.kind,
            "settings": dict(self.spec.settings),
            "content": self.spec.content,
            **self.contestant.to_json(),
            "part": self.part,
            "number": self.number,
        }

    @classmethod
    def from_json(cls, values: Record) -> "ContestRun":
        """Return the run with these plain values."""
        spec = EnvironmentSpec(values["kind"], tuple(sorted(values["settings"].items())), content=values["content"])
        return cls(spec, Contestant.from_json(values), values["part"], values["number"])


def play_contest_runs(test_bed: TestBed, task: list[ContestRun]) -> Iterator[Record]:
    """Play runs on the same environment, and yield the record of each as it finishes: its measurements or its error.

    As in ``play_field_runs``, the environment is always built in a process of one thread.
    """
    first = task[0]
    env = build_environment(first.spec, first.part, first.number, test_bed)
    for run in task:
        build = partial(_build, run.contestant, env)
        yield {"run": run.to_json(), **measure(run.contestant, build, env, warmup_of(env, test_bed), _measurements)}


def _measurements(trace: Trace, cpu_seconds: float) -> Record:
    return {
        "regret_per_round": trace.regret_per_round,
        "seconds_per_choice": trace.seconds_per_choice,
        "cpu_seconds": cpu_seconds,
    }


def _build(contestant: Contestant, env: Environment) -> Player[int]:
    if is_oracle(contestant.policy, env):
        return ORACLES[contestant.policy](env, seed=env.seed)
    return contestant.build(env.arms, env.seed)
