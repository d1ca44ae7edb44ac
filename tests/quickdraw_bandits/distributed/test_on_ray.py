"""Shards on a local Ray cluster: the same choices, also while their processes are killed."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.distributed import Deployment, ShardedQuickDraw, ShardWarning

pytestmark = pytest.mark.slow  # processes start in seconds

POINTS = np.random.default_rng(3).random((300, 2))
SCALES = {"length_scale": 0.3, "time_scale": 0.5, "engine": "exact", "seed": 2}


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    path = tmp_path_factory.mktemp("parts") / "second.npy"
    np.save(path, POINTS[120:])
    with ShardedQuickDraw([POINTS[:120], path], **SCALES) as policy:
        yield policy


def test_choices_are_right_while_shards_are_killed(policy, play):
    import ray

    assert os.environ["RAY_AUTH_MODE"] == "token"
    assert ray.get_runtime_context().gcs_address.startswith("127.0.0.1:")
    timers = []

    def kill(k):
        if k in (20, 40):
            os.kill(policy.processes()[k // 20 - 1], signal.SIGKILL)
        if k == 60:  # while choices are asked for
            number = policy.processes()[1]
            timers.append(threading.Timer(0.002, os.kill, (number, signal.SIGKILL)))
            timers[0].start()

    assert play(policy, 100, before=kill) == play(qd.QuickDraw(qd.Arms(POINTS), **SCALES), 100)
    timers[0].join()
    assert policy.restarts == 3


def test_choices_go_on_without_a_killed_shard(policy, play):
    """On the same cluster; the shard comes back by itself."""
    with ShardedQuickDraw([POINTS[:120], POINTS[120:]], deployment=Deployment(on_loss="skip"), **SCALES) as skipping:
        play(skipping, 30)
        os.kill(skipping.processes()[1], signal.SIGKILL)
        with pytest.warns(ShardWarning, match="shard 1 was lost"):
            assert skipping.select(0.3) < 120
        assert skipping.missing == (1,)
        host = skipping._fleet._host
        host.answers([skipping._fleet.members[1].started])
        skipping.select(0.31)
        assert skipping.missing == ()
    assert policy.select(2.0) >= 0  # closing one policy leaves the cluster of the other alone


def test_errors_of_shards_reach_the_caller(policy):
    with pytest.raises(ValueError, match=r"parts\[1\]: points must be finite"):
        ShardedQuickDraw([POINTS, np.full((3, 2), np.nan)])


DRIVER = """
import os, signal
import numpy as np
from quickdraw_bandits.distributed import ShardedQuickDraw
policy = ShardedQuickDraw([np.linspace(0, 0.4, 5), np.linspace(0.5, 1, 5)], seed=0)
print(*policy.processes(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_is_left_of_a_driver_that_is_killed():
    done = subprocess.run([sys.executable, "-c", DRIVER], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    processes = [Path(f"/proc/{number}") for number in done.stdout.split()]
    assert len(processes) == 2
    until = monotonic() + 60
    while any(process.exists() for process in processes):
        assert monotonic() < until, "shards outlive the process that owns them"
        sleep(0.1)
