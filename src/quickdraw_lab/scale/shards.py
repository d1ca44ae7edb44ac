"""What arms in shards cost: time and memory, against one process and against one shard alone."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.distributed import Deployment, ShardedAdaptiveQuickDraw, ShardedQuickDraw
from quickdraw_bandits.distributed.sharded_policy import ShardedPolicy
from quickdraw_bandits.policies import Policy, QuickDraw
from quickdraw_lab.scale.histories import COSINE_DIMENSIONS, ROUND, History, drifting_reward, places, play
from quickdraw_lab.scale.shard_kills import kills

ONE_BY_ONE = Deployment(at_once=1)
"""Shards build their indexes one after the other, so that memory suffices."""


TURN = 10_000
"""Rounds of a history that are played; a longer one repeats them."""


@dataclass(frozen=True)
class ShardRow:
    """A measurement: what was wanted, what came, and the medians behind it in milliseconds of a clock on the wall."""

    what: str
    wanted: str
    measured: float
    kept: bool
    choice: float
    other: float
    gigabytes: float
    """Memory of all shards together, at its largest while they were built; 0 where it does not matter."""
    resting: float = 0.0
    """The same afterwards."""
    seconds_to_start: float = 0.0


def shard_measures(quick: bool) -> dict[str, Callable[[], ShardRow]]:
    """Return what can be measured, by name; with ``quick`` a hundredth of the arms, observations and kills."""
    part = 100 if quick else 1
    return {
        "overhead": lambda: overhead(10**5 // part, 300 if quick else 1000),
        "kills": lambda: survived(10**4 // part, 100 // part + (1 if quick else 0)),
        "plane": lambda: plane(10**8 // part, 10**5 // part),
        "cosine, cached": lambda: cosine_cached(2 * 10**5 // part, 3000 // (10 if quick else 1)),
        "cosine, adaptive": lambda: cosine_adaptive(2 * 10**7 // part),
    }


@cache
def played(n: int) -> History:
    """Return ``n`` rounds of Quick-Draw on 2,000 arms in the plane."""
    return play(QuickDraw(places(2, 2000), seed=0), drifting_reward(2), 0, n)[0]


def overhead(arms_of_a_shard: int, rounds: int) -> ShardRow:
    """Compare two shards with one process that has all arms: medians of choice and update together."""
    points = np.random.default_rng(1).uniform(-1, 1, (2 * arms_of_a_shard, 2))
    seen = played(2000)
    points[: len(seen.places)] = seen.places[: len(points)]
    alone = QuickDraw(Arms(points), seed=0)
    with ShardedQuickDraw(np.array_split(points, 2), seed=0) as policy:
        one, two = _side_by_side([alone, policy], points, seen, rounds)
    extra = two - one
    what = f"2 shards of {arms_of_a_shard:,} arms in 2-D, {len(seen.times):,} observations"
    return ShardRow(what, "a round at most 4 ms above one process", extra, extra <= 4, two, one, 0.0)


def survived(rounds: int, n_kills: int) -> ShardRow:
    """Play while shards are killed; what is measured is the number of choices before the first that differs."""
    found = kills(rounds, n_kills)
    same = rounds if found["first_difference"] is None else found["first_difference"]
    what = f"{found['kills']} kills of 2 shards in {rounds:,} rounds, {found['restarts']} restarts"
    wait = 1e3 * found["median_wait"]
    return ShardRow(what, "all choices equal", same, found["equal"], wait, 1e3 * found["longest_wait"], 0.0)


def plane(n_arms: int, observations: int) -> ShardRow:
    """Compare a choice among all arms, in two shards, with one among those of one shard alone."""
    seen = played(min(observations, TURN))
    first, seen = seen.places, seen.first(observations)
    with _files(n_arms, 2, 2, first) as paths:
        alone, _, _ = _in_shards(ShardedQuickDraw, paths[:1], seen, 2)
        both, memory, start = _in_shards(ShardedQuickDraw, paths, seen, 2)
    ratio = both / alone
    what = f"{n_arms:,} arms in 2-D (float32), 2 shards, {observations:,} observations"
    wanted = "a choice at most 3 times that of a shard alone"
    return ShardRow(what, wanted, ratio, ratio <= 3, both, alone, *memory, start)


def cosine_cached(n_arms: int, observations: int) -> ShardRow:
    """Measure the memory of the cached engine for one arm in 32-D: it says how many arms a machine can hold."""
    random = np.random.default_rng(3)
    points = random.normal(size=(n_arms, COSINE_DIMENSIONS)).astype(np.float32)
    times, chosen = np.arange(observations) * ROUND, random.integers(n_arms, size=observations)
    rewards = random.random(observations)
    with ShardedQuickDraw([points], metric="cosine", engine="cached", seed=0) as policy:
        before = _memory(policy)[1]
        policy.update(times, chosen, rewards)
        choice = _choice_times(policy, observations, 30)
        held = _memory(policy)[1] - before
    per_arm = 1e9 * held / n_arms + 4 * COSINE_DIMENSIONS
    needed = per_arm * 2 * 10**7 / 1e9
    what = f"{n_arms:,} arms by cosine in 32-D, cached engine, {observations:,} observations"
    limit = 0.75 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    wanted = f"gigabytes that 20,000,000 arms would need, at most {limit:.1f}: three quarters of the memory here"
    return ShardRow(what, wanted, needed, needed <= limit, choice, 0.0, held)


def cosine_adaptive(n_arms: int) -> ShardRow:
    """Let the adaptive policy play in eight shards, and compare with the same on one of them."""
    with _files(n_arms, COSINE_DIMENSIONS, 8, None) as paths:
        alone, _, _ = _in_shards(ShardedAdaptiveQuickDraw, paths[:1], None, COSINE_DIMENSIONS)
        all_of_them, memory, start = _in_shards(ShardedAdaptiveQuickDraw, paths, None, COSINE_DIMENSIONS)
    ratio = all_of_them / alone
    what = f"{n_arms:,} arms by cosine in 32-D (float32), adaptive, 8 shards"
    wanted = "plays; a choice against that of a shard alone"
    return ShardRow(what, wanted, ratio, True, all_of_them, alone, *memory, start)


def _in_shards(
    kind: type[ShardedQuickDraw] | type[ShardedAdaptiveQuickDraw],
    paths: list[Path],
    seen: History | None,
    dimension: int,
) -> tuple[float, tuple[float, float], float]:
    """Return milliseconds of a choice, memory at its largest and at rest in gigabytes, and seconds to start."""
    begin = perf_counter()
    metric = "euclidean" if dimension == 2 else "cosine"
    policy: ShardedPolicy = kind(paths, seed=0, metric=metric, deployment=ONE_BY_ONE)  # type: ignore[arg-type]
    with policy:
        start = perf_counter() - begin
        n = 0
        if seen is not None:
            n = len(seen.times)
            # The places of the history are the first arms.
            positions = np.arange(n) % min(n, TURN)
            policy.update(seen.times, positions, seen.rewards)
        choice = _choice_times(policy, n, 60)
        return choice, _memory(policy), start


def _choice_times(policy: ShardedPolicy, begin: int, rounds: int) -> float:
    """Play on and return the median time of a choice in milliseconds, without the first ten."""
    spent = []
    reward = drifting_reward(policy.arms.dimension, length=0.1 if policy.arms.metric == "euclidean" else 1.0)
    for k in range(begin, begin + rounds):
        start = perf_counter()
        arm = policy.select(k * ROUND)
        spent.append(perf_counter() - start)
        place = policy.arms.places(arm)
        policy.update(k * ROUND, arm, 0.5 if np.isnan(place).any() else reward(place, k * ROUND))
    return 1e3 * float(np.median(spent[10:]))


def _side_by_side(policies: list[Policy[int]], points: Floats, seen: History, rounds: int) -> list[float]:
    """Return the median time of a round of each policy in milliseconds: a choice and an update, after a history.

    They take turns, so that both meet the same load of the machine.
    """
    reward = drifting_reward(2)
    for policy in policies:
        policy.update(seen.times, np.arange(len(seen.times)), seen.rewards)
    spent = np.empty((rounds, len(policies)))
    for k in range(rounds):
        now = (len(seen.times) + k) * ROUND
        for which, policy in enumerate(policies):
            start = perf_counter()
            arm = policy.select(now)
            middle = perf_counter()
            paid = reward(points[arm], now)
            again = perf_counter()
            policy.update(now, arm, paid)
            spent[k, which] = perf_counter() - again + middle - start
    return [1e3 * float(each) for each in np.median(spent[rounds // 10 :], axis=0)]


def _memory(policy: ShardedPolicy) -> tuple[float, float]:
    """Return the memory of all shards in gigabytes: the sum of the largest they had, and what they have (Linux)."""
    found = {"VmHWM": 0.0, "VmRSS": 0.0}
    for process in policy.processes():
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            name = line.split(":")[0]
            if name in found:
                found[name] += int(line.split()[1]) / 1e6
    return found["VmHWM"], found["VmRSS"]


@contextmanager
def _files(n_arms: int, dimension: int, parts: int, first: Floats | None) -> Iterator[list[Path]]:
    """Write arms in parts as float32, with these places first, and remove them at the end."""
    random = np.random.default_rng(2)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"part-{k}.npy" for k in range(parts)]
        for k, path in enumerate(paths):
            if dimension == 2:
                points = 2 * random.random((n_arms // parts, 2), dtype=np.float32) - 1
            else:
                points = random.standard_normal((n_arms // parts, dimension), dtype=np.float32)
            if k == 0 and first is not None:
                points[: len(first)] = first
            np.save(path, points)
            del points
        yield paths
