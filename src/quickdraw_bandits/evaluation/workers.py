"""A pool of processes, one thread each."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any

THREADS = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def cores() -> int:
    """Return how many cores this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def worker_pool(jobs: int, initializer: Callable[..., object], *arguments: Any) -> Iterator[ProcessPoolExecutor]:
    """Open a pool of ``jobs`` fresh processes, each with one thread, and close it whatever happens.

    Libraries read the number of threads as they are imported, so it must be in the environment in which the
    processes start; they start as work comes in, hence for as long as the pool is open. A process that is copied
    (fork) could inherit a lock that no thread will open; a fresh one (spawn) cannot.
    """
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _start, (initializer, *arguments))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _start(initializer: Callable[..., object], *arguments: Any) -> None:
    """Begin the life of a process, one that ends at once and without a word on Ctrl-C, or when its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    initializer(*arguments)


def _end_with_parent() -> None:
    """Wait for the death of the process that opened the pool: killed, it can no longer tell its workers to stop."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
