"""A lock for every policy, which a fork finds free.

A process may be forked while another of its threads is inside a policy. The child has no such thread, so a lock that it
held would never be released. Before a fork all locks are taken, so that every policy is whole, and afterwards released.
Forks of several threads wait for each other, since each takes all locks.
"""

import os
import threading
import weakref

Lock = threading.RLock
"""The type of a policy's lock, which a thread may take again while it holds it."""

_locks: "weakref.WeakSet[Lock]" = weakref.WeakSet()
_taken: list[Lock] = []
_one_fork = threading.RLock()
_listing = threading.RLock()  # held for a moment only, and by the fork last: a policy in use may make another


def new_lock() -> Lock:
    """Return a lock that is free in a forked child."""
    lock = threading.RLock()
    with _listing:
        _locks.add(lock)
    return lock


def _before_fork() -> None:
    _one_fork.acquire()
    with _listing:
        found = list(_locks)
    for lock in found:
        lock.acquire()
        _taken.append(lock)
    _listing.acquire()


def _after_fork() -> None:
    _listing.release()
    while _taken:
        _taken.pop().release()
    _one_fork.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
