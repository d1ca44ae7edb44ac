import multiprocessing
import os
import signal
import sys
from types import SimpleNamespace

import pytest

from quickdraw_bandits.evaluation import workers
from quickdraw_bandits.evaluation.workers import cores, worker_pool


def test_processes_have_one_thread_and_this_one_keeps_its_own(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    with worker_pool(1, print) as pool:
        assert pool.submit(os.getenv, "OMP_NUM_THREADS").result() == "1"
        assert pool.submit(os.getenv, "NUMBA_NUM_THREADS").result() == "1"
        assert pool.submit(os.getpid).result() != os.getpid()
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "NUMBA_NUM_THREADS" not in os.environ


def test_closes_after_an_error(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with pytest.raises(ZeroDivisionError), worker_pool(1, print):
        raise ZeroDivisionError
    assert "OMP_NUM_THREADS" not in os.environ


def test_cores_are_those_that_may_be_used(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 4, 6}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert cores() == 8


def test_a_worker_ends_when_its_parent_has_died(monkeypatch):
    monkeypatch.setattr(os, "_exit", sys.exit)  # an exception in place of the end of this process
    workers._end_with_parent()  # no parent to wait for: this is the main process
    reader, writer = multiprocessing.Pipe(duplex=False)
    writer.close()  # which makes the reader ready, as the sentinel of a dead process is
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: SimpleNamespace(sentinel=reader))
    with pytest.raises(SystemExit, match="1"):
        workers._end_with_parent()


def test_a_worker_ends_on_ctrl_c_and_runs_its_initializer():
    before, given = signal.getsignal(signal.SIGINT), []
    try:
        workers._start(lambda *arguments: given.append(arguments), 1, "a")
        assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGINT, before)
    assert given == [(1, "a")]
