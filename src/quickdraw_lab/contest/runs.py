"""One run of the contest: a policy on an environment of an arena."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time
from warnings import catch_warnings

from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import simulate
from quickdraw_bandits.evaluation.simulate import Player
from quickdraw_bandits.policies.scale_warning import ScaleWarning
from quickdraw_lab.any_run import Record
from quickdraw_lab.bed import Bed
from quickdraw_lab.contest.arenas import Arena, Part, environment, warmup_of
from quickdraw_lab.contest.grids import KNOWS_THE_FIELD, knows_the_field
from quickdraw_lab.own_policies import load_policy
from quickdraw_lab.runs import Contestant, get_ready, one_line


@dataclass(frozen=True)
class ContestRun:
    """A policy on the environment of an arena that has this number in its part."""

    arena: Arena
    contestant: Contestant
    part: Part
    number: int

    @property
    def turn(self) -> int:
        """Number by number, so that all arenas advance evenly."""
        return self.number

    @property
    def place(self) -> tuple[Arena, str]:
        """What the environment is made of."""
        return self.arena, self.part

    def to_json(self) -> Record:
        """Return plain values."""
        return {
            "kind": self.arena.kind,
            "settings": dict(self.arena.settings),
            "content": self.arena.content,
            "policy": self.contestant.policy,
            "parameters": dict(self.contestant.parameters),
            "source": self.contestant.source,
            "part": self.part,
            "number": self.number,
        }

    @classmethod
    def from_json(cls, values: Record) -> "ContestRun":
        """Return the run that gave these plain values."""
        arena = Arena(values["kind"], tuple(sorted(values["settings"].items())), content=values["content"])
        contestant = Contestant(values["policy"], tuple(sorted(values["parameters"].items())), values["source"])
        return cls(arena, contestant, values["part"], values["number"])


def play_contest(bed: Bed, task: list[ContestRun]) -> Iterator[Record]:
    """Play runs on the same environment, and yield the record of each as it finishes: what was measured, or its error.

    As in ``play_task``, all of this happens in a process of one thread.
    """
    first = task[0]
    env = environment(first.arena, first.part, first.number, bed)
    for run in task:
        yield {"run": run.to_json(), **_measured(bed, run.contestant, env)}


def _measured(bed: Bed, contestant: Contestant, env: Environment) -> Record:
    try:
        get_ready(contestant.policy)
        policy = _built(contestant, env)
        start = process_time()
        with catch_warnings(action="ignore", category=ScaleWarning):  # a grid may well reach too far
            trace = simulate(policy, env, warmup_of(env, bed), env.seed)
        cpu_seconds = process_time() - start
    except (Exception, SystemExit) as error:
        # Whatever a policy from elsewhere does, the other runs go on.
        return {"error": one_line(error)}
    return {
        "regret_per_round": trace.regret_per_round,
        "seconds_per_choice": trace.seconds_per_choice,
        "cpu_seconds": cpu_seconds,
    }


def _built(contestant: Contestant, env: Environment) -> Player:
    if knows_the_field(contestant.policy, env):
        return KNOWS_THE_FIELD[contestant.policy](env, seed=env.seed)
    return load_policy(contestant.policy)(env.arms, **dict(contestant.parameters), seed=env.seed)
