"""A contest on a local Ray cluster; collected only where Ray is installed."""

import csv
import os
import re
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np

from quickdraw_cli import main
from quickdraw_lab.figures.field_run import FieldRun, play_field_runs
from quickdraw_lab.policies.contestant import Contestant
from quickdraw_lab.runner.ray_cluster import run_on_ray
from quickdraw_lab.testbed import FieldSetting, TestBed

SMALL = ["--arms", "20", "--rounds", "60", "--warmup", "20", "--fields", "2", "--jobs", "2"]


def without_seconds(path):
    with open(path, newline="") as file:
        return [{name: value for name, value in row.items() if "seconds" not in name} for row in csv.DictReader(file)]


def test_a_contest_on_ray_gives_the_same_tables_as_on_the_pool(tmp_path, monkeypatch):
    """With tuning, a policy from elsewhere with a grid of its own, and recorded rewards, which workers read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("mine_in_a_contest_on_ray.py").write_text(
        "class First:\n"
        "    contest_grid = ({}, {'arm': 3})\n"
        "    def __init__(self, arms, arm=0, seed=None): self.arm = arm\n"
        "    def select(self, time): return self.arm\n"
        "    def update(self, time, arm, reward): pass\n"
    )
    np.save("road.npy", np.random.default_rng(0).uniform(size=(60, 20)))
    who = ["Random", "--policy", "mine_in_a_contest_on_ray:First"]
    where = ["--on", "base", "road", "--recorded", "road=road.npy"]
    command = ["compare", *who, *where, *SMALL, "--tuning-fields", "1", "--budget", "2", "--out"]
    changed = ("PYTHONPATH", "OMP_NUM_THREADS", "RAY_AUTH_TOKEN")
    before = [os.environ.get(name) for name in changed]
    assert main([*command, "by-ray", "--runner", "ray"]) == 0
    assert [os.environ.get(name) for name in changed] == before
    assert main([*command, "by-pool"]) == 0
    for name, n_rows in (("contest", 2 * 2), ("contest_runs", 2 * 2 * 2), ("contest_tuning", 2 * 2)):
        table = without_seconds(f"by-ray/{name}.csv")
        assert len(table) == n_rows
        assert table == without_seconds(f"by-pool/{name}.csv")


def test_a_cluster_started_here_is_for_this_machine_and_those_who_know_the_token():
    tasks = [[FieldRun(FieldSetting(), Contestant("Random"), field)] for field in range(3)]
    with closing(run_on_ray(partial(play_field_runs, TestBed(0, 20, 40, 10)), tasks, jobs=1)) as records:
        next(records)
        assert os.environ["RAY_AUTH_MODE"] == "token"
        import ray

        address = ray.get_runtime_context().gcs_address
        assert address.startswith("127.0.0.1:")
        assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
        assert not _listening_beyond_this_machine()
        code = f"import ray; ray.init(address={address!r}, logging_level='ERROR'); print('came in')"
        for token, comes_in in [(os.environ["RAY_AUTH_TOKEN"], True), ("0" * 64, False)]:
            stranger = subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "RAY_AUTH_TOKEN": token},
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
