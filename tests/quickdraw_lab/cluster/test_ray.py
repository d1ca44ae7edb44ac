"""Runs on a local Ray cluster; collected only where Ray is installed."""

import os
import re
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np

from quickdraw_lab.contest.environments import ENVIRONMENTS, EnvironmentSpec
from quickdraw_lab.contest.recorded_rewards import checksum
from quickdraw_lab.contest.runs import ContestRun, play_contest_runs
from quickdraw_lab.players.contestant import Contestant
from quickdraw_lab.runner.pool import run_on_pool
from quickdraw_lab.runner.ray_cluster import run_on_ray
from quickdraw_lab.runner.run import tasks_of
from quickdraw_lab.testbed import TestBed


def test_a_cluster_is_for_this_machine_and_gives_the_same_records_as_the_pool(tmp_path, monkeypatch):
    """With a policy from elsewhere and recorded rewards, which workers read."""
    (tmp_path / "mine_on_ray.py").write_text(
        "class First:\n"
        "    def __init__(self, arms, arm=0, seed=None): self.arm = arm\n"
        "    def select(self, time): return self.arm\n"
        "    def update(self, time, arm, reward): pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    road = str(tmp_path / "road.npy")
    np.save(road, np.random.default_rng(0).uniform(size=(60, 20)))
    specs = [ENVIRONMENTS["noise-0.1"], EnvironmentSpec("recorded", (), road, checksum(road))]
    contestants = [Contestant("Random"), Contestant("mine_on_ray:First", (("arm", 3),))]
    tasks = tasks_of(ContestRun(spec, each, "result", n) for spec in specs for each in contestants for n in range(2))
    play = partial(play_contest_runs, TestBed(seed=1, n_arms=20, n_rounds=60, warmup=20))

    changed = ("PYTHONPATH", "OMP_NUM_THREADS", "RAY_AUTH_TOKEN")
    before = [os.environ.get(name) for name in changed]
    with closing(run_on_ray(play, tasks, jobs=2)) as stream:
        records = [next(stream)]
        _check_that_it_is_closed_to_others()
        records += stream
    assert [os.environ.get(name) for name in changed] == before
    assert len(records) == 8
    assert regrets(records) == regrets(run_on_pool(play, tasks, jobs=1))


def regrets(records):
    return {ContestRun.from_json(record["run"]): record["regret_per_round"] for record in records}


def _check_that_it_is_closed_to_others():
    """It listens on the loopback only, and those who know the token come in, others do not."""
    import ray

    assert os.environ["RAY_AUTH_MODE"] == "token"
    address = ray.get_runtime_context().gcs_address
    assert address.startswith("127.0.0.1:")
    assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
    assert not _listening_beyond_this_machine()
    code = f"import ray; ray.init(address={address!r}, logging_level='ERROR'); print('came in')"
    for token, comes_in in [(os.environ["RAY_AUTH_TOKEN"], True), ("0" * 64, False)]:
        stranger = subprocess.run(
            [sys.executable, "-c", code],
            # Ray tries twenty times, a second apart, before it says that it was refused.
            env={**os.environ, "RAY_AUTH_TOKEN": token, "RAY_NUM_REDIS_GET_RETRIES": "1"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ("came in" in stranger.stdout) == comes_in, stranger.stderr[-2000:]


def _listening_beyond_this_machine():
    """Return the sockets of Ray's processes that listen on another address than the loopback (Linux's own tables)."""
    sockets = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"ray" in (process / "cmdline").read_bytes().lower():
                links = (os.readlink(link) for link in (process / "fd").iterdir())
                sockets |= {found[1] for link in links if (found := re.fullmatch(r"socket:\[(\d+)\]", link))}
        except OSError:
            continue  # it has ended, or is not ours
    open_ones = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            loopback = local.startswith(("0100007F:", "0000000000000000FFFF00000100007F:", "0" * 24 + "01000000:"))
            if state == "0A" and rest[5] in sockets and not loopback:
                open_ones.append(local)
    assert sockets
    return open_ones
