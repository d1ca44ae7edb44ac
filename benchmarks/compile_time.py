"""How long a newcomer waits for compilation.

``python -m benchmarks.compile_time`` also lists the slowest functions; ``python -m benchmarks.compile_time adaptive``
measures only the cases whose name contains the word. It fails if a promise is missed.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from benchmarks.row import Row, duration

PLANE = "qd.Arms(np.random.default_rng(0).random(({}, 2)))"
LINE = "qd.Arms.grid(-1, 1, {})"
CASES = [
    ("AdaptiveQuickDraw, 1,000 arms", f"qd.AdaptiveQuickDraw({LINE.format(1_000)}, seed=0)", 3, 6.0),
    ("AdaptiveQuickDraw, 10,000 arms in 2-D", f"qd.AdaptiveQuickDraw({PLANE.format(10_000)}, seed=0)", 3, 10.0),
    ("QuickDraw, 1,000 arms", f"qd.QuickDraw({LINE.format(1_000)}, seed=0)", 3, 6.0),
    ("QuickDraw, 4,096 arms", f"qd.QuickDraw({LINE.format(4_096)}, seed=0)", 3, 6.0),
    ("QuickDraw, 4,096 arms, with tables", f"qd.QuickDraw({LINE.format(4_096)}, seed=0)", 50, 6.0),
    ("QuickDraw, tree engine, 100,000 arms", f"qd.QuickDraw({LINE.format(100_000)}, engine='tree', seed=0)", 3, 15.0),
    (
        "QuickDraw, tree engine, 100,000 arms in 2-D",
        f"qd.QuickDraw({PLANE.format(100_000)}, engine='tree', seed=0)",
        3,
        15.0,
    ),
]
"""What is built, how, the choices made, and the most seconds promised for them with an empty cache.

Tables serve from the 33rd observation on.
"""

WORDS = {3: "three", 50: "fifty"}
WARM = 1.0
"""The most seconds with code from the cache."""

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
for k in range(int(sys.argv[2])):
    policy.update(0.01 * k, policy.select(0.01 * k), 0.5)
print(json.dumps({"seconds": time.process_time() - start, "functions": compiled}))
"""


@dataclass(frozen=True)
class Start:
    """Processor time from the import to the last choice, and the functions compiled, with the time of each alone."""

    seconds: float
    functions: list[tuple[str, float]]


def run() -> list[Row]:
    """Time the first choices in a new process with an empty cache, and then with a full one."""
    rows = []
    for what, policy, choices, limit in CASES:
        cold, warm = measure(policy, choices)
        text = f"{what}: import and {WORDS[choices]} choices, nothing compiled; beside it, code cached"
        kept = cold.seconds <= limit
        rows.append(
            Row(
                text, duration(cold.seconds), duration(warm.seconds), cold.seconds / limit, f"at most {limit:g} s", kept
            )
        )
    return rows


def measure(policy: str, choices: int) -> tuple[Start, Start]:
    """Return how a process starts with an empty cache and with what that one left in it."""
    with tempfile.TemporaryDirectory() as folder:
        return _start(policy, choices, folder), _start(policy, choices, folder)


def _start(policy: str, choices: int, cache: str) -> Start:
    done = subprocess.run(
        [sys.executable, "-c", PLAY, policy, str(choices)],
        # A helper process would compile meanwhile, and its time would not be counted.
        env={**os.environ, "NUMBA_CACHE_DIR": cache, "QUICKDRAW_COMPILE_ASIDE": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    return Start(**json.loads(done.stdout))


def main() -> None:
    word = " ".join(sys.argv[1:]).lower()
    print("| case | processor seconds, cold | at most | warm | functions compiled |\n|---|---|---|---|---|")
    slowest: dict[str, tuple[float, int]] = {}
    missed = []
    for what, policy, choices, limit in CASES:
        if word not in what.lower():
            continue
        cold, warm = measure(policy, choices)
        print(
            f"| {what} | {cold.seconds:.1f} | {limit:g} | {warm.seconds:.2f} | {len(cold.functions)} |",
            flush=True,
        )
        if cold.seconds > limit or warm.seconds > WARM:
            missed.append(what)
        own: dict[str, tuple[float, int]] = {}
        for name, seconds in cold.functions:
            total, times = own.get(name, (0.0, 0))
            own[name] = total + seconds, times + 1
        slowest |= {name: max(value, slowest.get(name, (0.0, 0))) for name, value in own.items()}
    print("\n| function | processor seconds | times compiled |\n|---|---|---|")
    for name, (seconds, times) in sorted(slowest.items(), key=lambda item: -item[1][0])[:25]:
        print(f"| {name} | {seconds:.2f} | {times} |")
    if missed:
        sys.exit(f"missed: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
