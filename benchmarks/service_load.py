"""How much one server takes: decisions, rewards, batches of rewards, open connections, in one run.

``python -m benchmarks.service_load`` starts ``quickdraw serve`` on a new SQLite file and loads it from this process, over
32 connections that send the next request when the last was answered. Answers are durable. With ``--rate``, requests
come at a fixed rate instead, and latencies are counted from the moment at which each was due.
"""

import argparse
import asyncio
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator

import numpy as np

from benchmarks.machine import machine


class Connection(asyncio.Protocol):
    """One connection that keeps one request on its way."""

    def __init__(self, load: "Load") -> None:
        self._load, self._buffer, self._due = load, b"", 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._load.idle(self)

    def send(self, request: bytes, due: float) -> None:
        self._due = due
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
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
        if not self.running:
            return
        if self._rate is None:
            connection.send(next(self._requests), time.perf_counter())
        elif self._due:
            connection.send(next(self._requests), self._due.popleft())
        else:
            self._idle.append(connection)

    def answered(self, status: int, body: bytes, seconds: float) -> None:
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
    port: int, requests: Iterator[bytes], seconds: float, connections: int, rate: float | None = None, keep: bool = False
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


def report(what: str, load: Load, seconds: float, each: int = 1) -> float:
    n = sum(count for status, count in load.statuses.items() if status < 300)
    p50, p99 = np.quantile(load.seconds, [0.5, 0.99]) * 1000
    others = {status: count for status, count in load.statuses.items() if status >= 300}
    print(f"{what:44} {n * each / seconds:9,.0f}/s   p50 {p50:7.2f} ms   p99 {p99:7.2f} ms   {others or ''}", flush=True)
    return n * each / seconds


def load_server(port: int, seconds: float, connections: int, arms: int) -> None:
    import httpx

    url = f"http://127.0.0.1:{port}"
    for name, policy in (("plain", "QuickDraw"), ("adaptive", "AdaptiveQuickDraw")):
        definition = {"arms": {"grid": {"low": 0, "high": 1, "n": arms}}, "policy": {"name": policy}}
        httpx.put(f"{url}/v1/experiments/{name}", json=definition, timeout=60).raise_for_status()
        for _ in range(100):
            decision = httpx.post(f"{url}/v1/experiments/{name}/decisions", json={}).json()["decisions"][0]
            path = f"{url}/v1/experiments/{name}/decisions/{decision['id']}/reward"
            httpx.put(path, json={"reward": float(np.sin(decision["arm"]))}).raise_for_status()
    load = asyncio.run(run(port, decisions("plain"), seconds, connections, keep=True))
    decided = report("decisions, QuickDraw", load, seconds)
    ids = [each["id"] for body in load.bodies for each in json.loads(body).get("decisions", ())]
    single, batched = ids[: len(ids) // 2], ids[len(ids) // 2 :]
    path = "/v1/experiments/plain/decisions/{}/reward"
    load = asyncio.run(run(port, (request("PUT", path.format(id), {"reward": 0.5}) for id in cycle(single)), seconds, connections))
    rewarded = report("rewards, one by one (first new, then repeated)", load, seconds)
    batches = [
        request("POST", "/v1/experiments/plain/rewards", {"rewards": [{"id": id, "reward": 0.25} for id in some]})
        for some in (batched[i : i + 100] for i in range(0, len(batched) - 99, 100))
    ]
    load = asyncio.run(run_all(port, batches, connections))
    report("rewards in batches of 100, all new", load, sum(load.seconds) / connections, 100)
    for what, rate in (("decisions, QuickDraw, at half of that", decided / 2), ("rewards at half of that", rewarded / 2)):
        requests = decisions("plain") if "decisions" in what else (request("PUT", path.format(id), {"reward": 0.5}) for id in cycle(single))
        load = asyncio.run(run(port, requests, seconds, 4 * connections, rate))
        report(what, load, seconds)
    load = asyncio.run(run(port, decisions("adaptive"), seconds, connections))
    report("decisions, AdaptiveQuickDraw", load, seconds)


def cycle(ids: list[str]) -> Iterator[str]:
    while True:
        yield from ids


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--arms", type=int, default=1000)
    parser.add_argument("--open", type=int, default=5000)
    arguments = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "quickdraw_cli", "serve", "--store", f"sqlite:///{folder}/log.db", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            port = next(int(found[1]) for line in server.stdout if (found := re.match(r"ready on .*:(\d+)", line)))
            load_server(port, arguments.seconds, arguments.connections, arguments.arms)
            many_connections(port, arguments.open)
        finally:
            server.terminate()
            server.wait(15)


if __name__ == "__main__":
    main()
