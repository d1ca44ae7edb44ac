"""One run of the simulated figures: a policy on a random field."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial

from quickdraw_bandits.environments import RandomField
from quickdraw_bandits.evaluation import Trace
from quickdraw_lab.figures.behaviour import behaviour
from quickdraw_lab.players.contestant import Contestant, measure
from quickdraw_lab.runner.run import Record
from quickdraw_lab.testbed import FieldSetting, TestBed


@dataclass(frozen=True)
class FieldRun:
    """A policy on a field, which is given by its number."""

    setting: FieldSetting
    contestant: Contestant
    field: int

    @property
    def order(self) -> int:
        """Field by field, so that all settings progress evenly."""
        return self.field

    @property
    def shares(self) -> tuple[float, float]:
        """The correlation lengths of the field; powers and noise levels are variants of it."""
        return self.setting.rho_x, self.setting.rho_t

    def to_json(self) -> Record:
        """Return plain values."""
        return {**asdict(self.setting), **self.contestant.to_json(), "field": self.field}

    @classmethod
    def from_json(cls, values: Record) -> "FieldRun":
        """Return the run with these plain values."""
        setting = FieldSetting(*(values[name] for name in ("rho_x", "rho_t", "alpha", "sigma_noise")))
        return cls(setting, Contestant.from_json(values), values["field"])


def play_field_runs(test_bed: TestBed, task: list[FieldRun]) -> Iterator[Record]:
    """Play runs that share a field, and yield the record of each as it finishes: its measurements or its error.

    The field is built once, always in a process of one thread: the last bit of a matrix product may depend on the
    number of threads.
    """
    first = task[0].setting
    field = test_bed.environment(task[0].field, replace(first, alpha=1.0, sigma_noise=0.0))
    variants: dict[FieldSetting, RandomField] = {}
    for run in sorted(task, key=lambda run: (run.setting.alpha, run.setting.sigma_noise)):
        if run.setting not in variants:
            # Only one variant at a time: each has arrays of its own.
            variants = {run.setting: field.vary(run.setting.alpha, run.setting.sigma_noise)}
        env = variants[run.setting]
        build = partial(run.contestant.build, env.arms, env.seed)
        record = measure(run.contestant, build, env, test_bed.warmup, partial(_measurements, env))
        yield {"run": run.to_json(), **record}


def _measurements(env: RandomField, trace: Trace, cpu_seconds: float) -> Record:
    return {
        "regret_per_round": trace.regret_per_round,
        "seconds": float(trace.choice_seconds.sum()),
        **behaviour(trace, env),
    }
