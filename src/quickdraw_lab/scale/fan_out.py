"""A question to n shards at once: how long it takes, measured, and simulated from what one shard takes."""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heapreplace
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.distributed import ShardedQuickDraw
from quickdraw_bandits.evaluation.workers import cores

MEASURED = (1, 2, 3, 4)
WORK = {"small": 64, "search": 3000}
"""Arms of each shard whose estimates are asked for: next to no work, and about that of a search among very many."""
DRAWS = 4000
TICKS = 100
"""Of the processor's time in /proc, per second (Linux)."""


@dataclass(frozen=True)
class FanOut:
    """Times of a question to so many shards, in milliseconds, measured and simulated."""

    work: str
    shards: int
    median: float
    p99: float
    simulated_median: float
    simulated_p99: float


def p99_with_common_stalls(some: FanOut, one: FanOut) -> float:
    """Return the 99th percentile if all that varies is the speed of the machine, the same for all shards.

    A question to n shards then varies as one to a single shard does: its median, times p99 / median of one shard. In
    ``simulate`` each shard varies by itself. The truth is between both where shards share cores.

    Parameters
    ----------
    some
        Figures of several shards; its simulated median is used.
    one
        Figures of one shard with the same work; its measured times are used.

    Examples
    --------
    >>> one = FanOut("small", 1, 1.0, 1.5, 1.0, 1.5)
    >>> p99_with_common_stalls(FanOut("small", 4, 2.1, 3.3, 2.0, 2.2), one)
    3.0
    """
    return some.simulated_median * one.p99 / one.median


@dataclass(frozen=True)
class Costs:
    """What one question to one shard takes, in milliseconds.

    Attributes
    ----------
    send
        Of the thread that asks, which puts one question after the other.
    carry
        Of the other threads of that process, which carry questions out and answers in: half of it each.
    latency
        Each way, without work: until a process wakes up.
    service
        A sample of times of work in the process of the shard.
    """

    send: float
    carry: float
    latency: float
    service: Floats

    @classmethod
    def of(cls, times: Floats, send: float, driver: float, shard: float) -> "Costs":
        """Return costs from whole times of questions to one shard and mean processor times of both processes.

        What processors do not account for is latency. The times vary because those of the shard do: an assumption.
        """
        latency = max(float(np.median(times)) - driver - shard, 0.0) / 2
        carry = max(driver - send, 0.0)
        return cls(send, carry, latency, np.maximum(times - send - carry - 2 * latency, 0.0))


def simulate(
    costs: Costs,
    shards: int,
    shared: int | None,
    draws: int,
    random: np.random.Generator,
    hedge: float = 0.0,
) -> Floats:
    """Return times of questions to several shards, from what a question to one takes.

    The driver sends to one shard after the other, and then waits for all. Another thread of it carries each question
    out and each answer in, one by one. A shard takes a time drawn from ``costs.service``. The question takes as long as
    the slowest.

    Parameters
    ----------
    costs
        Of one question to one shard.
    shards
        How many.
    shared
        Cores that all threads of the driver and all shards share, first come, first served. None: each has its own.
    draws
        How many questions.
    random
        Draws times of shards.
    hedge
        If above 0: a shard that has not answered after this time is asked a second time, at a copy of it elsewhere,
        and the first answer counts (hedged requests).

    Examples
    --------
    >>> simulate(Costs(1.0, 0.0, 0.0, np.array([10.0])), 4, None, 1, np.random.default_rng(0))
    array([14.])
    """
    service = random.choice(costs.service, (draws, shards))
    if hedge:
        service = np.minimum(service, hedge + random.choice(costs.service, (draws, shards)))
    return np.array([_one(costs, row.tolist(), shared or shards + 2) for row in service])


SEND, OUT, WORKING, IN = range(4)


def _one(costs: Costs, service: list[float], n_cores: int) -> float:
    """Return the time of one question: every task waits for its thread and for a core, in the order of readiness."""
    free = [0.0] * n_cores
    heapify(free)
    half = costs.carry / 2
    carrier = 0.0
    """When the thread that carries is free."""
    ready: list[tuple[float, int, int]] = [(0.0, SEND, 0)]
    last = 0.0
    while ready:
        when, task, shard = heappop(ready)
        if task in (OUT, IN):
            if carrier > when:  # taken up again when the thread is free
                heappush(ready, (carrier, task, shard))
                continue
            length = half
        else:
            length = costs.send if task == SEND else service[shard]
        done = when
        if length > 0:
            done = max(when, free[0]) + length
            heapreplace(free, done)
        if task in (OUT, IN):
            carrier = done
        if task == SEND:
            heappush(ready, (done, OUT, shard))
            if shard + 1 < len(service):
                heappush(ready, (done, SEND, shard + 1))
        elif task == OUT:
            heappush(ready, (done + costs.latency, WORKING, shard))
        elif task == WORKING:
            heappush(ready, (done + costs.latency, IN, shard))
        last = max(last, done)
    return last


def fan_out(questions: int, arms_of_a_shard: int) -> list[FanOut]:
    """Measure questions about estimates at some arms of each shard, and simulate them from those to one shard.

    Only the figures of one shard are used for the simulation; those of more shards test it.
    """
    times: dict[tuple[str, int], Floats] = {}
    costs: dict[str, Costs] = {}
    for n in MEASURED:
        with ShardedQuickDraw([np.random.default_rng(k).random((arms_of_a_shard, 2)) for k in range(n)]) as policy:
            random = np.random.default_rng(0)
            policy.update(np.arange(1000) * 1e-3, random.integers(n * arms_of_a_shard, size=1000), random.random(1000))
            policy.select(1.0)
            for work, arms in WORK.items():
                times[work, n], parts = _ask(policy, n, min(arms, arms_of_a_shard), questions)
                if n == 1:
                    costs[work] = Costs.of(times[work, 1], *parts)
    found = []
    for (work, n), measured in times.items():
        simulated = simulate(costs[work], n, cores(), DRAWS, np.random.default_rng(0))
        quantiles = [float(np.quantile(each, q)) for each in (measured, simulated) for q in (0.5, 0.99)]
        found.append(FanOut(work, n, *quantiles))
    return sorted(found, key=lambda each: (each.work != "small", each.shards))


def _ask(policy: ShardedQuickDraw, n: int, arms: int, questions: int) -> tuple[Floats, tuple[float, float, float]]:
    """Return times of questions to all shards, and what one takes: to send it, and processor times of both processes.

    All in milliseconds. The processor times are means per shard.
    """
    fleet, asked = policy._fleet, policy._asked(1.0)
    question = ("estimate", asked, np.arange(arms))
    everyone = dict.fromkeys(range(n), question)
    for _ in range(questions // 5):
        fleet.ask(everyone)
    processes = policy.processes()
    times, sends = np.empty(questions), np.empty(questions // 5)
    here, there = process_time(), sum(_processor(each) for each in processes)
    for k in range(questions):
        start = perf_counter()
        fleet.ask(everyone)
        times[k] = perf_counter() - start
    here, there = process_time() - here, sum(_processor(each) for each in processes) - there
    for k in range(len(sends)):
        start = perf_counter()
        ticket = fleet._host.call(fleet.members[0].handle, *question)
        sends[k] = perf_counter() - start
        fleet._host.answers([ticket])
    each = 1e3 / (n * questions)
    return 1e3 * times, (1e3 * float(np.median(sends)), here * each, there * each)


def _processor(process: int) -> float:
    """Return the processor time of a process in seconds (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
