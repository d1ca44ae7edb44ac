"""After ``warm_up``, no call needs code that is not there yet."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import quickdraw_bandits as qd

FORKS = """
import gc, json, os, sys, traceback
import numba
import numpy as np
import quickdraw_bandits as qd
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        try:
            exec(json.loads(line), {})
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    print("ended with", os.waitstatus_to_exitcode(status), flush=True)
"""
"""A process that has imported the package and compiled nothing runs each program in a fork of itself."""

SCRIPT = '''
import gc, sys
import numpy as np
import quickdraw_bandits as qd
from numba.core.registry import CPUDispatcher

def signatures():
    """Return all signatures for which functions of the package are there, compiled or from the cache."""
    found = [thing for thing in gc.get_objects() if isinstance(thing, CPUDispatcher)]
    return {
        (function.py_func.__module__, function.py_func.__qualname__, str(signature))
        for function in found
        if function.py_func.__module__.startswith("quickdraw_")
        for signature in function.overloads
    }

random = np.random.default_rng(0)
normal = random.normal(size=(%(n)d, %(d)d))
arms = {
    "euclidean": lambda: qd.Arms(random.random((%(n)d, %(d)d))),
    "cosine": lambda: qd.Arms(normal, metric="cosine"),
    "haversine": lambda: qd.Arms(random.random((%(n)d, 2)), metric="haversine"),
    "precomputed": lambda: qd.Arms(np.abs(normal[:, 0] - normal[:, :1]), metric="precomputed"),
    "box": lambda: qd.Box([0.0] * %(d)d, [1.0] * %(d)d),
}["%(metric)s"]()
policy = %(policy)s
qd.warm_up(policy)
before = signatures()
rounds = %(rounds)d
if %(history)d:  # long enough for another engine
    times = (np.arange(%(history)d) - %(history)d) * %(step)g
    policy.update(times, np.arange(%(history)d) %% len(arms), np.sin(times))
in_box = isinstance(arms, qd.Box)
for k in range(rounds):
    time = %(step)g * k
    arm = policy.select(time)
    if k %% 3 == 0:
        policy.expect(time, arm)
        policy.select(time)
    policy.update(time, arm, float(np.sin(5 * np.sum(arm) + time)))
policy.estimate(time, arms=[arm]), policy.index(time, arms=[arm]), policy.explain(time, arm)
policy.expect(time, arm)
policy.select(time)
policy.estimate(time, arms=[arm])
policy.forget(time, arm)
if not in_box:
    n = len(policy.arms)
    for k in range(4):
        policy.select(time, among=np.arange(k // 2, min(n, 100)))
        policy.select(time, among=random.random(n) < 0.9)
        policy.select(time, among=np.arange(k // 2, n, 9))
    policy.select(time, count=5)
    policy.estimate(time), policy.probabilities(time), policy.decide(time)
    if arms.metric != "precomputed":
        policy.add_arms(normal[:3, : arms.dimension] if arms.metric != "haversine" else [[0.1, 0.2]])
    policy.retire([0])
policy.select(time)
policy.update(time + np.arange(50) * 1e-3, np.tile(np.atleast_1d(arm), (50, 1)).squeeze(), random.random(50))
policy.select(time + 1)
new = signatures() - before
assert not new, sorted(new)
'''

QUICK_DRAW = "qd.QuickDraw(arms, length_scale=0.3, seed=0)"
ADAPTIVE = "qd.AdaptiveQuickDraw(arms, seed=0)"


@pytest.fixture(scope="module")
def forks():
    command = [sys.executable, "-c", FORKS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        yield process
        process.stdin.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "metric", "n", "d", "history", "rounds", "step"),
    [
        pytest.param(QUICK_DRAW, "euclidean", 2000, 2, 0, 450, 1e-3, id="exact to cached"),
        pytest.param(QUICK_DRAW, "euclidean", 900, 1, 13_000, 40, 1e-3, id="exact to cached, by a history"),
        pytest.param(QUICK_DRAW, "euclidean", 80_000, 2, 0, 100, 1e-3, id="tree"),
        pytest.param(f"{QUICK_DRAW[:-1]}, engine='tree')", "euclidean", 20_000, 2, 0, 100, 1e-3, id="tree alone"),
        pytest.param(f"{QUICK_DRAW[:-1]}, engine='cached')", "euclidean", 20_000, 2, 0, 100, 1e-3, id="cached alone"),
        pytest.param(QUICK_DRAW, "cosine", 60, 16, 0, 400, 1e-3, id="cosine, exact to cached"),
        pytest.param(QUICK_DRAW, "cosine", 30_000, 16, 0, 500, 0.1, id="cosine, levels in blocks and a far past"),
        pytest.param(QUICK_DRAW, "haversine", 500, 2, 0, 200, 1e-2, id="haversine"),
        pytest.param(QUICK_DRAW, "precomputed", 100, 2, 0, 200, 1e-2, id="precomputed"),
        pytest.param(QUICK_DRAW, "box", 10, 2, 0, 100, 1e-3, id="box"),
        pytest.param(ADAPTIVE, "euclidean", 300, 1, 0, 300, 1e-2, id="adaptive"),
        pytest.param(ADAPTIVE, "euclidean", 6000, 2, 0, 300, 1e-2, id="adaptive, shortlist"),
        pytest.param(ADAPTIVE, "cosine", 6000, 16, 0, 300, 1e-2, id="adaptive, cosine"),
    ],
)
def test_no_call_after_warm_up_needs_new_code(forks, policy, metric, n, d, history, rounds, step):
    """In a process of its own: others may have compiled what ``warm_up`` forgot."""
    game = {"history": history, "rounds": rounds, "step": step}
    code = SCRIPT % {"policy": policy, "metric": metric, "n": n, "d": d, **game}
    forks.stdin.write(json.dumps(code) + "\n")
    forks.stdin.flush()
    said = []
    while not said or not said[-1].startswith("ended with"):
        said.append(forks.stdout.readline())
        assert said[-1], "the process ended: " + "".join(said)
    assert said == ["ended with 0\n"], "".join(said)


@pytest.mark.parametrize(
    "build",
    [
        lambda arms: qd.QuickDraw(arms, seed=0),
        lambda arms: qd.AdaptiveQuickDraw(arms, seed=0),
        lambda arms: qd.Mixed(qd.AdaptiveQuickDraw(arms, seed=0), uniform=0.2, seed=0),
        lambda arms: qd.policies.UCB1(arms, seed=0),
    ],
    ids=["QuickDraw", "AdaptiveQuickDraw", "Mixed", "UCB1"],
)
@pytest.mark.parametrize("observations", [0, 40])
def test_warm_up_leaves_the_policy_as_it_is(build, observations):
    random = np.random.default_rng(1)
    history = np.arange(observations) * 0.01, random.integers(50, size=observations), random.random(observations)
    policy, twin = build(qd.Arms.grid(0, 1, 50)), build(qd.Arms.grid(0, 1, 50))
    policy.update(*history)
    twin.update(*history)
    qd.warm_up(policy)
    assert policy.n_observations == observations
    for k in range(40):
        time = 0.5 + 0.01 * k
        arm = policy.select(time)
        assert arm == twin.select(time)
        for one in (policy, twin):
            one.update(time, arm, 0.5 + 0.3 * np.sin(arm / 3 + time))


def test_only_policies_are_warmed_up():
    with pytest.raises(ValueError, match="policy must be a policy of quickdraw_bandits, got int"):
        qd.warm_up(3)
