import os

import pytest

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
