"""Several threads that fork at once, while others use and build policies."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, threading
import quickdraw_bandits as qd

policies = [qd.policies.UCB1(qd.Arms.grid(0, 1, 10), seed=k) for k in range(10)]
ended, failed = threading.Event(), []

def use():
    time = 0.0
    while not ended.is_set():
        time += 1.0
        for policy in policies:
            policy.update(time, policy.select(time), 0.5)

def build():
    while not ended.is_set():
        [qd.policies.Random(qd.Arms.grid(0, 1, 3)) for _ in range(30)]

def fork():
    for _ in range(20):
        child = os.fork()
        if child == 0:
            for policy in policies:
                policy.update(1e6, policy.select(1e6), 0.5)
            os._exit(0)
        failed.append(os.waitpid(child, 0)[1])

for work in (use, build):
    threading.Thread(target=work, daemon=True).start()
forks = [threading.Thread(target=fork) for _ in range(3)]
for thread in forks:
    thread.start()
for thread in forks:
    thread.join()
ended.set()
print(len(failed), sum(failed))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_threads_that_fork_at_once_wait_for_each_other():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=True
    )
    assert (done.stdout, done.stderr) == ("60 0\n", "")
