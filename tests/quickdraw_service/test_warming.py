"""No decision waits for compiled code: all of it is loaded at the start, or before an experiment is created."""

import subprocess
import sys

import pytest

SCRIPT = """
import gc, tempfile
import numpy as np
from numba.core.registry import CPUDispatcher
from benchmarks.reliability.examples import Clock, definition
from quickdraw_service.requests import Create, Decide, Observe, Reward
from quickdraw_service.service import Service

def signatures():
    found = [thing for thing in gc.get_objects() if isinstance(thing, CPUDispatcher)]
    return {
        (function.py_func.__module__, function.py_func.__qualname__, str(signature))
        for function in found
        if function.py_func.__module__.startswith("quickdraw_")
        for signature in function.overloads
    }

clock = Clock(1.7e9)
with tempfile.TemporaryDirectory() as folder, Service(f"sqlite:///{folder}/log.db", clock=clock) as service:
    described = %s
    created = service.prepare(Create("prices", described))
    before = signatures()
    assert before
    service.ask(created)
    random, waiting = np.random.default_rng(0), []
    for k in range(150):
        clock.now += 0.01
        made = service.ask(Decide("prices")).decisions + service.ask(Decide("prices", count=3)).decisions
        waiting += made + service.ask(Decide("prices", among=[1, 2, 3])).decisions
        if k %% 3 == 0:
            rewards = [float(np.sin(each.arm) > 0) for each in waiting]
            service.ask(Reward("prices", [each.id for each in waiting], rewards))
            waiting = []
    service.ask(Observe("prices", [1.7e9] * 3, [1, 2, 3], [0.0, 1.0, 0.0]))
    service.ask(Decide("prices"))
    service.belief("prices")
    service._worker._snapshots.take(service._worker.experiments["prices"])
    new = signatures() - before
    assert not new, sorted(new)
print("fine")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "described",
    [
        "definition(grid=(0.0, 1.0, 1000), parameters={})",
        "definition(grid=(0.0, 1.0, 6000), parameters={})",
        "definition(grid=None, points=np.random.default_rng(0).normal(size=(300, 8)), metric='cosine', parameters={})",
        "definition(grid=(0.0, 1.0, 1000), policy='AdaptiveQuickDraw', parameters={})",
        "definition(policy='SpaceTimeGPUCB', parameters={})",
    ],
)
def test_no_request_needs_code_that_is_not_loaded_yet(described):
    done = subprocess.run([sys.executable, "-c", SCRIPT % described], capture_output=True, text=True, timeout=400)
    assert done.stdout == "fine\n", done.stderr
