"""The public interface has precise types: mypy accepts the typed example, and rejects mistakes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "typed.py"

MISTAKES = """\
import numpy as np
import quickdraw_bandits as qd

arms = qd.Arms.grid(0, 1, 5)
policy = qd.QuickDraw(arms)
adaptive = qd.AdaptiveQuickDraw(arms)
env = qd.environments.Recorded(np.zeros((3, 5)), arms)
trace = qd.simulate(policy, env, warmup=1)
box = qd.Box([0.0], [1.0])
# from here on, every line is a mistake
qd.Arms([0.0, 1.0], metric="manhattan")
qd.QuickDraw([0.0, 1.0])
qd.QuickDraw(arms, seed="zero")
qd.QuickDraw(arms, time_scale="a day")
qd.QuickDraw(arms, exploration=lambda n: "much")
qd.QuickDraw(arms, engine="fast")
qd.policies.GPUCB(qd.Box([0.0], [1.0]))
qd.AdaptiveQuickDraw([0.0, 1.0])
qd.AdaptiveQuickDraw(qd.Box([0.0], [1.0])).select(0.0).keys()
qd.policies.SlidingEpsilonGreedy(arms, window="long")
policy.select("now")
policy.select(0.0).keys()
adaptive.select(0.0).keys()
policy.update(None, None, None)
policy.probabilities(time=None)
policy.estimate(0.0).mean
policy.n_observations.upper()
policy.arms.low
policy.arms.keys()
adaptive.arms.low
qd.policies.UCB1(arms).arms.keys()
qd.Mixed(policy).arms.keys()
qd.QuickDraw(box).arms.labels
qd.AdaptiveQuickDraw(box).arms.labels
qd.policies.HOO(box).arms.labels
qd.policies.BanditConvex(box).arms.labels
policy.observations[0].keys()
policy.observations[1].keys()
policy.observations[2].keys()
policy.pending[0].keys()
policy.pending[1].keys()
policy.select(0.0, count=2).keys()
qd.QuickDraw(box).select(0.0, count=2).keys()
policy.decide(0.0).arm.keys()
policy.add_arms([2.0]).keys()
policy.probabilities(0.0).keys()
policy.index(0.0).keys()
adaptive.scales.time_scale
print(adaptive.scales and adaptive.scales.family == "wild")
adaptive.explain(0.0, arm=None)
adaptive.explain(0.0, arm=1).index.keys()
adaptive.explain(0.0, arm=1).times.keys()
adaptive.explain(0.0, arm=1).arms.keys()
qd.simulate(env, policy)
qd.simulate(policy, env, warmup=0.5)
env.mean.keys()
env.pull(0, 1).keys()
trace.arms.keys()
trace.regret.keys()
trace.regret_per_round.keys()
trace.policy.keys()
(trace.scales or ())[0].anything
qd.tune(qd.QuickDraw, {"sharpness": 1}, env)
qd.tune(qd.QuickDraw, {"sharpness": [1]}, env).table().keys()
qd.Trace()
qd.load("policy.qd").keys()
qd.load("policy.qd").arms.keys()
qd.save(3, "policy.qd")
qd.warm_up(3)
arms.position(None)
arms.labels.keys()
qd.policies.UCB1(arms).explain(0.0, arm=1).weights.keys()
"""


@pytest.fixture(scope="module")
def found_by_mypy(tmp_path_factory):
    """Return what mypy says of the example and of the mistakes, in one run."""
    program = tmp_path_factory.mktemp("mistakes") / "mistakes.py"
    program.write_text(MISTAKES)
    options = ["--config-file", "pyproject.toml", "--strict", "--no-pretty"]
    command = [sys.executable, "-m", "mypy", *options, str(EXAMPLE), str(program)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert "(checked 2 source files)" in result.stdout, result.stdout + result.stderr
    return result.stdout


def test_mypy_accepts_the_example(found_by_mypy):
    assert [line for line in found_by_mypy.splitlines() if "error:" in line and "mistakes.py:" not in line] == []


def test_mypy_rejects_every_mistake(found_by_mypy):
    """A value of type Any would let its line pass."""
    lines = MISTAKES.splitlines()
    first = next(number for number, line in enumerate(lines, start=1) if line.startswith("#")) + 1
    found = {int(number) for number in re.findall(r"mistakes\.py:(\d+): error:", found_by_mypy)}
    passed = [lines[number - 1] for number in range(first, len(lines) + 1) if number not in found]
    assert passed == []
    assert min(found) == first


def test_the_example_runs():
    result = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=True)
    regrets = dict(re.findall(r"(\w+): mean regret ([\d.]+)", result.stdout))
    assert regrets.keys() == {"QuickDraw", "SlidingEpsilonGreedy", "Greedy"}
    assert float(regrets["QuickDraw"]) < 0.1
