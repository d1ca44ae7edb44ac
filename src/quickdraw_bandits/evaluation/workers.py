"""A pool of processes, one thread each."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import wait

THREADS = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""Environment variables that libraries read when they are imported."""


def cores() -> int:
    """Return the number of cores that this process may use, which can be less than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def environment_variables(changes: Mapping[str, str]) -> Iterator[None]:
    """Change environment variables, and restore them at the end, also after an error."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def worker_pool(
    jobs: int, initializer: Callable[..., object] | None = None, *arguments: object
) -> Iterator[ProcessPoolExecutor]:
    """Open a pool of ``jobs`` fresh processes with one thread each, and close it at the end, also after an error.

    Libraries read the number of threads when they are imported. So it must be in the environment while processes may
    start, which is as long as the pool is open. Processes are spawned: a forked one could inherit a lock that no
    thread will ever release.
    """
    with environment_variables(dict.fromkeys(THREADS, "1")):
        pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), partial(_start, initializer, *arguments))
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)


def _start(initializer: Callable[..., object] | None, *arguments: object) -> None:
    """Start a process that ends quietly on Ctrl-C and when its parent has died."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if initializer is not None:
        initializer(*arguments)


def _end_with_parent() -> None:
    """Exit when the parent has died: if it was killed, it could not stop its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
