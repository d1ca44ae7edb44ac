"""Many rounds on shards whose processes are killed now and then, against the same rounds in one process."""

import os
import signal
import threading
from time import perf_counter
from typing import Any, TypedDict

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.distributed import ShardedQuickDraw
from quickdraw_bandits.policies import Policy, QuickDraw
from quickdraw_lab.scale.histories import ROUND, drifting_reward

SHARDS = 2
ARMS = 400
LONGEST = 0.005
"""A kill comes up to so many seconds after the round has begun: before, in the middle of, or after its choice."""


class Kills(TypedDict):
    """What came of it."""

    rounds: int
    arms: int
    shards: int
    kills: int
    restarts: int
    equal: bool
    first_difference: int | None
    seconds: float
    median_wait: float
    longest_wait: float


def kills(rounds: int, n_kills: int) -> Kills:
    """Play with kills at random moments, and undisturbed in one process; compare every choice."""
    points = np.random.default_rng(4).uniform(-1, 1, (ARMS, 2))
    undisturbed, _ = _play(QuickDraw(Arms(points), engine="exact", seed=0), points, rounds, {})
    random = np.random.default_rng(5)
    when = random.choice(np.arange(1, rounds), n_kills, replace=False)
    plan = {int(k): (int(random.integers(SHARDS)), float(random.uniform(0, LONGEST))) for k in when}
    start = perf_counter()
    with ShardedQuickDraw(np.array_split(points, SHARDS), engine="exact", seed=0) as policy:
        disturbed, waits = _play(policy, points, rounds, plan)
        restarts = policy.restarts
    different = np.flatnonzero(disturbed != undisturbed)
    # A kill after the answer is noticed in the next round.
    after = [max(waits[k], waits[min(k + 1, rounds - 1)]) for k in plan]
    return {
        "rounds": rounds,
        "arms": ARMS,
        "shards": SHARDS,
        "kills": n_kills,
        "restarts": restarts,
        "equal": len(different) == 0,
        "first_difference": int(different[0]) if len(different) else None,
        "seconds": perf_counter() - start,
        "median_wait": float(np.median(after)),
        "longest_wait": float(np.max(after)),
    }


def _play(
    policy: Policy[int], points: Floats, rounds: int, plan: dict[int, tuple[int, float]]
) -> tuple[Integers, Floats]:
    """Return the choices, and how long each took; the plan says in which round to kill which shard, and how late."""
    reward = drifting_reward(2)
    chosen, waits = np.empty(rounds, dtype=np.int64), np.empty(rounds)
    for k in range(rounds):
        timer = _kill_later(policy, *plan[k]) if k in plan else None
        start = perf_counter()
        chosen[k] = policy.select(k * ROUND)
        waits[k] = perf_counter() - start
        policy.update(k * ROUND, int(chosen[k]), reward(points[chosen[k]], k * ROUND))
        if timer is not None:
            timer.join()
    return chosen, waits


def _kill_later(policy: Any, shard: int, seconds: float) -> threading.Timer:
    process = policy.processes()[shard]
    timer = threading.Timer(seconds, os.kill, (process, signal.SIGKILL))
    timer.start()
    return timer
