"""A question to n shards at once: how long it takes, simulated from what its parts take when measured apart."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from quickdraw_bandits.checks import Floats

TOLERANCE = 0.2
"""How far a simulated median or 99th percentile may be from the measured one. Fixed before measuring."""
DRAWS = 20_000


@dataclass(frozen=True)
class FanOut:
    """Times of a question to ``shards`` shards, in milliseconds, measured and simulated."""

    work: str
    shards: int
    median: float
    p99: float
    simulated_median: float
    simulated_p99: float
    questions: int
    """How many were measured."""

    @property
    def off(self) -> tuple[float, float]:
        """How far the simulated median and 99th percentile are from the measured ones, as parts of those."""
        return self.simulated_median / self.median - 1, self.simulated_p99 / self.p99 - 1


@dataclass(frozen=True)
class Costs:
    """What the parts of a question take, in milliseconds. No question to a shard was put to measure them.

    Attributes
    ----------
    calls
        By number of shards: a sample of times of questions to so many actors that do nothing and return at once, with
        messages as long as those of shards. Work of the driver for every call and every answer is in it, and how all
        of that shares the cores.
    service
        A sample of the processor time that one shard takes to find its answer, alone in a plain process.
    contention
        By number of shards: a sample of how much longer as many plain processes take that begin the same work together,
        compared with cores shared evenly and without loss.
    """

    calls: Mapping[int, Floats]
    service: Floats
    contention: Mapping[int, Floats]


def simulate(
    costs: Costs, shards: int, cores: int | None, draws: int, random: np.random.Generator, hedge: float = 0.0
) -> Floats:
    """Return times of questions to several shards: calls + (work on shared cores) x contention, each drawn by itself.

    Parameters
    ----------
    costs
        Of the parts.
    shards
        How many; ``costs`` must have their calls and contention.
    cores
        Cores that shards share evenly. None: each has its own.
    draws
        How many questions.
    random
        Draws from the samples.
    hedge
        If above 0: a shard that has not answered after this time is asked a second time, at a copy of it elsewhere,
        and the first answer counts (hedged requests).

    Examples
    --------
    >>> nothing = Costs({4: np.array([1.0])}, np.array([10.0]), {4: np.array([1.0])})
    >>> simulate(nothing, 4, 2, 1, np.random.default_rng(0))
    array([21.])
    """
    service = random.choice(costs.service, (draws, shards))
    if hedge:
        service = np.minimum(service, hedge + random.choice(costs.service, (draws, shards)))
    contention = random.choice(costs.contention[shards], draws)
    return np.asarray(random.choice(costs.calls[shards], draws) + contention * shared(service, cores))


def shared(work: Floats, cores: int | None) -> Floats:
    """Return when the last of some tasks is done, if all begin together and share cores evenly.

    Parameters
    ----------
    work
        What each task takes on a core of its own, the tasks of one question in a row.
    cores
        How many. A task has one at most. None: as many as tasks.

    Examples
    --------
    >>> shared(np.array([[1.0, 3.0, 3.0]]), 2)
    array([3.5])
    """
    n = work.shape[1]
    steps = np.diff(np.sort(work, axis=1), axis=1, prepend=0.0)
    # While m tasks are left, each of them runs at the speed min(1, cores / m).
    slowness = np.maximum(np.arange(n, 0, -1) / (cores or n), 1.0)
    return np.asarray(steps @ slowness)


def compare(work: str, costs: Costs, measured: Mapping[int, Floats], cores: int) -> list[FanOut]:
    """Return rows of medians and 99th percentiles: measured times by number of shards, and simulated ones."""
    rows = []
    for shards, times in measured.items():
        simulated = simulate(costs, shards, cores, DRAWS, np.random.default_rng(0))
        (median, p99), (simulated_median, simulated_p99) = (
            np.quantile(each, [0.5, 0.99]).tolist() for each in (times, simulated)
        )
        rows.append(FanOut(work, shards, median, p99, simulated_median, simulated_p99, len(times)))
    return rows
