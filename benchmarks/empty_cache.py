"""The longest calls of a game in the first process on a new machine: ``python -m benchmarks.empty_cache``.

Each game is played in a process of its own with an empty cache of compiled code and without ``warm_up``: once with code
compiled aside, as it is by default, and once without. ``--pause`` is the time between rounds, in which a live system
waits for its next question.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

GAME = """
import json, sys, time
import numpy as np
import quickdraw_bandits as qd
rounds, pause, n_arms = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
policy = qd.QuickDraw(qd.Arms.grid(0, 1, n_arms), seed=0)
taken, began = [], time.perf_counter()
for k in range(rounds):
    start = time.perf_counter()
    arm = policy.select(0.001 * k)
    policy.update(0.001 * k, arm, 0.5 + 0.3 * np.sin(9 * arm / n_arms + 0.001 * k))
    taken.append(time.perf_counter() - start)
    time.sleep(pause)
order = np.argsort(taken)[::-1]
print(json.dumps({"longest": [[int(k), taken[k]] for k in order[:3]], "total": sum(taken)}))
"""


def played(rounds: int, pause: float, n_arms: int, aside: bool) -> dict[str, object]:
    """Return the longest rounds of a game, and the time that all took."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "QUICKDRAW_COMPILE_ASIDE": "1" if aside else "0"}
        command = [sys.executable, "-c", GAME, str(rounds), str(pause), str(n_arms)]
        found: dict[str, object] = json.loads(subprocess.run(command, env=environment, stdout=-1, check=True).stdout)
    return found


def main() -> int:
    """Print one row per game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5000, help="default 5000")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between rounds (default 0)")
    parser.add_argument("--arms", type=int, default=1000, help="default 1000; with 5000, auto changes after 400 rounds")
    arguments = parser.parse_args()
    for aside in (False, True):
        found = played(arguments.rounds, arguments.pause, arguments.arms, aside)
        print("aside" if aside else "in place", json.dumps(found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
