"""A server process that runs out of file descriptors: clear errors, nothing lost, and it recovers by itself."""

import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from quickdraw_service.stores import open_store

MOST = 40
"""File descriptors of the server."""
LONG = 60.0
"""Seconds for whatever must happen, however busy the machine is."""


@pytest.fixture
def server(tmp_path):
    """Start ``quickdraw serve`` with few descriptors; return its port, its store and what it writes."""
    url, messages = f"sqlite:///{tmp_path}/log.db", tmp_path / "messages.txt"
    limit = f"import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_NOFILE, ({MOST}, {MOST}));"
    run = "sys.argv[0] = 'quickdraw'; runpy.run_module('quickdraw_cli', run_name='__main__')"
    command = [sys.executable, "-c", f"{limit} {run}", "serve", "--store", url, "--port", "0", "--limit", "readers=8"]
    with messages.open("w") as file:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, text=True)
    try:
        port = next(int(found[1]) for line in process.stdout if (found := re.match(r"ready on .*:(\d+)", line)))
        yield port, url, messages, process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(LONG)
        process.stdout.close()


def until(condition):
    """Wait until a condition holds."""
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


class Readers:
    """Programs that ask for one decision all the time, over connections that are open already."""

    def __init__(self, base, count=6):
        self._base, self._stopped = base, threading.Event()
        self._clients = [httpx.Client(timeout=LONG) for _ in range(count)]
        for client in self._clients:
            assert client.get(f"{base}/decisions/none").status_code == 404
        self.answers, self.refused = 0, []
        self._threads = [threading.Thread(target=self._read, args=(client,)) for client in self._clients]

    def start(self):
        for thread in self._threads:
            thread.start()

    def _read(self, client):
        while not self._stopped.is_set():
            answer = client.get(f"{self._base}/decisions/d0")
            self.answers += 1
            if answer.status_code != 200:
                self.refused.append(answer)
            time.sleep(0.002)

    def stop(self):
        self._stopped.set()
        for thread in self._threads:
            thread.join()
        for client in self._clients:
            client.close()


@pytest.mark.slow
def test_descriptors_may_run_out(server):
    port, url, messages, process = server
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > MOST + 100, "of this process, which opens more"
    base = f"http://127.0.0.1:{port}/v1/experiments/prices"
    made, others = [], []
    with httpx.Client(timeout=LONG) as client:
        grid = {"arms": {"grid": {"low": 0, "high": 1, "n": 20}}, "policy": {"name": "QuickDraw"}}
        client.put(base, json=grid).raise_for_status()
        readers = Readers(base)
        # More than the server can hold; the rest wait for it, or are closed.
        others += [socket.create_connection(("127.0.0.1", port), timeout=LONG) for _ in range(MOST + 60)]
        open_files = Path(f"/proc/{process.pid}/fd")
        until(lambda: not open_files.is_dir() or len(list(open_files.iterdir())) >= MOST - 1)
        for k in range(60):  # over the connection that was there before
            made.append(
                client.post(f"{base}/decisions", json={"id": f"d{k}"}).raise_for_status().json()["decisions"][0]
            )
            client.put(f"{base}/decisions/d{k}/reward", json={"reward": 0.5}).raise_for_status()
            if k == 0:
                readers.start()
        # Where several read at once, the store is opened once more, which is refused in one clear answer.
        until(lambda: readers.refused)
        readers.stop()
        assert process.poll() is None
        assert len(readers.refused) < readers.answers
    for answer in readers.refused:
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        assert "open" in answer.json()["error"]["message"]
    for connection in others:
        connection.close()
    answers = []

    def answers_again():  # it takes connections again by itself
        with suppress(httpx.TransportError):
            answers.append(httpx.post(f"{base}/decisions", json={"id": "d0"}, timeout=5))
        return answers

    until(answers_again)
    assert (answers[0].status_code, answers[0].json()["decisions"][0]["arm"]) == (200, made[0]["arm"])
    assert httpx.get(f"{base}/decisions/d7", timeout=LONG).json()["reward"] == 0.5
    process.send_signal(signal.SIGTERM)
    assert process.wait(LONG) == 0
    with open_store(url) as store:
        events = store.tail(1, 0, 10_000)
    assert [event.position for event in events] == list(range(1, 121))
    assert [(event.id, event.arm) for event in events if event.kind == "decision"] == [
        (d["id"], d["arm"]) for d in made
    ]
    assert "Traceback" not in messages.read_text()
