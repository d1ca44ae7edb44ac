"""How long a server takes to start on a long log, without a snapshot and with one, and how much memory it needs.

``python -m benchmarks.reliability.long_log`` writes a log of a million decisions of ``QuickDraw`` among 1,000 arms,
half of them rewarded, as batches of a busy server, and starts ``quickdraw serve`` on it twice.
"""

import argparse
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from quickdraw_service.requests import Create
from quickdraw_service.service import Service
from quickdraw_service.stores.sqlite import SQLiteStore
from quickdraw_service.stores.store import DECISION, REWARD, Event

BATCH = 64
"""Decisions of one transaction."""


def write(store: SQLiteStore, n_decisions: int, n_arms: int) -> int:
    """Write decisions, half of them with rewards that come ten batches later; return how many events these are."""
    random, position, waiting = np.random.default_rng(0), 0, []
    for number in range(n_decisions // BATCH):
        now = 1e9 + 0.01 * number
        events = []
        for k, arm in enumerate(random.integers(n_arms, size=BATCH).tolist()):
            position += 1
            events.append(Event(position, DECISION, f"{number:08d}-{k}", now, now, arm, 0.05, None))
        waiting.append(events[::2])
        if len(waiting) > 10:
            for event in waiting.pop(0):
                position += 1
                reward = float(np.sin(event.arm / 100) + 0.1 * random.normal())
                events.append(Event(position, REWARD, event.id, now, event.time, event.arm, reward, None))
        with store.writing([1]):
            store.append(1, events)
    return position


def start(url: str) -> tuple[float, float]:
    """Start a server, end it, and return how long it took to be ready and the largest memory in MB."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "quickdraw_cli", "serve", "--store", url, "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        next(line for line in server.stdout if re.match(r"ready on", line))
        ready = time.perf_counter() - begun
        status = Path(f"/proc/{server.pid}/status").read_text()
        memory = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(120)
    return ready, memory


def main() -> None:
    from benchmarks.reliability.examples import definition

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--decisions", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/log.db"
        arms = (0.0, 1.0, 1000)
        with Service(f"sqlite:///{path}", warm_up=False) as service:
            service.ask(Create("prices", definition(grid=arms, policy="QuickDraw", parameters={})))
        with SQLiteStore(path) as store:
            n = write(store, given.decisions, arms[2])
        print(f"{n:,} events of {given.decisions:,} decisions, {Path(path).stat().st_size / 2**20:,.0f} MB on disk")
        for what in ("without a snapshot", "with one"):
            seconds, memory = start(f"sqlite:///{path}")
            print(
                f"{what}: ready after {seconds:.1f} s ({n / seconds:,.0f} events/s), {memory:,.0f} MB at most",
                flush=True,
            )


if __name__ == "__main__":
    main()
