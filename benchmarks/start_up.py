"""Time until a new process can make its first choice."""

import subprocess
import sys

from benchmarks.row import Row, duration

IMPORT = "import time; t = time.perf_counter(); import quickdraw_bandits; print(time.perf_counter() - t)"
FIRST_CHOICE = """
import time; t = time.perf_counter()
import quickdraw_bandits as qd
policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 1000), seed=0)
policy.update(0.0, 3, 0.5)
policy.select(0.1)
print(time.perf_counter() - t)
"""


def run() -> list[Row]:
    """Time the import alone, and import and first choice together with compiled code cached; best of five."""
    _seconds(FIRST_CHOICE)  # fill the cache
    rows = []
    for what, code, limit in (("import", IMPORT, 0.5), ("import and first choice, code cached", FIRST_CHOICE, 1.0)):
        taken = min(_seconds(code) for _ in range(5))
        rows.append(Row(what, duration(taken), "", taken / limit, f"under {limit:g} s", taken < limit))
    return rows


def _seconds(code: str) -> float:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)
