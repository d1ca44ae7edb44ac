"""When a compiled loop may use all cores.

The loops run on numba's threads, which not every platform allows two Python threads to use at a time, and which
do not survive a fork. So a loop gets them if it is large enough to gain, if no other loop has them at the moment,
and if this process was not forked; otherwise it runs on the calling thread, with the same result.
"""

import os
import threading
from collections.abc import Callable
from typing import Any

WORTHWHILE = 5_000_000
"""Kernel evaluations from which on threads pay, about a millisecond's. Shorter loops gain little on an idle machine,
and on a busy one they lose far more, because every thread waits for the slowest."""

_in_use = threading.Lock()
_forked = False


def _after_fork() -> None:
    global _forked, _in_use
    _forked = True
    _in_use = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def on_all_cores(loop: Callable[..., Any], work: int, *arguments: Any) -> Any:
    """Call ``loop(parallel, *arguments)`` for ``work`` kernel evaluations and return what it returns."""
    if work < WORTHWHILE or _forked or not _in_use.acquire(blocking=False):
        return loop(False, *arguments)
    try:
        return loop(True, *arguments)
    finally:
        _in_use.release()
