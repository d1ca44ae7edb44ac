"""One run of the paper's test bed: a policy on a field."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from warnings import catch_warnings

from quickdraw_bandits.environments import RandomField
from quickdraw_bandits.evaluation import simulate
from quickdraw_bandits.policies.scale_warning import ScaleWarning
from quickdraw_lab.any_run import Record
from quickdraw_lab.bed import Bed, Setting
from quickdraw_lab.behaviour import behaviour
from quickdraw_lab.known_policies import known_policies
from quickdraw_lab.own_policies import load_policy
from quickdraw_lab.play import rehearse

Value = float | str | None
"""What a parameter may be."""


@dataclass(frozen=True)
class Contestant:
    """A policy that takes part.

    Attributes
    ----------
    policy
        The name of a built-in class, or ``module:Class`` for one from elsewhere.
    parameters
        Those that differ from the default, in the order of their names.
    source
        What tells versions of a policy from elsewhere apart; empty for a built-in one.
    """

    policy: str
    parameters: tuple[tuple[str, Value], ...] = ()
    source: str = ""


@dataclass(frozen=True)
class Run:
    """A policy on a field, by the field's number."""

    setting: Setting
    contestant: Contestant
    field: int

    @property
    def turn(self) -> int:
        """Field by field, so that all settings advance evenly."""
        return self.field

    @property
    def place(self) -> tuple[float, float]:
        """What the field is made of; power and noise vary it."""
        return self.setting.rho_x, self.setting.rho_t

    def to_json(self) -> Record:
        """Return plain values."""
        return {
            **asdict(self.setting),
            "policy": self.contestant.policy,
            "parameters": dict(self.contestant.parameters),
            "source": self.contestant.source,
            "field": self.field,
        }

    @classmethod
    def from_json(cls, values: Record) -> "Run":
        """Return the run that gave these plain values."""
        setting = Setting(*(values[name] for name in ("rho_x", "rho_t", "alpha", "sigma_noise")))
        contestant = Contestant(values["policy"], tuple(sorted(values["parameters"].items())), values["source"])
        return cls(setting, contestant, values["field"])


def play_task(bed: Bed, task: list[Run]) -> Iterator[Record]:
    """Play runs that share a field, and yield the record of each as it finishes: what was measured, or its error.

    The field is made once. It must be made in a process of one thread, as all of a sweep are: a matrix product may
    differ in its last bit with the number of threads.
    """
    first = task[0].setting
    field = bed.environment(task[0].field, replace(first, alpha=1.0, sigma_noise=0.0))
    variants: dict[Setting, RandomField] = {}
    for run in sorted(task, key=lambda run: (run.setting.alpha, run.setting.sigma_noise)):
        if run.setting not in variants:
            # One at a time: each holds arrays of its own.
            variants = {run.setting: field.vary(run.setting.alpha, run.setting.sigma_noise)}
        yield {"run": run.to_json(), **_measured(bed, run, variants[run.setting])}


def _measured(bed: Bed, run: Run, env: RandomField) -> Record:
    try:
        build = load_policy(run.contestant.policy)
        get_ready(run.contestant.policy)
        policy = build(env.arms, **dict(run.contestant.parameters), seed=env.seed)
        with catch_warnings(action="ignore", category=ScaleWarning):  # a sweep may well reach too far
            trace = simulate(policy, env, bed.warmup, env.seed)
    except (Exception, SystemExit) as error:
        # Whatever a policy from elsewhere does, the other runs go on.
        return {"error": one_line(error)}
    return {
        "regret_per_round": trace.regret_per_round,
        "seconds": float(trace.choice_seconds.sum()),
        **behaviour(trace, env),
    }


def one_line(error: BaseException) -> str:
    """Return an error as text that can be printed and written to any table."""
    text = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    return text.encode(errors="backslashreplace").decode()


@cache
def get_ready(policy: str) -> None:
    """Compile what a built-in policy needs before its first run in this process is timed."""
    if policy in known_policies():
        rehearse(known_policies()[policy], RandomField(n_arms=100, n_rounds=1000))
