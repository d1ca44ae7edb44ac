"""The commands ``serve`` and ``keys``, as processes of their own where signals matter."""

import contextlib
import glob
import inspect
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

from quickdraw_cli import main
from quickdraw_service import Client
from quickdraw_service.api import create_app
from quickdraw_service.errors import ServiceError
from quickdraw_service.server import DRAIN_SECONDS
from quickdraw_service.stores import open_store

JSON_GRID = {"arms": {"grid": {"low": 0, "high": 1, "n": 20}}, "policy": {"name": "QuickDraw"}}


@pytest.fixture
def store(tmp_path):
    return f"sqlite:///{tmp_path}/log.db"


@pytest.fixture
def serve(store):
    """Return a function that starts ``quickdraw serve`` and returns the process and its URL."""
    started = []

    def start(*options, environment=()):
        process = subprocess.Popen(
            [sys.executable, "-m", "quickdraw_cli", "serve", "--store", store, "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | dict(environment),
        )
        started.append(process)
        for line in process.stdout:
            found = re.match(r"ready on (http://\S+)", line)
            if found:
                return process, found[1]
        raise AssertionError(process.stderr.read())

    yield start
    for process in started:
        process.kill()
        process.communicate()


def key(store, capsys, *options):
    assert main(["keys", "add", "--store", store, *options]) == 0
    return capsys.readouterr().out.strip()


@pytest.mark.slow
def test_sigterm_answers_what_is_running_and_ends(serve, store):
    process, url = serve()
    httpx.put(f"{url}/v1/experiments/x", json=JSON_GRID, timeout=60).raise_for_status()
    acknowledged, stopped = [], threading.Event()

    def load():
        with httpx.Client(base_url=url, timeout=60) as client:
            while not stopped.is_set():
                try:
                    answer = client.post("/v1/experiments/x/decisions", json={})
                except httpx.TransportError:
                    return
                if answer.status_code == 201:
                    acknowledged.append(answer.json()["decisions"][0])
                else:
                    assert answer.status_code == 503

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 60
    while len(acknowledged) < 50:
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0  # on a busy machine; otherwise ten seconds, which the next test adds up
    stopped.set()
    for thread in threads:
        thread.join()
    assert "Traceback" not in process.stderr.read()
    _, url = serve()
    kept = httpx.get(f"{url}/v1/experiments/x/decisions?limit=1000", timeout=60).json()["decisions"]
    assert {each["id"]: each["arm"] for each in acknowledged}.items() <= {
        each["id"]: each["arm"] for each in kept
    }.items()


def test_a_server_that_stops_waits_for_less_than_ten_seconds():
    stop_seconds = inspect.signature(create_app).parameters["stop_seconds"].default
    assert DRAIN_SECONDS + stop_seconds <= 8


@pytest.mark.slow
def test_keys_are_asked_for_from_the_first_on(serve, store, capsys):
    admin = key(store, capsys, "--role", "admin")
    process, url = serve("--host", "0.0.0.0")
    url = url.replace("0.0.0.0", "127.0.0.1")
    assert httpx.get(f"{url}/v1/experiments", timeout=60).status_code == 401
    with Client(url, admin) as client:
        client.create("prices", JSON_GRID["arms"], policy="QuickDraw")
        decision = client.decide("prices")
    token = key(store, capsys, "--role", "decide", "reward", "--experiment", "prices", "--note", "shop")
    with Client(url, token, patience=0) as client:
        outcome, until = None, time.monotonic() + 60
        while outcome is None:  # until the server has noticed the new key
            with contextlib.suppress(ServiceError):
                outcome = client.reward("prices", decision.id, 1.0)
            assert time.monotonic() < until
        assert outcome == "recorded"
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=60)
    for secret in (admin.split("_", 2)[2], token.split("_", 2)[2]):  # which may begin with another "_"
        assert len(secret) > 20
        assert secret not in output + errors


def refused(capsys, *arguments):
    assert main([*arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_without_keys_only_this_machine_is_served(store, capsys):
    line = refused(capsys, "serve", "--store", store, "--host", "0.0.0.0")
    assert "without keys the server listens on this machine only" in line
    assert "quickdraw keys add" in line


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--store", "mysql://x"], "sqlite:///"),
        (["--store", "sqlite:////no/such/folder/log.db"], "/no/such/folder"),
        (["--port", "70000"], "--port"),
        (["--limit", "cuont=3"], "cuont"),
        (["--limit", "count=many"], "count"),
        (["--limit", "count=1000000"], "1000"),
        (["--host", "no.such.host.invalid"], "no.such.host.invalid"),
    ],
)
def test_bad_options_are_one_line(store, capsys, options, named):
    given = [] if "--store" in options else ["--store", store]
    assert named in refused(capsys, "serve", *given, *options)


def test_a_port_in_use_is_one_line(store, capsys):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1:{port}" in refused(capsys, "serve", "--store", store, "--port", str(port))


def test_keys_are_added_listed_and_revoked(store, capsys):
    open_store(store).close()
    assert main(["keys", "list", "--store", store]) == 0
    assert "no keys" in capsys.readouterr().out
    token = key(store, capsys, "--role", "decide", "reward", "--experiment", "a", "b", "--note", "the shop")
    with open_store(store) as opened:
        (kept,) = opened.keys()
    assert (kept.roles, kept.experiments, kept.note) == (("decide", "reward"), ("a", "b"), "the shop")
    secret = token.split("_", 2)[2]
    path = store.removeprefix("sqlite:///")
    assert all(secret.encode() not in Path(file).read_bytes() for file in glob.glob(path + "*"))
    assert main(["keys", "list", "--store", store]) == 0
    listed = capsys.readouterr().out
    assert kept.id in listed
    assert "the shop" in listed
    assert secret not in listed
    assert main(["keys", "revoke", kept.id, "--store", store]) == 0
    assert "revoked" in capsys.readouterr().out
    assert "no valid key" in refused(capsys, "keys", "revoke", kept.id, "--store", store)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["add", "--role", "read", "--experiment", "a/b"], "letters, digits"),
        (["add"], "roles"),
        (["add", "--role", "root"], "root"),
        (["revoke"], "ID"),
        (["list", "x"], "ID"),
        (["list", "--role", "admin"], "--role"),
    ],
)
def test_bad_keys_are_one_line(store, capsys, arguments, named):
    assert named in refused(capsys, "keys", *arguments, "--store", store)
