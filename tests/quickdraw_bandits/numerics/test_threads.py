"""Loops on all cores: complete, the same whatever the number of threads, and never stuck."""

import os
import threading

import numpy as np
import pytest

from quickdraw_bandits.numerics import threads
from quickdraw_bandits.numerics.threads import in_parts


@pytest.fixture(autouse=True)
def four_threads(monkeypatch):
    """Use four threads for any amount of work, in a pool of the test's own."""
    monkeypatch.setattr(threads, "n_threads", lambda: 4)
    monkeypatch.setattr(threads, "WORTHWHILE", 1)
    monkeypatch.setattr(threads, "_pool", None)
    yield
    if threads._pool is not None:
        threads._pool.shutdown()


def parts_of(count, grain=1, work=10):
    """Return the parts that a loop is cut into, in order."""
    parts = []
    in_parts(lambda begin, end: parts.append((begin, end)), count, work, grain)
    return sorted(parts)


@pytest.mark.parametrize("count", [0, 1, 5, 16, 1000])
@pytest.mark.parametrize("grain", [1, 7, 64])
def test_parts_cover_the_range_and_begin_at_multiples_of_the_grain(count, grain):
    parts = parts_of(count, grain)
    assert [begin for begin, _ in parts] == [0, *(end for _, end in parts[:-1])]
    assert parts[-1][1] == count
    assert all(begin % grain == 0 for begin, _ in parts)


def test_little_work_is_one_part_on_the_calling_thread(monkeypatch):
    monkeypatch.setattr(threads, "WORTHWHILE", 100)
    ran_on = []
    in_parts(lambda begin, end: ran_on.append((begin, end, threading.get_ident())), 1000, 99)
    assert ran_on == [(0, 1000, threading.get_ident())]
    assert threads._pool is None


def test_several_threads_and_loops_within_loops_finish():
    """Every thread of the pool can be waiting for a loop of its own: callers do the parts that nobody has begun."""
    totals = np.zeros((8, 12, 50))

    def outer(row, begin, end):
        for column in range(begin, end):
            in_parts(lambda b, e, of=totals[row, column]: of[b:e].__iadd__(1), 50, 1000)

    callers = [
        threading.Thread(target=lambda row=row: in_parts(lambda b, e: outer(row, b, e), 12, 1000)) for row in range(8)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(timeout=60)
    assert not any(caller.is_alive() for caller in callers)
    assert (totals == 1).all()


def test_an_error_in_a_part_reaches_the_caller():
    def loop(begin, end):
        if begin <= 500 < end:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        in_parts(loop, 1000, 1000)
    assert parts_of(1000)[-1][1] == 1000  # and the next loop is served


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    parts_of(1000)
    assert threads._pool is not None
    child = os.fork()
    if child == 0:
        os._exit(0 if threads._pool is None and parts_of(1000)[-1][1] == 1000 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
