"""Playing policies on a log, as in section 6 of the paper.

Events are played group by group, in time order, in intervals of 1000 rounds. The paper's words leave two things open,
and this is how they are read here:

- "separate intervals": each interval starts with a policy that knows nothing. The last interval of a group is what is
  left over, and counts.
- what a policy learns from: *logged*, every event of its interval, each after it has chosen for it; or *matched*, only
  the events whose logged arm is the one that it chose itself. Both are offered.

Times are scaled to [0, 1] over the whole log.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, integer
from quickdraw_bandits.datasets import Log
from quickdraw_bandits.evaluation.off_policy.estimate import ASYMPTOTIC, Estimate, Interval
from quickdraw_bandits.evaluation.off_policy.estimators import (
    direct_method,
    doubly_robust,
    ips,
    replay,
    self_normalised_doubly_robust,
    self_normalised_ips,
)
from quickdraw_bandits.evaluation.off_policy.reward_model import arm_mean_influence, arm_means
from quickdraw_bandits.evaluation.workers import worker_pool
from quickdraw_bandits.policies import Policy

LearnFrom = Literal["logged", "matched"]
Build = Callable[[Arms, np.random.Generator], Policy]
Truth = Callable[[Integers, Floats], Floats]
Progress = Callable[[int, int], None]


def builder(kind: Callable[..., Policy], **settings: Any) -> Build:
    """Return what builds ``kind(arms, **settings, seed=generator)``, and can be sent to another process.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> build = builder(qd.policies.SlidingEpsilonGreedy, epsilon=0.2)
    >>> build(qd.Arms.grid(-1, 1, 3), np.random.default_rng(0)).epsilon
    0.2
    """
    return partial(_build, kind, settings)


def _build(kind: Callable[..., Policy], settings: dict[str, Any], arms: Arms, random: np.random.Generator) -> Policy:
    return kind(arms, **settings, seed=random)


@dataclass(frozen=True, eq=False)
class Played:
    """What a policy did on a log, event by event in the order of the log.

    Parameters
    ----------
    log
        The log.
    learn_from
        What the policy learnt from.
    target
        The probability that it gave to the logged arm.
    matched
        Whether it drew the logged arm.
    model, expected
        What the arms' mean rewards, taken from other events, say of the logged arm and of the policy.
    target_share
        The mean probability that it gave to each arm.
    true_reward
        What the policy truly earns at each event on average, where the truth is known; else None.
    """

    log: Log
    learn_from: LearnFrom
    target: Floats
    matched: NDArray[np.bool_]
    model: Floats
    expected: Floats
    target_share: Floats
    true_reward: Floats | None

    def ips(self, interval: Interval = ASYMPTOTIC) -> Estimate:
        """Return the estimate by inverse propensity scoring, which the paper prints."""
        return ips(self.log.reward, self.log.propensity, self.target, interval=interval)

    def estimates(self, interval: Interval = ASYMPTOTIC) -> list[Estimate]:
        """Return all six estimates."""
        weighting = (self.log.reward, self.log.propensity, self.target)
        fitted = arm_mean_influence(self.log.arm, self.log.reward, self.model, self.target_share)
        return [
            ips(*weighting, interval=interval),
            self_normalised_ips(*weighting, interval=interval),
            direct_method(self.expected, fitted, interval=interval),
            doubly_robust(*weighting, self.model, self.expected, interval=interval),
            self_normalised_doubly_robust(*weighting, self.model, self.expected, interval=interval),
            replay(self.log.reward, self.matched, interval=interval),
        ]

    @property
    def true_value(self) -> float:
        """What the policy truly earns an event on average; NaN where the truth is not known."""
        return float("nan") if self.true_reward is None else float(self.true_reward.mean())


def play_log(
    log: Log,
    build: Build,
    *,
    learn_from: LearnFrom = "logged",
    interval: int = 1000,
    truth: Truth | None = None,
    seed: int = 0,
    jobs: int = 1,
) -> Played:
    """Play one policy once over a log.

    A policy that says its probabilities (see ``Policy.probabilities``) is weighed by them, and its choices are drawn
    from them; any other is asked to ``select`` exactly once an event, and that arm has probability 1.

    Parameters
    ----------
    log
        The log.
    build
        Called with the arms and a random generator for each interval of each group; returns a policy that knows
        nothing. With ``jobs`` above 1 it must be possible to pickle it, as it is for what ``builder`` returns.
    learn_from
        ``"logged"`` or ``"matched"``.
    interval
        How many rounds a policy lasts.
    truth
        True mean rewards of all arms, one row for each pair of group and time of the log.
    seed
        Fixes all that is random, whatever the number of jobs.
    jobs
        How many processes to use; groups are independent.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> from quickdraw_bandits.datasets import open_bandit
    >>> estimate = play_log(open_bandit(), builder(qd.policies.Random)).ips()
    >>> round(100 * estimate.value, 4), round(100 * estimate.standard_error, 4)
    (0.46, 0.0677)
    """
    plays = play_logs(
        log, {"policy": build}, learn_from=learn_from, interval=interval, truth=truth, seed=seed, jobs=jobs
    )
    return next(plays)[2]


def play_logs(
    log: Log,
    builders: Mapping[str, Build],
    *,
    runs: int = 1,
    learn_from: LearnFrom = "logged",
    interval: int = 1000,
    truth: Truth | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[str], Progress] | None = None,
) -> Iterator[tuple[str, int, Played]]:
    """Play several policies several times over a log; yield (name, run, what was played), one at a time.

    Parameters as in ``play_log``. In the same run all policies get the same random numbers for the same group.
    ``progress`` is called with the name of each policy as its turn comes, and returns what is then called with the
    events done and all events, over all runs.
    """
    if learn_from not in get_args(LearnFrom):
        raise ValueError(f"learn_from must be one of {', '.join(get_args(LearnFrom))}, got {learn_from!r}")
    interval = integer("interval", interval, at_least=1)
    runs = integer("runs", runs, at_least=1)
    seed = integer("seed", seed, at_least=0)
    jobs = integer("jobs", jobs, at_least=1)
    return _play_all(log, builders, runs, learn_from, interval, truth, seed, jobs, progress)


@dataclass(frozen=True, eq=False)
class _Group:
    """All that a worker needs to play one group."""

    rows: Integers
    group: int
    arms: Arms
    time: Floats
    scaled_time: Floats
    arm: Integers
    reward: Floats
    fold: Integers
    means: Floats
    matched_only: bool
    interval: int
    truth: Truth | None


def _play_all(
    log: Log,
    builders: Mapping[str, Build],
    runs: int,
    learn_from: LearnFrom,
    interval: int,
    truth: Truth | None,
    seed: int,
    jobs: int,
    progress: Callable[[str], Progress] | None,
) -> Iterator[tuple[str, int, Played]]:
    means = arm_means(log.arm, log.reward, len(log.arms))
    scaled_time, fold = log.scaled_time(), np.arange(len(log)) % len(means)
    matched_only = learn_from == "matched"
    groups = [
        _Group(rows, g, log.arms, log.time[rows], scaled_time[rows], log.arm[rows], log.reward[rows], fold[rows], means,
               matched_only, interval, truth)
        for g, rows in enumerate(log.rows_by_group()) if len(rows)
    ]  # fmt: skip
    # The largest first, so that no worker is left alone with one at the end.
    groups.sort(key=lambda group: -len(group.rows))
    model = means[fold, log.arm]
    with worker_pool(jobs, _no_preparation) if jobs > 1 else nullcontext() as pool:
        for name, build in builders.items():
            report = None if progress is None else progress(name)
            for run in range(runs):
                outcomes = _outcomes(groups, build, (seed, run), pool)
                if report is not None:
                    outcomes = _reported(outcomes, groups, report, run * len(log), runs * len(log))
                yield name, run, _played(log, learn_from, groups, outcomes, model, truth is not None)


Outcome = tuple[Floats, Floats, NDArray[np.bool_], Floats, Floats]


def _no_preparation() -> None:
    """Do what a process needs before its first group: nothing."""


def _outcomes(
    groups: list[_Group], build: Build, seed: tuple[int, int], pool: ProcessPoolExecutor | None
) -> Iterator[Outcome]:
    """Yield what came of each group, in their order."""
    if pool is None:
        return (_play_group(group, build, seed) for group in groups)
    futures = [pool.submit(_play_group, group, build, seed) for group in groups]
    return (future.result() for future in futures)


def _reported(
    outcomes: Iterator[Outcome], groups: list[_Group], report: Progress, done: int, total: int
) -> Iterator[Outcome]:
    for group, outcome in zip(groups, outcomes, strict=True):
        done += len(group.rows)
        report(done, total)
        yield outcome


def _played(
    log: Log, learn_from: LearnFrom, groups: list[_Group], outcomes: Iterator[Outcome], model: Floats, known: bool
) -> Played:
    """Put the events of all groups back into the order of the log."""
    n = len(log)
    target, expected, matched, true_reward = np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_), np.empty(n)
    share = np.zeros(len(log.arms))
    for group, outcome in zip(groups, outcomes, strict=True):
        rows = group.rows
        target[rows], expected[rows], matched[rows] = outcome[:3]
        share += outcome[3]
        true_reward[rows] = outcome[4]
    return Played(log, learn_from, target, matched, model, expected, share / n, true_reward if known else None)


def _play_group(group: _Group, build: Build, seed: tuple[int, int]) -> Outcome:
    """Return, for each event, target, expected and matched, then the sum of probabilities, then the true reward."""
    n = len(group.arm)
    target, expected, matched, true_reward = np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_), np.zeros(n)
    share = np.zeros(len(group.arms))
    starts = range(0, n, group.interval)
    seeds = np.random.SeedSequence(seed[0], spawn_key=(seed[1], group.group)).spawn(2 * len(starts))
    for k, start in enumerate(starts):
        rows = slice(start, start + group.interval)
        policy = build(group.arms, np.random.default_rng(seeds[2 * k]))
        uniform = np.random.default_rng(seeds[2 * k + 1]).random(len(group.arm[rows]))
        probability, chosen = _play_interval(policy, group, rows, uniform)
        target[rows] = np.take_along_axis(probability, group.arm[rows, None], axis=1)[:, 0]
        expected[rows] = np.einsum("ij,ij->i", probability, group.means[group.fold[rows]])
        matched[rows] = chosen == group.arm[rows]
        share += probability.sum(axis=0)
        if group.truth is not None:
            rates = group.truth(np.full(len(chosen), group.group), group.time[rows])
            true_reward[rows] = np.einsum("ij,ij->i", probability, rates)
    return target, expected, matched, share, true_reward


def _play_interval(policy: Policy, group: _Group, rows: slice, uniform: Floats) -> tuple[Floats, Integers]:
    """Return the probabilities of all arms, and the arm drawn, at each event of one interval."""
    times, arms, rewards = (column[rows].tolist() for column in (group.scaled_time, group.arm, group.reward))
    says_probabilities = type(policy)._probabilities is not Policy._probabilities
    probability = np.zeros((len(times), len(group.arms)))
    chosen = np.empty(len(times), dtype=np.int64)
    for i, (time, arm, reward) in enumerate(zip(times, arms, rewards, strict=True)):
        if says_probabilities:
            probability[i] = policy.probabilities(time)
            if group.matched_only:
                chosen[i] = draw(probability[i : i + 1], uniform[i : i + 1])[0]
        else:
            chosen[i] = policy.select(time)
            probability[i, chosen[i]] = 1.0
        if not group.matched_only or chosen[i] == arm:
            policy.update(time, arm, reward)
    if says_probabilities and not group.matched_only:
        chosen = draw(probability, uniform)
    return probability, chosen


def draw(probability: Floats, uniform: Floats) -> Integers:
    """Return an arm for each row of probabilities, by the uniform number that goes with it.

    Examples
    --------
    >>> draw(np.array([[0.2, 0.8], [0.2, 0.8], [0.0, 1.0]]), np.array([0.1, 0.3, 0.0]))
    array([0, 1, 1])
    """
    reached = np.cumsum(probability, axis=1)
    # A number beyond the last sum, which rounding may leave a little below 1, means the last arm that has any.
    threshold = uniform * reached[:, -1]
    arms: Integers = np.argmax(reached > threshold[:, None], axis=1)
    return arms
