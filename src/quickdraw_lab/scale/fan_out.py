"""A question to n shards at once: how long it takes, measured, and simulated from what one shard takes."""

from dataclasses import dataclass
from heapq import heapify, heapreplace
from time import perf_counter

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.distributed import ShardedQuickDraw
from quickdraw_bandits.evaluation.workers import cores

MEASURED = (1, 2, 4)


@dataclass(frozen=True)
class FanOut:
    """Times of a question to so many shards, in milliseconds."""

    shards: int
    median: float
    p99: float
    simulated_median: float
    simulated_p99: float


def simulate(
    shards: int, send: float, single: Floats, cores: int, draws: int, random: np.random.Generator, hedge: float = 0.0
) -> Floats:
    """Return times of questions to several shards, from those to one.

    The driver sends to one shard after the other, which takes ``send`` each. Each shard then takes a time drawn from
    ``single``, the times of questions to one shard less ``send``, and works on a core: if shards are more than cores,
    they wait for each other. The question takes as long as the slowest.

    Parameters
    ----------
    shards
        How many.
    send, single
        Seconds, or any unit: the time to send a question, and a sample of the times of a shard.
    cores
        Cores that all shards share; as many as shards if they are on machines of their own.
    draws
        How many questions.
    random
        Draws them.
    hedge
        If above 0: a shard that has not answered after this time is asked a second time, at a copy of it elsewhere,
        and the first answer counts (hedged requests).

    Examples
    --------
    >>> simulate(4, 1.0, np.array([10.0]), 2, 1, np.random.default_rng(0))
    array([22.])
    """
    found = np.empty(draws)
    times = random.choice(single, (draws, shards))
    if hedge:
        times = np.minimum(times, hedge + random.choice(single, (draws, shards)))
    for k in range(draws):
        free = [0.0] * min(cores, shards)
        heapify(free)
        last = 0.0
        for shard in range(shards):
            done = max(free[0], (shard + 1) * send) + times[k, shard]
            heapreplace(free, done)
            last = max(last, done)
        found[k] = last
    return found


def fan_out(questions: int, arms_of_a_shard: int) -> list[FanOut]:
    """Measure questions about estimates at a few arms of each shard, with 1, 2 and 4 shards, and simulate them.

    On a busy machine fewer cores are free than there are. As many are taken as fit the median at two shards best; the
    figures at four are then a test.
    """
    times: dict[int, Floats] = {}
    send = 0.0
    for n in MEASURED:
        with ShardedQuickDraw([np.random.default_rng(k).random((arms_of_a_shard, 2)) for k in range(n)]) as policy:
            times[n], sends = _ask(policy, n, arms_of_a_shard, questions)
            if n == 1:
                send = float(np.median(sends))
    single = times[1] - send

    def simulated_with(n: int, free: int) -> Floats:
        return simulate(n, send, single, free, 20_000, np.random.default_rng(0))

    two = np.median(times[2])
    free = min(range(1, cores() + 1), key=lambda free: float(abs(np.median(simulated_with(2, free)) - two)))
    found = []
    for n in MEASURED:
        simulated = simulated_with(n, free)
        quantiles = [float(np.quantile(each, q)) for each in (times[n], simulated) for q in (0.5, 0.99)]
        found.append(FanOut(n, *quantiles))
    return found


def _ask(policy: ShardedQuickDraw, n: int, arms_of_a_shard: int, questions: int) -> tuple[Floats, Floats]:
    """Return the times of questions to all shards, and of sending one of them, in milliseconds."""
    random = np.random.default_rng(0)
    policy.update(np.arange(1000) * 1e-3, random.integers(n * arms_of_a_shard, size=1000), random.random(1000))
    policy.select(1.0)
    fleet, asked = policy._fleet, policy._asked(1.0)
    question = ("estimate", asked, np.arange(64))
    times, sends = np.empty(questions), np.empty(questions)
    for k in range(-questions // 5, questions):
        start = perf_counter()
        fleet.ask(dict.fromkeys(range(n), question))
        times[k] = perf_counter() - start
        start = perf_counter()
        ticket = fleet._host.call(fleet.members[0].handle, *question)
        sends[k] = perf_counter() - start
        fleet._host.answers([ticket])
    return 1e3 * times, 1e3 * sends
