"""A server process that runs out of file descriptors: clear errors, nothing lost, and it recovers by itself."""

import re
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from quickdraw_service.stores import open_store

MOST = 40
"""File descriptors of the server."""


@pytest.fixture
def server(tmp_path):
    """Start ``quickdraw serve`` with few descriptors; return its port, its store and what it writes."""
    url, messages = f"sqlite:///{tmp_path}/log.db", tmp_path / "messages.txt"
    limit = f"import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_NOFILE, ({MOST}, {MOST}));"
    run = "sys.argv[0] = 'quickdraw'; runpy.run_module('quickdraw_cli', run_name='__main__')"
    command = [sys.executable, "-c", f"{limit} {run}", "serve", "--store", url, "--port", "0"]
    with messages.open("w") as file:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, text=True)
    try:
        port = next(int(found[1]) for line in process.stdout if (found := re.match(r"ready on .*:(\d+)", line)))
        yield port, url, messages, process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        process.stdout.close()


@pytest.mark.slow
def test_descriptors_may_run_out(server):
    port, url, messages, process = server
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > MOST + 100, "of this process, which opens more"
    base = f"http://127.0.0.1:{port}/v1/experiments/prices"
    made, refused, others = [], [], []
    with httpx.Client(timeout=30) as client:
        grid = {"arms": {"grid": {"low": 0, "high": 1, "n": 20}}, "policy": {"name": "QuickDraw"}}
        client.put(base, json=grid).raise_for_status()
        # More than the server can hold; the rest wait for it, or are closed.
        others += [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(MOST + 60)]
        open_files = Path(f"/proc/{process.pid}/fd")
        while open_files.is_dir() and len(list(open_files.iterdir())) < MOST - 1:
            time.sleep(0.01)
        for k in range(200):  # over the connection that was there before
            made.append(
                client.post(f"{base}/decisions", json={"id": f"d{k}"}).raise_for_status().json()["decisions"][0]
            )
            client.put(f"{base}/decisions/d{k}/reward", json={"reward": 0.5}).raise_for_status()
            # What needs another file may be refused, in one clear answer.
            answer = client.get(f"{base}/decisions/d{k}")
            if answer.status_code != 200:
                refused.append(answer)
        assert process.poll() is None
    for answer in refused:
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        assert "open" in answer.json()["error"]["message"]
    for connection in others:
        connection.close()
    deadline = time.monotonic() + 30
    while True:  # it takes connections again by itself
        try:
            again = httpx.post(f"{base}/decisions", json={"id": "d0"}, timeout=5)
            break
        except httpx.TransportError:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    assert (again.status_code, again.json()["decisions"][0]["arm"]) == (200, made[0]["arm"])
    assert httpx.get(f"{base}/decisions/d7").json()["reward"] == 0.5
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    with open_store(url) as store:
        events = store.tail(1, 0, 10_000)
    assert [event.position for event in events] == list(range(1, 401))
    assert [(event.id, event.arm) for event in events if event.kind == "decision"] == [
        (d["id"], d["arm"]) for d in made
    ]
    assert "Traceback" not in messages.read_text()
