"""Every command runs in an empty folder, and plays its runs in this process unless a test asks for the pool."""

import sys

import pytest


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture
def in_this_process(monkeypatch):
    """Play runs without starting processes, which takes seconds each time."""

    def run_here(play, tasks, jobs):
        for task in tasks:
            yield from play(task)

    monkeypatch.setattr("quickdraw_lab.runner.pool.run_on_pool", run_here)
