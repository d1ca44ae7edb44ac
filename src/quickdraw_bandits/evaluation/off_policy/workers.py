"""Processes that share the work of independent tasks, one thread to each."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

_LIBRARIES = ("NUMBA", "OMP", "OPENBLAS", "MKL", "BLIS")
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}


class _Here(Executor):
    """Runs a task in this process, at once."""

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(task(*arguments, **named))
        return future


@contextmanager
def workers(jobs: int) -> Iterator[Executor]:
    """Give an executor of ``jobs`` processes; for one job, this process itself.

    The processes start afresh rather than by fork, which threads of compiled code would not survive. Libraries read
    how many threads they may use when they are first imported, so the environment says it while processes start.
    """
    if jobs == 1:
        yield _Here()
        return
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
            try:
                yield pool
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
