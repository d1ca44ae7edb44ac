"""Very many rounds in a row: whether speed, memory and accuracy stay what they are."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from quickdraw_bandits.interpolation.engines import EngineName
from quickdraw_bandits.policies import QuickDraw
from quickdraw_lab.scale.games import ROUND, drifting_reward, places

WINDOWS = 100
SAMPLES = 2
"""Rounds of a window whose choice is compared with the exact sum over all observations."""


def soak(
    rounds: int, n_arms: int, dimension: int, engine: EngineName, report: Callable[[int, int], None]
) -> Iterator[dict[str, Any]]:
    """Play on arms of a line, the plane or space; yield a record a window, of a hundredth of the rounds.

    ``excess`` is how far the largest index was above that of the arm chosen, at most, in the rounds compared.
    """
    policy = QuickDraw(places(dimension, n_arms), engine=engine, seed=0)
    reward = drifting_reward(dimension)
    length = -(-rounds // WINDOWS)
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
    """Return how many bytes of memory the process has; the most that it had where that alone is known."""
    try:
        import resource
    except ImportError:  # not on Windows
        return float("nan")
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
