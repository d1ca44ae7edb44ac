"""How long a newcomer waits for compilation: ``python -m benchmarks.compile_time``.

Each case runs in a new process, first with an empty cache of compiled code and then with the cache that this left. It
counts processor time, import included: until the first choice on an observation, and until 200 rounds are played, when
all that the policy needs has been compiled.
"""

import os
import subprocess
import sys
import tempfile

from benchmarks.row import Row, duration

CASES = {
    "QuickDraw, 1,000 arms on a line": "qd.QuickDraw(qd.Arms.grid(-1, 1, 1000), seed=0)",
    "QuickDraw, 4,096 arms on a line": "qd.QuickDraw(qd.Arms.grid(-1, 1, 4096), seed=0)",
    "QuickDraw, cached": "qd.QuickDraw(qd.Arms.grid(-1, 1, 1000), seed=0, engine='cached')",
    "QuickDraw, cosine": "qd.QuickDraw(qd.Arms(random.normal(size=(1000, 8)), metric='cosine'), seed=0)",
    "QuickDraw, stationary": "qd.QuickDraw(qd.Arms.grid(-1, 1, 1000), seed=0, time_scale=None)",
}
LIMIT = 6.0
CODE = """
import time
import numpy as np
import quickdraw_bandits as qd
random = np.random.default_rng(0)
policy = {policy}
policy.update(0.0, 3, 0.5)
policy.select(0.01)
print(time.process_time())
for k in range(1, 200):
    policy.update(0.01 * k, policy.select(0.01 * k), 0.5)
print(time.process_time())
"""


def run() -> list[Row]:
    """Return a row for each case: the first choice with an empty cache, and with a full one."""
    rows = []
    for what, policy in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            cold, warm = (_seconds(policy, folder)[0] for _ in range(2))
        limit = f"under {LIMIT:g} s"
        rows.append(Row(f"first choice: {what}", duration(cold), duration(warm), cold / LIMIT, limit, cold < LIMIT))
    return rows


def _seconds(policy: str, cache: str) -> list[float]:
    """Return the processor time until the first choice, and until all is compiled."""
    command = [sys.executable, "-c", CODE.format(policy=policy)]
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return [float(line) for line in done.stdout.split()]


def main() -> None:
    """Print a line for each case."""
    for what, policy in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            for label in ("empty cache", "full cache"):
                first, all_compiled = _seconds(policy, folder)
                print(f"{what:32} {label}: first choice {first:5.2f} s, 200 rounds {all_compiled:5.2f} s", flush=True)


if __name__ == "__main__":
    main()
