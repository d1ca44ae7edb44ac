"""Playing policies on a log, as in section 6 of the paper.

Events are played group by group, in time order, in intervals of 1,000 rounds. The paper leaves two things open:

- "separate intervals": here each interval starts with a new policy. The last interval of a group may be shorter.
- what a policy learns from: *logged*, every event of its interval after choosing for it; or *matched*, only events
  whose logged arm it chose itself. Both are offered.

Times are scaled to [0, 1] over the whole log.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, integer
from quickdraw_bandits.datasets import Log
from quickdraw_bandits.evaluation.off_policy import answers
from quickdraw_bandits.evaluation.off_policy.played import LearnFrom, Played
from quickdraw_bandits.evaluation.off_policy.reward_model import arm_means
from quickdraw_bandits.evaluation.workers import worker_pool
from quickdraw_bandits.policies import Policy
from quickdraw_bandits.policies.mixed import Mixed

Build = Callable[[Arms, np.random.Generator], Policy[int]]
Truth = Callable[[Integers, Floats], Floats]
Progress = Callable[[int, int], None]


def builder(kind: Callable[..., Policy[int]], **settings: object) -> Build:
    """Return a function that builds ``kind(arms, **settings, seed=generator)`` and can be pickled.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> build = builder(qd.policies.SlidingEpsilonGreedy, epsilon=0.2)
    >>> build(qd.Arms.grid(-1, 1, 3), np.random.default_rng(0)).epsilon
    0.2
    """
    return partial(_build, kind, settings)


def _build(
    kind: Callable[..., Policy[int]], settings: dict[str, object], arms: Arms, random: np.random.Generator
) -> Policy[int]:
    return kind(arms, **settings, seed=random)


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

    If a policy provides its probabilities (see ``Policy.probabilities``), they are used as weights and its choices are
    drawn from them. Any other policy is asked to ``select`` exactly once per event, and that arm has probability 1.

    Parameters
    ----------
    log
        The log.
    build
        Called with the arms and a random generator for each interval of each group; returns a new policy. With
        ``jobs`` above 1 it must be picklable; what ``builder`` returns is.
    learn_from
        ``"logged"`` (default): every event; ``"matched"``: only events whose logged arm the policy chose.
    interval
        Number of events after which a new policy starts; default 1,000. A larger value lets it learn for longer.
    truth
        True mean rewards of all arms, one row for each pair of group and time; None (default) if unknown.
    seed
        An integer that determines all randomness, for any number of jobs; default 0.
    jobs
        Number of processes; default 1. Groups are independent, so more is faster.

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
    """Play several policies several times over a log; yield (name, run, ``Played``), one at a time.

    Parameters are as in ``play_log``. In the same run all policies get the same random numbers for the same group.
    ``progress`` is called with the name of each policy before it is played, and returns a function that is called with
    the number of events done and of all events, over all runs.
    """
    if not isinstance(log, Log):
        raise ValueError(f"log must be a Log, as read_log returns, got {type(log).__name__}")
    if truth is not None and not callable(truth):
        raise ValueError(f"truth must be a function of groups and times, or None, got {truth!r}")
    if learn_from not in get_args(LearnFrom):
        raise ValueError(f"learn_from must be one of {', '.join(get_args(LearnFrom))}, got {learn_from!r}")
    interval = integer("interval", interval, at_least=1)
    runs = integer("runs", runs, at_least=1)
    seed = integer("seed", seed, at_least=0)
    jobs = integer("jobs", jobs, at_least=1)
    for build in builders.values():
        if not callable(build):
            raise ValueError(f"build must make a policy, as builder(Policy) does, got {type(build).__name__} itself")
    builders = {name: builder(build) if _is_policy_class(build) else build for name, build in builders.items()}
    return _play_all(log, builders, runs, learn_from, interval, truth, seed, jobs, progress)


def _is_policy_class(build: object) -> bool:
    return isinstance(build, type) and issubclass(build, Policy)


@dataclass(frozen=True, eq=False)
class _Group:
    """What a worker needs to play one group."""

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
    # The largest first, so that no worker gets a large one last.
    groups.sort(key=lambda group: -len(group.rows))
    model = means[fold, log.arm]
    with worker_pool(jobs) if jobs > 1 else nullcontext() as pool:
        for name, build in builders.items():
            report = None if progress is None else progress(name)
            for run in range(runs):
                outcomes = _outcomes(groups, build, (seed, run), pool)
                if report is not None:
                    outcomes = _reported(outcomes, groups, report, run * len(log), runs * len(log))
                yield name, run, _played(log, learn_from, groups, outcomes, model, truth is not None)


Outcome = tuple[Floats, Floats, NDArray[np.bool_], Floats, Floats]


def _outcomes(
    groups: list[_Group], build: Build, seed: tuple[int, int], pool: ProcessPoolExecutor | None
) -> Iterator[Outcome]:
    """Yield the outcome of each group, in order."""
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
    """Return the events of all groups in the order of the log."""
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
    """Return target, expected and matched of each event, the sum of probabilities, and the true rewards."""
    n = len(group.arm)
    target, expected, matched, true_reward = np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_), np.zeros(n)
    share = np.zeros(len(group.arms))
    starts = range(0, n, group.interval)
    seeds = np.random.SeedSequence(seed[0], spawn_key=(seed[1], group.group)).spawn(2 * len(starts))
    for k, start in enumerate(starts):
        rows = slice(start, start + group.interval)
        policy = answers.playable(build(group.arms, np.random.default_rng(seeds[2 * k])), group.arms)
        uniform = np.random.default_rng(seeds[2 * k + 1]).random(len(group.arm[rows]))
        probability, chosen = _play_interval(policy, group, rows, uniform)
        target[rows] = np.take_along_axis(probability, group.arm[rows, None], axis=1)[:, 0]
        expected[rows] = np.einsum("ij,ij->i", probability, group.means[group.fold[rows]])
        matched[rows] = chosen == group.arm[rows]
        share += probability.sum(axis=0)
        if group.truth is not None:
            rates = answers.true_rewards(
                group.truth(np.full(len(chosen), group.group), group.time[rows]), probability.shape
            )
            true_reward[rows] = np.einsum("ij,ij->i", probability, rates)
    return target, expected, matched, share, true_reward


def _play_interval(policy: Policy[int], group: _Group, rows: slice, uniform: Floats) -> tuple[Floats, Integers]:
    """Return the probabilities of all arms and the drawn arm at each event of one interval."""
    times, arms, rewards = (column[rows].tolist() for column in (group.scaled_time, group.arm, group.reward))
    says_probabilities, learns = _says_probabilities(policy), getattr(policy, "learns_in_select", False)
    name = f"the arm that {type(policy).__name__}.select returns"
    n_arms, derives = len(group.arms), isinstance(policy, Policy)
    probability = np.zeros((len(times), n_arms))
    chosen = np.empty(len(times), dtype=np.int64)
    for i, (time, arm, reward) in enumerate(zip(times, arms, rewards, strict=True)):
        if says_probabilities:
            probability[i] = policy.probabilities(time) if derives else answers.probabilities(policy, time, n_arms)
            if learns:
                policy.select(time)
            if group.matched_only:
                chosen[i] = draw(probability[i : i + 1], uniform[i : i + 1])[0]
        else:
            chosen[i] = integer(name, policy.select(time), at_least=0, at_most=n_arms - 1)
            probability[i, chosen[i]] = 1.0
        if not group.matched_only or chosen[i] == arm:
            policy.update(time, arm, reward)
    if says_probabilities and not group.matched_only:
        chosen = draw(probability, uniform)
    return probability, chosen


def _says_probabilities(policy: object) -> bool:
    """Return whether a policy is asked for its probabilities, and not to select.

    One that learns while it selects must be asked to select. Asking it for probabilities as well takes as long again,
    so that is done only where it draws from them.
    """
    if not isinstance(policy, Policy):  # one that derives from nothing
        return hasattr(policy, "probabilities")
    own = type(policy)._probabilities is not Policy._probabilities
    return own and (not policy.learns_in_select or isinstance(policy, Mixed))


def draw(probability: Floats, uniform: Floats) -> Integers:
    """Return an arm for each row of probabilities, by inversion of its uniform number.

    Examples
    --------
    >>> draw(np.array([[0.2, 0.8], [0.2, 0.8], [0.0, 1.0]]), np.array([0.1, 0.3, 0.0]))
    array([0, 1, 1])
    """
    reached = np.cumsum(probability, axis=1)
    # Scaled, because rounding may leave the last sum a little below 1.
    threshold = uniform * reached[:, -1]
    arms: Integers = np.argmax(reached > threshold[:, None], axis=1)
    return arms
