"""Running a compiled loop on all cores.

Compiled functions release the GIL, so ordinary Python threads run them side by side. A loop is cut into parts, which
the calling thread and the threads of one shared pool take one after the other. The calling thread never waits for
a part that nobody has begun, so that calls from several threads, and from a part itself, cannot block each other.
"""

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from numba.core import config

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

WORTHWHILE = 5_000_000
"""Kernel evaluations from which on threads pay, about a millisecond's. Shorter loops gain little on an idle machine,
and on a busy one they lose far more, because every thread waits for the slowest."""
PARTS = 4
"""Parts per thread: more of them even out the work, and each costs a few microseconds."""

_pool: "ThreadPoolExecutor | None" = None
_starting = threading.Lock()


def _forget_pool() -> None:
    """Start again in a forked process, which has no threads but the one that forked."""
    global _pool, _starting
    _pool, _starting = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def n_threads() -> int:
    """Return how many threads may work at a time: the cores of this process, or NUMBA_NUM_THREADS if that is set."""
    return int(config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]


def in_parts(loop: Callable[[int, int], object], count: int, work: float, grain: int = 1) -> None:
    """Call ``loop(begin, end)`` for parts of ``range(count)`` that cover it.

    Parts may run at the same time, so each must write to its own places only. Whatever the number of threads,
    parts begin at multiples of ``grain``.

    Parameters
    ----------
    loop
        Does the work for positions from ``begin`` to ``end`` - 1.
    count
        How many positions there are.
    work
        Kernel evaluations in all. Below ``WORTHWHILE``, the calling thread does it in one part.
    grain
        Positions that belong together.
    """
    threads = n_threads() if work >= WORTHWHILE else 1
    if threads == 1 or count <= grain:
        loop(0, count)
        return
    step = grain * -(-count // (grain * threads * PARTS))
    begins = list(range(0, count, step))

    def take_parts() -> None:
        while True:
            try:
                begin = begins.pop()
            except IndexError:  # none is left
                return
            loop(begin, min(begin + step, count))

    helpers = [_shared_pool().submit(take_parts) for _ in range(threads - 1)]
    try:
        take_parts()
    finally:
        begun = [helper for helper in helpers if not helper.cancel()]
    for helper in begun:
        helper.result()


def _shared_pool() -> "ThreadPoolExecutor":
    global _pool
    with _starting:
        if _pool is None:
            from concurrent.futures import ThreadPoolExecutor

            _pool = ThreadPoolExecutor(max(1, n_threads() - 1), thread_name_prefix="quickdraw")
        return _pool
