"""Questions to shards, and apart from them what they consist of: calls of Ray, work of a shard, shared cores."""

import multiprocessing
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.distributed import ShardedQuickDraw
from quickdraw_bandits.distributed.hosts import Host
from quickdraw_bandits.distributed.quick_draw_shard import QuickDrawShard
from quickdraw_bandits.evaluation.workers import THREADS, cores, environment_variables
from quickdraw_lab.scale.fan_out import Costs, FanOut, compare

MEASURED = (1, 2, 3, 4)
WORK = {"small": 64, "middle": 1000, "search": 3000}
"""Arms of each shard whose estimates are asked for: from next to no work to about that of a search among very many."""
OBSERVATIONS = 1000
BLOCKS = 50
"""Number of turns in which everything is measured, so that all of it meets the same state of the machine."""
FIRST = 3
"""Questions of a turn that are not counted."""
BUSY = 512
"""Numbers that one step of busy work takes the exponential of."""
CALIBRATION = 200


class Echo:
    """Answers at once, with what it was given before: an actor whose calls cost what those of shards cost."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def keep(self, name: str, answer: Any) -> None:
        """Keep an answer under a name."""
        self._kept[name] = answer

    def answer(self, name: str, *_: Any) -> Any:
        """Return the answer of a name; the rest of the question makes it as long as one to a shard."""
        return self._kept[name]


class Work:
    """What a plain process does on request: steps of busy work, or the work of a shard."""

    def __init__(self, shard: QuickDrawShard) -> None:
        self._shard = shard
        self._numbers = np.linspace(0.0, 1.0, BUSY)
        self._out = np.empty(BUSY)

    def busy(self, steps: int) -> None:
        """Take exponentials."""
        for _ in range(steps):
            np.exp(self._numbers, out=self._out)

    def estimate(self, *question: Any) -> None:
        """Answer as a shard."""
        self._shard.estimate(*question)


def fan_out(questions: int, arms_of_a_shard: int) -> list[FanOut]:
    """Measure questions about estimates at some arms of each of 1 to 4 shards, and simulate them from their parts."""
    parts = [np.random.default_rng(k).random((arms_of_a_shard, 2)) for k in range(max(MEASURED))]
    with ShardedQuickDraw(parts) as policy:
        random = np.random.default_rng(0)
        chosen = random.integers(len(policy.arms), size=OBSERVATIONS)
        policy.update(np.arange(OBSERVATIONS) * 1e-3, chosen, random.random(OBSERVATIONS))
        policy.select(1.0)
        with plain_processes(_twin(policy, parts[0]), max(MEASURED)) as processes:
            return _measure(policy, processes, questions)


def _twin(policy: ShardedQuickDraw, points: Floats) -> tuple[Any, ...]:
    """Return what makes a process hold the first shard of a policy: points, arguments of ``begin`` and ``extend``."""
    seen = policy._seen
    log = 0, seen.times[: seen.n], seen.arms[: seen.n], seen.rewards[: seen.n], seen.coordinates[:, : seen.n].T.copy()
    return points, policy._beginning(policy.arms)(0), log


def _measure(policy: ShardedQuickDraw, processes: list[Connection], questions: int) -> list[FanOut]:
    fleet, host, asked = policy._fleet, policy._fleet._host, policy._asked(1.0)
    echoes = [host.start(Echo) for _ in MEASURED]
    times: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    asking = {work: (asked, np.arange(min(arms, policy.arms.counts[0]))) for work, arms in WORK.items()}
    steps = {}
    for work, question in asking.items():
        answer = fleet.ask({0: ("estimate", *question)})[0]
        host.answers([host.call(echo, "keep", work, answer) for echo in echoes])
        steps[work] = _steps(processes[0], question)
    for _ in range(BLOCKS):
        for work, question in asking.items():
            _add(times["service", work, 1], questions, partial(_work, processes[:1], "estimate", *question))
            busy = "busy", steps[work]
            for n in MEASURED:
                everyone = dict.fromkeys(range(n), ("estimate", *question))
                calls = partial(_call, host, echoes[:n], work, question)
                _add(times["calls", work, n], questions, partial(_time, calls))
                _add(times["shards", work, n], questions, partial(_time, partial(fleet.ask, everyone)))
                _add(times["busy", work, n], questions, partial(_span, processes[:n], *busy))
                _add(times["busy alone", work, n], questions, partial(_work, processes[:1], *busy))
    rows = []
    for work in WORK:
        of = {(what, n): 1e3 * np.array(values) for (what, each, n), values in times.items() if each == work}
        costs = Costs(
            {n: of["calls", n] for n in MEASURED},
            of["service", 1],
            {n: of["busy", n] / (np.median(of["busy alone", n]) * max(1.0, n / cores())) for n in MEASURED},
        )
        rows += compare(work, costs, {n: of["shards", n] for n in MEASURED}, cores())
    return rows


def _add(times: list[float], questions: int, ask: Callable[[], float]) -> None:
    """Add the times of one turn."""
    turn = max(questions // BLOCKS, 1)
    times += [ask() for _ in range(FIRST + turn)][FIRST:]


def _time(ask: Callable[[], object]) -> float:
    start = perf_counter()
    ask()
    return perf_counter() - start


def _call(host: Host, echoes: list[Any], work: str, question: tuple[Any, ...]) -> None:
    host.answers([host.call(echo, "answer", work, *question) for echo in echoes])


def _steps(process: Connection, question: tuple[Any, ...]) -> int:
    """Return how many steps of busy work take as long as the work of a shard."""
    service = np.median([_work([process], "estimate", *question) for _ in range(CALIBRATION)])
    busy = np.median([_work([process], "busy", 100) for _ in range(CALIBRATION)]) / 100
    return max(round(float(service / busy)), 1)


def _together(processes: list[Connection], method: str, *arguments: Any) -> Floats:
    """Let processes do the same at once; return beginning, end and processor time of each, in seconds."""
    for process in processes:
        process.send((method, arguments))
    return np.array([process.recv() for process in processes])


def _span(processes: list[Connection], method: str, *arguments: Any) -> float:
    """Return the time from the first beginning to the last end."""
    found = _together(processes, method, *arguments)
    return float(found[:, 1].max() - found[:, 0].min())


def _work(processes: list[Connection], method: str, *arguments: Any) -> float:
    """Return the mean processor time."""
    return float(_together(processes, method, *arguments)[:, 2].mean())


@contextmanager
def plain_processes(twin: tuple[Any, ...], count: int) -> Iterator[list[Connection]]:
    """Start processes with one thread each that hold a shard and do ``Work``, and end them."""
    spawn = multiprocessing.get_context("spawn")
    pipes = [spawn.Pipe() for _ in range(count)]
    started = [spawn.Process(target=_serve, args=(there, twin), daemon=True) for _, there in pipes]
    try:
        with environment_variables(dict.fromkeys(THREADS, "1")):
            for process in started:
                process.start()
            for here, _ in pipes:
                here.recv()  # it is ready
        yield [here for here, _ in pipes]
    finally:
        for process in started:
            process.terminate()
            process.join()


def _serve(pipe: Connection, twin: tuple[Any, ...]) -> None:
    points, beginning, log = twin
    shard = QuickDrawShard(0, points, "euclidean", [])
    shard.begin(*beginning)
    shard.extend(*log)
    work = Work(shard)
    pipe.send(None)
    while True:
        method, arguments = pipe.recv()
        begin, used = perf_counter(), thread_time()
        getattr(work, method)(*arguments)
        used = thread_time() - used
        pipe.send((begin, perf_counter(), used))
