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

    alone = qd.QuickDraw(qd.Arms(POINTS), **SCALES)
    assert play(policy, 100, before=kill) == play(alone, 100)
    timers[0].join()
    # On a slow machine the last kill may come after all of these rounds; then it is noticed now.
    assert play(policy, 1, 100) == play(alone, 1, 100)
    assert policy.restarts == 3


def test_choices_go_on_without_a_killed_shard(policy, play):
    """On the same cluster; the shard comes back by itself."""
    with ShardedQuickDraw([POINTS[:120], POINTS[120:]], deployment=Deployment(on_loss="skip"), **SCALES) as skipping:
        play(skipping, 30)
        os.kill(skipping.processes()[1], signal.SIGKILL)
        with pytest.warns(ShardWarning, match="shard 1 was lost"):
            assert skipping.select(0.3) < 120
        assert skipping.missing == (1,)
        skipping._fleet._host.answers([skipping._fleet.members[1].started])  # comes when the shard is back
        wait_until(lambda: skipping.select(0.31) >= 0 and skipping.missing == (), "the shard does not come back")
    assert policy.select(2.0) >= 0  # closing one policy leaves the cluster of the other alone


def test_shards_have_the_priority_of_the_process_that_waits_for_them(policy):
    """Ray lets its workers yield to all other programs."""
    assert [os.getpriority(os.PRIO_PROCESS, number) for number in policy.processes()] == [os.nice(0)] * 2


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
    done = subprocess.run([sys.executable, "-c", DRIVER], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    processes = done.stdout.split()
    assert len(processes) == 2
    wait_until(lambda: not any(map(runs, processes)), "shards outlive the process that owns them")


def runs(number):
    """Return whether a process is there, and not only its entry, which waits for somebody to read how it ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition, message):
    until = monotonic() + 120
    while not condition():
        assert monotonic() < until, message
        sleep(0.1)
