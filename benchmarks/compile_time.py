"""How long a newcomer waits for compilation; ``python -m benchmarks.compile_time`` also lists the slowest functions."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from benchmarks.row import Row, duration

PLANE = "qd.Arms(np.random.default_rng(0).random(({}, 2)))"
CASES = [
    ("AdaptiveQuickDraw, 1,000 arms", "qd.AdaptiveQuickDraw(qd.Arms.grid(-1, 1, 1_000), seed=0)", 6.0),
    ("AdaptiveQuickDraw, 10,000 arms in 2-D", f"qd.AdaptiveQuickDraw({PLANE.format(10_000)}, seed=0)", 10.0),
    ("QuickDraw, 1,000 arms", "qd.QuickDraw(qd.Arms.grid(-1, 1, 1_000), seed=0)", 6.0),
    ("QuickDraw, 4,096 arms", "qd.QuickDraw(qd.Arms.grid(-1, 1, 4_096), seed=0)", 6.0),
    ("QuickDraw, tree engine, 100,000 arms", "qd.QuickDraw(qd.Arms.grid(-1, 1, 100_000), engine='tree', seed=0)", 15.0),
    (
        "QuickDraw, tree engine, 100,000 arms in 2-D",
        f"qd.QuickDraw({PLANE.format(100_000)}, engine='tree', seed=0)",
        15.0,
    ),
]
"""What is built, how, and the most seconds promised for it with an empty cache."""

PLAY = """
import json, sys, time
start = time.process_time()
import numpy as np
import quickdraw_bandits as qd
from numba.core import event

running, compiled = [], []

class Listener(event.Listener):
    def on_start(self, noticed):
        running.append([time.process_time(), 0.0])

    def on_end(self, noticed):
        began, inside = running.pop()
        seconds = time.process_time() - began
        if running:
            running[-1][1] += seconds
        function = noticed.data["dispatcher"].py_func
        compiled.append((f"{function.__module__}.{function.__name__}", seconds - inside))

event.register("numba:compile", Listener())
policy = eval(sys.argv[1])
for k in range(3):
    policy.update(0.01 * k, policy.select(0.01 * k), 0.5)
print(json.dumps({"seconds": time.process_time() - start, "functions": compiled}))
"""


@dataclass(frozen=True)
class Start:
    """Processor time from the import to the third choice, and the functions compiled, with the time of each alone."""

    seconds: float
    functions: list[tuple[str, float]]


def run() -> list[Row]:
    """Time the first three choices in a new process with an empty cache, and then with a full one."""
    rows = []
    for what, policy, limit in CASES:
        cold, warm = measure(policy)
        text = f"{what}: import and three choices, nothing compiled; beside it, code cached"
        kept = cold.seconds <= limit
        rows.append(
            Row(
                text, duration(cold.seconds), duration(warm.seconds), cold.seconds / limit, f"at most {limit:g} s", kept
            )
        )
    return rows


def measure(policy: str) -> tuple[Start, Start]:
    """Return how a process starts with an empty cache and with what that one left in it."""
    with tempfile.TemporaryDirectory() as folder:
        return _start(policy, folder), _start(policy, folder)


def _start(policy: str, cache: str) -> Start:
    done = subprocess.run(
        [sys.executable, "-c", PLAY, policy],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    return Start(**json.loads(done.stdout))


def main() -> None:
    print("| case | processor seconds, cold | warm | functions compiled |\n|---|---|---|---|")
    slowest: dict[str, tuple[float, int]] = {}
    for what, policy, _ in CASES:
        cold, warm = measure(policy)
        print(f"| {what} | {cold.seconds:.1f} | {warm.seconds:.2f} | {len(cold.functions)} |", flush=True)
        own: dict[str, tuple[float, int]] = {}
        for name, seconds in cold.functions:
            total, times = own.get(name, (0.0, 0))
            own[name] = total + seconds, times + 1
        slowest |= {name: max(value, slowest.get(name, (0.0, 0))) for name, value in own.items()}
    print("\n| function | processor seconds | times compiled |\n|---|---|---|")
    for name, (seconds, times) in sorted(slowest.items(), key=lambda item: -item[1][0])[:25]:
        print(f"| {name} | {seconds:.2f} | {times} |")


if __name__ == "__main__":
    main()
