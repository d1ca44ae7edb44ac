"""How much one server takes: decisions, rewards, batches of rewards, open connections, in one run.

``python -m benchmarks.service_load`` starts ``quickdraw serve`` on a new SQLite file and loads it from this process,
over 64 connections that send the next request when the last was answered. Answers are durable, and every reward is a
new one. Then requests come at a steady rate, half of what the service promises and half of what was reached; there,
latencies are counted from the moment at which each was due.

``--rival PYTHON`` also loads a plain FastAPI server that commits every reward (``rivals/commit_per_request.py``), run
by that interpreter, which needs fastapi and uvicorn, with the same client. Both take turns, so that whatever else the
machine does concerns both alike.
"""

import argparse
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.load_client import Client, Load
from benchmarks.machine import machine


def request(method: str, path: str, body: object) -> bytes:
    content = json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


def decisions(name: str) -> Iterator[bytes]:
    return repeat(request("POST", f"/v1/experiments/{name}/decisions", {}))


def rewards(name: str, ids: list[str]) -> Iterator[bytes]:
    """Return one reward for each of some decisions, written before the first is sent."""
    return iter([request("PUT", f"/v1/experiments/{name}/decisions/{id}/reward", {"reward": 0.5}) for id in ids])


def run(port: int, requests: Iterator[bytes], seconds: float, connections: int, **options: Any) -> Load:
    client = Client(port, connections)
    try:
        return client.run(requests, seconds, **options)
    finally:
        client.close()


def cpu_seconds(process: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Report:
    """Prints one line per measurement, with the server's processor time since the last one.

    That time says what the server needs also where other programs keep the machine busy.
    """

    def __init__(self, process: int) -> None:
        self._process, self._before = process, cpu_seconds(process)

    def begin(self) -> None:
        """Count processor time from now on."""
        self._before = cpu_seconds(self._process)

    def used(self) -> float:
        """Return the processor time used since then."""
        return cpu_seconds(self._process) - self._before

    def __call__(self, what: str, load: Load, each: int = 1) -> float:
        """Print what a load has measured, and return the rate."""
        rate = print_line(what, load, each, self.used())
        self.begin()
        return rate


def print_line(what: str, load: Load, each: int, used: float) -> float:
    rate = load.done * each / load.elapsed
    p50, p99 = np.quantile(load.seconds, [0.5, 0.99]) * 1000
    cpu = 1e6 * used / max(1, load.done * each)
    others = {status.decode(): count for status, count in load.statuses.items() if status >= b"300"}
    times = f"p50 {p50:7.2f} ms  p99 {p99:7.2f} ms  CPU {cpu:6.0f} µs"
    print(f"{what:46} {rate:9,.0f}/s  {times}  {others or ''}", flush=True)
    return rate


def create(port: int, name: str, policy: str, arms: int) -> None:
    """Create an experiment that has learned a little."""
    import httpx

    url = f"http://127.0.0.1:{port}/v1/experiments/{name}"
    definition = {"arms": {"grid": {"low": 0, "high": 1, "n": arms}}, "policy": {"name": policy}}
    httpx.put(url, json=definition, timeout=60).raise_for_status()
    for _ in range(100):
        decision = httpx.post(f"{url}/decisions", json={}).json()["decisions"][0]
        reward = {"reward": float(np.sin(decision["arm"]))}
        httpx.put(f"{url}/decisions/{decision['id']}/reward", json=reward).raise_for_status()


TURNS = 5
"""Turns in which rewards go to this service and to the rival."""
STEADY_DECISIONS, STEADY_REWARDS = 2_500, 4_000
"""Requests per second at which latencies must be short: half of what the service promises."""


def load_server(
    report: Report, port: int, seconds: float, connections: int, arms: int, rival: tuple[int, int] | None
) -> None:
    """Load a server; ``rival`` has the port and the process of another one."""
    for name, policy in (("plain", "QuickDraw"), ("adaptive", "AdaptiveQuickDraw")):
        create(port, name, policy, arms)
    report.begin()
    load = run(port, decisions("plain"), seconds, connections, keep=True)
    decided = report("decisions, QuickDraw", load)
    ids = [each["id"] for body in load.bodies for each in json.loads(body).get("decisions", ())]
    single, batched, paced = ids[::3], ids[1::3], ids[2::3]
    rewarded = take_turns(report, port, single, seconds, connections, rival)
    batches = [
        request("POST", "/v1/experiments/plain/rewards", {"rewards": [{"id": id, "reward": 0.25} for id in some]})
        for some in (batched[i : i + 100] for i in range(0, len(batched) - 99, 100))
    ]
    report("rewards in batches of 100, all new", run(port, iter(batches), 60, connections), 100)
    for rate in (STEADY_DECISIONS, decided / 2):
        load = run(port, decisions("plain"), seconds, 4 * connections, rate=rate)
        report(f"decisions, QuickDraw, at {rate:,.0f} per second", load)
    for rate, some in ((STEADY_REWARDS, paced[::2]), (rewarded / 2, paced[1::2])):
        load = run(port, rewards("plain", some), 60, 4 * connections, rate=rate)
        report(f"rewards at {rate:,.0f} per second, all new", load)
    report("decisions, AdaptiveQuickDraw", run(port, decisions("adaptive"), seconds, connections))


def many_connections(port: int, n: int) -> None:
    """Open many connections, ask one question over each, and print how long the answers took."""
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    opened = [socket.create_connection(("127.0.0.1", port)) for _ in range(n)]
    begun, times = time.perf_counter(), []
    for connection in opened:
        connection.sendall(request("POST", "/v1/experiments/plain/decisions", {}))
    failed = 0
    for connection in opened:
        failed += not connection.recv(65536).startswith(b"HTTP/1.1 201")
        times.append(time.perf_counter() - begun)
    for connection in opened:
        connection.close()
    print(f"{n} open connections, one decision each at once: last answer after {times[-1]:.2f} s, {failed} refused")


def take_turns(
    report: Report, port: int, ids: list[str], seconds: float, connections: int, rival: tuple[int, int] | None
) -> float:
    """Send rewards one by one, in turns with the rival if there is one; return how many per second were taken."""
    mine, others, used, ratios = [], [], [0.0, 0.0], []
    for turn in range(TURNS):
        before = report.used()
        mine.append(run(port, rewards("plain", ids[turn::TURNS]), 60, connections))
        used[0] += report.used() - before
        if rival is not None:
            before = cpu_seconds(rival[1])
            names = [f"decision-{turn}-{k}" for k in range(20_000)]
            others.append(run(rival[0], rewards("plain", names), seconds / TURNS, connections))
            used[1] += cpu_seconds(rival[1]) - before
            ratios.append(mine[-1].done / mine[-1].elapsed * others[-1].elapsed / others[-1].done)
    rate = print_line("rewards, one by one, all new", Load.of(mine), 1, used[0])
    if others:
        print_line("rewards, FastAPI with a commit per request", Load.of(others), 1, used[1])
        print(f"    times as many as FastAPI's: {', '.join(f'{ratio:.1f}' for ratio in ratios)} in turns")
    report.begin()
    return rate


@contextlib.contextmanager
def running_rival(python: str | None) -> Iterator[tuple[int, int] | None]:
    """Run a server that commits every reward, if there is an interpreter for it; lend its port and process."""
    if python is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        program = Path(__file__).parent / "rivals" / "commit_per_request.py"
        server = subprocess.Popen(
            [python, str(program), f"{folder}/log.db", str(port)], env={"PATH": os.environ["PATH"]}
        )
        try:
            for _ in range(100):
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                time.sleep(0.1)
            yield port, server.pid
        finally:
            server.terminate()
            server.wait(15)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--arms", type=int, default=1000)
    parser.add_argument("--open", type=int, default=5000)
    parser.add_argument("--rival", metavar="PYTHON", help="an interpreter with fastapi and uvicorn")
    arguments = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder, running_rival(arguments.rival) as rival:
        command = [
            sys.executable,
            "-m",
            "quickdraw_cli",
            "serve",
            "--store",
            f"sqlite:///{folder}/log.db",
            "--port",
            "0",
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            port = next(int(found[1]) for line in server.stdout if (found := re.match(r"ready on .*:(\d+)", line)))
            load_server(Report(server.pid), port, arguments.seconds, arguments.connections, arguments.arms, rival)
            many_connections(port, arguments.open)
        finally:
            server.terminate()
            server.wait(15)


if __name__ == "__main__":
    main()
