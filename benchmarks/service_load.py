"""How much one server takes: decisions, rewards, batches of rewards, open connections, in one run.

``python -m benchmarks.service_load`` starts ``quickdraw serve`` on a new SQLite file and loads it from this process,
over 32 connections that send the next request when the last was answered. Answers are durable. Then requests come at
half of the rate that was reached; there, latencies are counted from the moment at which each was due.

``--rival PYTHON`` also loads a plain FastAPI server that commits every reward (``rivals/commit_per_request.py``), run
by that interpreter, which needs fastapi and uvicorn.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.machine import machine


class Connection(asyncio.Protocol):
    """One connection that keeps one request on its way."""

    def __init__(self, load: "Load") -> None:
        self._load, self._buffer, self._due = load, b"", 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._load.idle(self)

    def send(self, request: bytes, due: float) -> None:
        """Send a request that was due at a moment."""
        self._due = due
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Read an answer, and ask for the next request when it is complete."""
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        begin = self._buffer.index(b"content-length: ") + 16
        length = int(self._buffer[begin : self._buffer.index(b"\r", begin)])
        if len(self._buffer) >= head + 4 + length:
            status, body = int(self._buffer[9:12]), self._buffer[head + 4 :]
            self._buffer = b""
            self._load.answered(status, body, time.perf_counter() - self._due)
            self._load.idle(self)


class Load:
    """Requests, sent over some connections as fast as they are answered, or at a rate."""

    def __init__(self, requests: Iterator[bytes], rate: float | None) -> None:
        self._requests, self._rate = requests, rate
        self._idle: deque[Connection] = deque()
        self._due: deque[float] = deque()
        self.statuses: Counter[int] = Counter()
        self.seconds: list[float] = []
        self.bodies: list[bytes] = []
        self.keep = False
        self.running = True

    def idle(self, connection: Connection) -> None:
        """Send the next request, or wait until one is due."""
        if not self.running:
            return
        if self._rate is None:
            connection.send(next(self._requests), time.perf_counter())
        elif self._due:
            connection.send(next(self._requests), self._due.popleft())
        else:
            self._idle.append(connection)

    def answered(self, status: int, body: bytes, seconds: float) -> None:
        """Count an answer."""
        self.statuses[status] += 1
        self.seconds.append(seconds)
        if self.keep:
            self.bodies.append(body)

    async def pace(self, until: float) -> None:
        """Let requests fall due at the rate, whether or not earlier ones were answered."""
        assert self._rate is not None
        due = time.perf_counter()
        while due < until:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            while due <= time.perf_counter():
                if self._idle:
                    self._idle.popleft().send(next(self._requests), due)
                else:
                    self._due.append(due)
                due += 1 / self._rate


async def run(
    port: int,
    requests: Iterator[bytes],
    seconds: float,
    connections: int,
    rate: float | None = None,
    keep: bool = False,
) -> Load:
    loop, load = asyncio.get_running_loop(), Load(requests, rate)
    load.keep = keep
    opened = [await loop.create_connection(lambda: Connection(load), "127.0.0.1", port) for _ in range(connections)]
    if rate is None:
        await asyncio.sleep(seconds)
    else:
        await load.pace(time.perf_counter() + seconds)
    load.running = False
    await asyncio.sleep(0.5)
    for transport, _ in opened:
        transport.close()
    return load


def request(method: str, path: str, body: object) -> bytes:
    content = json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


def decisions(name: str) -> Iterator[bytes]:
    while True:
        yield request("POST", f"/v1/experiments/{name}/decisions", {})


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

    def __call__(self, what: str, load: Load, seconds: float, each: int = 1) -> float:
        """Print what a load has measured, and return the rate."""
        used = cpu_seconds(self._process) - self._before
        rate = report(what, load, seconds, each, used)
        self.begin()
        return rate


def report(what: str, load: Load, seconds: float, each: int, used: float) -> float:
    n = sum(count for status, count in load.statuses.items() if status < 300)
    p50, p99 = np.quantile(load.seconds, [0.5, 0.99]) * 1000
    cpu = 1e6 * used / max(1, n * each)
    others = {status: count for status, count in load.statuses.items() if status >= 300}
    times = f"p50 {p50:7.2f} ms  p99 {p99:7.2f} ms  CPU {cpu:6.0f} µs"
    print(f"{what:46} {n * each / seconds:9,.0f}/s  {times}  {others or ''}", flush=True)
    return n * each / seconds


def load_server(report: Report, port: int, seconds: float, connections: int, arms: int) -> None:
    import httpx

    url = f"http://127.0.0.1:{port}"
    for name, policy in (("plain", "QuickDraw"), ("adaptive", "AdaptiveQuickDraw")):
        definition = {"arms": {"grid": {"low": 0, "high": 1, "n": arms}}, "policy": {"name": policy}}
        httpx.put(f"{url}/v1/experiments/{name}", json=definition, timeout=60).raise_for_status()
        for _ in range(100):
            decision = httpx.post(f"{url}/v1/experiments/{name}/decisions", json={}).json()["decisions"][0]
            path = f"{url}/v1/experiments/{name}/decisions/{decision['id']}/reward"
            httpx.put(path, json={"reward": float(np.sin(decision["arm"]))}).raise_for_status()
    report.begin()
    load = asyncio.run(run(port, decisions("plain"), seconds, connections, keep=True))
    decided = report("decisions, QuickDraw", load, seconds)
    ids = [each["id"] for body in load.bodies for each in json.loads(body).get("decisions", ())]
    single, batched = ids[: len(ids) // 2], ids[len(ids) // 2 :]
    load = asyncio.run(run(port, rewards("plain", single), seconds, connections))
    rewarded = report("rewards, one by one (first new, then repeated)", load, seconds)
    batches = [
        request("POST", "/v1/experiments/plain/rewards", {"rewards": [{"id": id, "reward": 0.25} for id in some]})
        for some in (batched[i : i + 100] for i in range(0, len(batched) - 99, 100))
    ]
    load = asyncio.run(run_all(port, batches, connections))
    report("rewards in batches of 100, all new", load, sum(load.seconds) / connections, 100)
    load = asyncio.run(run(port, decisions("plain"), seconds, 4 * connections, decided / 2))
    report("decisions, QuickDraw, at half of that", load, seconds)
    load = asyncio.run(run(port, rewards("plain", single), seconds, 4 * connections, rewarded / 2))
    report("rewards at half of that", load, seconds)
    load = asyncio.run(run(port, decisions("adaptive"), seconds, connections))
    report("decisions, AdaptiveQuickDraw", load, seconds)


def rewards(name: str, ids: list[str]) -> Iterator[bytes]:
    """Yield one reward of each decision, then the same again."""
    while True:
        for id in ids:
            yield request("PUT", f"/v1/experiments/{name}/decisions/{id}/reward", {"reward": 0.5})


async def run_all(port: int, requests: list[bytes], connections: int) -> Load:
    """Send every request once."""
    loop, left = asyncio.get_running_loop(), iter(requests)
    load = Load(left, None)
    done = asyncio.Event()
    usual = load.idle

    def idle(connection: Connection) -> None:
        try:
            usual(connection)
        except StopIteration:
            if sum(load.statuses.values()) == len(requests):
                done.set()

    load.idle = idle  # type: ignore[method-assign]
    opened = [await loop.create_connection(lambda: Connection(load), "127.0.0.1", port) for _ in range(connections)]
    await done.wait()
    for transport, _ in opened:
        transport.close()
    return load


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


def load_rival(python: str, seconds: float, connections: int) -> None:
    """Send rewards to a server that commits every one of them."""
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
            report = Report(server.pid)
            ids = [f"decision-{k}" for k in range(100_000)]
            load = asyncio.run(run(port, rewards("plain", ids), seconds, connections))
            report("rewards, FastAPI with a commit per request", load, seconds)
        finally:
            server.terminate()
            server.wait(15)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--arms", type=int, default=1000)
    parser.add_argument("--open", type=int, default=5000)
    parser.add_argument("--rival", metavar="PYTHON", help="an interpreter with fastapi and uvicorn")
    arguments = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
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
            load_server(Report(server.pid), port, arguments.seconds, arguments.connections, arguments.arms)
            many_connections(port, arguments.open)
        finally:
            server.terminate()
            server.wait(15)
    if arguments.rival:
        load_rival(arguments.rival, arguments.seconds, arguments.connections)


if __name__ == "__main__":
    main()
