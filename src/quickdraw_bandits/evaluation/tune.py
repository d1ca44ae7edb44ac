"""Grid search over the parameters of a policy (E8)."""

import copy
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self
from warnings import catch_warnings

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, integer
from quickdraw_bandits.environments import Environment, Recorded
from quickdraw_bandits.evaluation.simulate import Player, Progress, simulate
from quickdraw_bandits.evaluation.text_table import text_table
from quickdraw_bandits.evaluation.workers import worker_pool
from quickdraw_bandits.frames import Column, Tabular, columns_of_rows
from quickdraw_bandits.policies.scale_warning import ScaleWarning

Setting = dict[str, object]
Score = tuple[float, float, float]
"""Reward per round, regret per round, seconds per choice."""


@dataclass(frozen=True)
class TuningResult(Tabular):
    """The result of a grid search.

    Attributes
    ----------
    policy
        The name of the policy's class.
    rows
        One flat record per setting, the best first: its parameters, ``reward_per_round`` (mean over the
        environments), ``standard_error`` of that mean (NaN for one environment), ``regret_per_round`` and
        ``seconds_per_choice``.
    parameters
        The names of the parameters.
    """

    policy: str
    parameters: tuple[str, ...]
    rows: tuple[dict[str, object], ...]

    @property
    def best(self) -> Setting:
        """The parameters of the largest reward."""
        return {name: self.rows[0][name] for name in self.parameters}

    def table(self) -> str:
        """Return the rows as text, the best first."""
        return text_table(self.rows)

    def columns(self) -> dict[str, Column]:
        """Return one row per setting, the best first."""
        return {"policy": [self.policy] * len(self.rows), **columns_of_rows(self.rows)}


def tune(
    policy_class: Callable[..., Player[int]],
    grid: Mapping[str, Iterable[object]],
    environments: Environment | Iterable[Environment],
    warmup: int = 100,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> TuningResult:
    """Play a policy with every combination of parameters, and find the one of the largest reward.

    All combinations have the same conditions: on each environment the same rewards, the same warm-up and the same seed
    of the policy. The best combination has the largest cumulative reward over all environments.

    Parameters
    ----------
    policy_class
        Called as ``policy_class(arms, **parameters, seed=...)``.
    grid
        The values to try for each parameter.
    environments
        One environment or several. More environments make the result more reliable.
    warmup
        Number of first rounds played at random, as for ``simulate``; default 100.
    seed
        An integer for warm-ups and policies; default 0.
    jobs
        Number of processes, with one thread each; default 1. The result does not depend on it. A script that uses
        more than one must guard its entry with ``if __name__ == "__main__":``.
    progress
        Called with the number of runs done, starting with 0, and the number of all runs.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x, t: 1 - abs(x - t), n_arms=50, n_rounds=400)
    >>> result = qd.tune(qd.policies.SlidingEpsilonGreedy, {"window": [5, 50], "epsilon": [0.1, 1.0]}, env)
    >>> result.best
    {'window': 5, 'epsilon': 0.1}
    """
    played_on = _checked_environments(environments)
    settings = _settings(policy_class, grid, played_on[0])
    jobs = integer("jobs", jobs, at_least=1)
    shortest = min(env.n_rounds for env in played_on)
    bench = _Bench(
        policy_class,
        settings,
        played_on,
        integer("warmup", warmup, at_least=0, at_most=shortest - 1),
        integer("seed", seed, at_least=0),
    )
    # Environment by environment, so that few are in memory at a time.
    runs = list(product(range(len(played_on)), range(len(settings))))
    scores = np.empty((len(played_on), len(settings), 3))
    if progress is not None:
        progress(0, len(runs))
    for done, (run, score) in enumerate(_play(bench, played_on, runs, jobs), start=1):
        scores[run] = score
        if progress is not None:
            progress(done, len(runs))
    best_first = sorted(range(len(settings)), key=lambda i: -float(scores[:, i].mean(axis=0)[0]))
    rows = tuple(_row(settings[i], scores[:, i]) for i in best_first)
    return TuningResult(getattr(policy_class, "__name__", str(policy_class)), tuple(grid), rows)


@dataclass
class _Bench:
    """What a process needs to play any of the runs."""

    policy_class: Callable[..., Player[int]]
    settings: list[Setting]
    environments: Sequence["Environment | _Saved"]
    warmup: int
    seed: int
    current: tuple[int, Environment] | None = None

    def play(self, run: tuple[int, int]) -> Score:
        number, setting = run
        if self.current is None or self.current[0] != number:
            chosen = self.environments[number]
            # Arrays computed on first use are kept in the copy and freed with it.
            self.current = (number, chosen.load() if isinstance(chosen, _Saved) else copy.copy(chosen))
        env = self.current[1]
        seed = self.seed + number  # of warm-up and policy; those of the first environment are those of a single run
        policy = self.policy_class(env.arms, **self.settings[setting], seed=seed)
        with catch_warnings(action="ignore", category=ScaleWarning):  # a grid may include extreme scales
            trace = simulate(policy, env, self.warmup, seed)
        # The median, so that compilation during the first choice does not count.
        return trace.reward_per_round, trace.regret_per_round, float(np.median(trace.choice_seconds))


def _play(
    bench: "_Bench", environments: Sequence[Environment], runs: Sequence[tuple[int, int]], jobs: int
) -> Iterator[tuple[tuple[int, int], Score]]:
    """Yield each run and its score, in any order."""
    if jobs == 1:
        for run in runs:
            yield run, bench.play(run)
        return
    with TemporaryDirectory() as folder:
        saved = [_Saved.save(env, Path(folder, f"{i}.npy")) for i, env in enumerate(environments)]
        with worker_pool(min(jobs, len(runs)), _set_bench, replace(bench, environments=saved)) as pool:
            futures = {pool.submit(_play_on_bench, run): run for run in runs}
            for future in as_completed(futures):
                yield futures[future], future.result()


@dataclass(frozen=True)
class _Saved:
    """An environment on disk, for other processes.

    They read the means and do not compute them again: the last bit of a matrix product may depend on the number of
    threads, and the result must not depend on the number of jobs.
    """

    path: Path
    arms: Arms
    times: Floats
    noise: float
    seed: int

    @classmethod
    def save(cls, env: Environment, path: Path) -> Self:
        np.save(path, copy.copy(env).mean)
        return cls(path, env.arms, env.times, env.noise, env.seed)

    def load(self) -> Environment:
        """Return an environment with the same rewards; its noise depends only on the seed."""
        return Recorded(np.load(self.path), self.arms, self.times, self.noise, self.seed)


_bench: _Bench | None = None


def _set_bench(bench: _Bench) -> None:
    global _bench
    _bench = bench


def _play_on_bench(run: tuple[int, int]) -> Score:
    assert _bench is not None
    return _bench.play(run)


def _row(setting: Setting, scores: Floats) -> dict[str, object]:
    reward, regret, seconds = scores.mean(axis=0).tolist()
    n = len(scores)
    error = float(scores[:, 0].std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return {
        **setting,
        "reward_per_round": reward,
        "standard_error": error,
        "regret_per_round": regret,
        "seconds_per_choice": seconds,
    }


def _checked_environments(environments: object) -> list[Environment]:
    if isinstance(environments, Environment):
        return [environments]
    if not isinstance(environments, Iterable):
        raise ValueError(f"environments must be one environment or several, got {environments!r}")
    several = list(environments)
    if not several:
        raise ValueError("environments must be one environment or several, got none")
    for env in several:
        if not isinstance(env, Environment):
            raise ValueError(f"environments must hold environments, got {type(env).__name__}")
    return several


def _settings(
    policy_class: Callable[..., Player[int]], grid: Mapping[str, Iterable[object]], env: Environment
) -> list[Setting]:
    """Return all combinations, after building a policy with each, so that bad values are found first."""
    if not isinstance(grid, Mapping):
        raise ValueError(f"grid must be a dictionary with one list per parameter, got {type(grid).__name__}")
    if not callable(policy_class):
        raise ValueError(f"policy_class must be a policy class, got {policy_class!r}")
    name = getattr(policy_class, "__name__", str(policy_class))
    parameters = inspect.signature(policy_class).parameters
    known = [p for p in list(parameters)[1:] if p != "seed"]
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if not grid:
        raise ValueError(f"grid must name at least one parameter of {name}, got none; known are {', '.join(known)}")
    values: dict[str, list[object]] = {}
    for parameter, choices in grid.items():
        if parameter not in known and not takes_any:
            raise ValueError(
                f"grid must name parameters of {name}: {', '.join(known) or 'it has none'}; got {parameter!r}"
            )
        if isinstance(choices, str) or not isinstance(choices, Iterable):
            raise ValueError(f"grid must have a list of values for {parameter}, got {choices!r}")
        values[parameter] = list(choices)
        if not values[parameter]:
            raise ValueError(f"grid must have at least one value for {parameter}, got none")
    settings = [dict(zip(values, combination, strict=True)) for combination in product(*values.values())]
    for setting in settings:
        policy_class(env.arms, **setting, seed=0)
    return settings
