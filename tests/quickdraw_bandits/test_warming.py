"""What is compiled ahead."""

import subprocess
import sys

import pytest

CODE = """
import gc
import numpy as np
from numba.core.dispatcher import Dispatcher
import quickdraw_bandits as qd


def ready():
    # By name: a cache on disk may have the code, so that nothing is compiled, only loaded.
    found = [each for each in gc.get_objects() if isinstance(each, Dispatcher)]
    return {(each.py_func.__module__, each.py_func.__name__): len(each.overloads) for each in found}


arms = qd.Arms.grid(0, 1, 60) if %(arms)r == "arms" else qd.Box([0.0, 0.0], [1.0, 1.0])
policy = qd.%(name)s(arms, seed=0)
qd.warm_up(policy)
before = ready()
for k in range(20):
    arm = policy.select(0.01 * k)
    policy.update(0.01 * k, arm, float(np.sin(k)))
policy.estimate(0.2, arms=[arm])
policy.index(0.2, arms=[arm])
policy.explain(0.2, arm)
policy.expect(0.2, arm)
policy.select(0.21, count=3)
policy.estimate(0.21, arms=[arm])
after = ready()
print(sorted(name for name in after if after[name] > before.get(name, 0)))
"""


@pytest.mark.parametrize("name", ["AdaptiveQuickDraw", "QuickDraw"])
@pytest.mark.parametrize("arms", ["arms", "box"])
def test_no_function_is_first_needed_after_warming_up(name, arms):
    done = subprocess.run(
        [sys.executable, "-c", CODE % {"name": name, "arms": arms}], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
