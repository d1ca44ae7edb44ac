"""Speed, memory and accuracy over very many rounds in a row."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import numpy as np

from quickdraw_bandits.interpolation.engines.registry import EngineName
from quickdraw_bandits.policies import QuickDraw
from quickdraw_lab.scale.histories import ROUND, drifting_reward, places

RECORDS = 100
"""Number of records over all rounds."""

SAMPLES = 2
"""Rounds per record whose choice is compared with the exact index of all arms."""


def soak(
    rounds: int, n_arms: int, dimension: int, engine: EngineName, report: Callable[[int, int], None]
) -> Iterator[dict[str, float]]:
    """Play on arms in one to three dimensions, and yield one record per hundredth of the rounds.

    ``excess`` is the largest difference between the highest index and that of the chosen arm, in the rounds compared.
    """
    policy = QuickDraw(places(dimension, n_arms), engine=engine, seed=0)
    reward = drifting_reward(dimension)
    length = -(-rounds // RECORDS)
    report(0, rounds)
    for begin in range(0, rounds, length):
        end = min(begin + length, rounds)
        compared = set(np.linspace(begin, end - 1, SAMPLES).astype(int).tolist()) - {0}
        excess, spent = 0.0, 0.0
        for number in range(begin, end):
            start = process_time()
            arm = policy.select(number * ROUND)
            spent += process_time() - start
            if number in compared:
                index = policy.index(number * ROUND)
                excess = max(excess, float(index.max() - index[arm]))
            paid = reward(policy.arms.points[arm], number * ROUND)
            start = process_time()
            policy.update(number * ROUND, arm, paid)
            spent += process_time() - start
        report(end, rounds)
        yield {"rounds": end, "ms_per_round": 1e3 * spent / (end - begin), "mb": memory() / 2**20, "excess": excess}


def memory() -> float:
    """Return the memory of the process in bytes, or its peak where only that is known."""
    try:
        import resource
    except ImportError:  # not on Windows
        return float("nan")
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
