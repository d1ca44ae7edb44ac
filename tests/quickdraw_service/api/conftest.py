"""The API over a service in memory, served on a port of its own and asked over HTTP."""

import importlib.util
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from quickdraw_service.api import create_app
from quickdraw_service.server import Server, bind, url_of

_spec = importlib.util.spec_from_file_location("fake_service", Path(__file__).with_name("fake.py"))
_fake = importlib.util.module_from_spec(_spec)
sys.modules["fake_service"] = _fake
_spec.loader.exec_module(_fake)

LONG = 60.0
"""Seconds for whatever must happen, however busy the machine is."""
GRID = {"arms": {"grid": {"low": 0, "high": 1, "n": 5}}}
LABELLED = {"arms": {"points": [[0.0], [1.0], [2.0]], "labels": ["a", "b", "c"]}, "policy": {"name": "QuickDraw"}}


class Running:
    """A server in a thread."""

    def __init__(self, keys, options):
        made, ready = [], threading.Event()

        def open_service(deliver):
            made.append(_fake.FakeService(deliver, keys))
            return made[0]

        self.app = create_app(open_service, **options)
        self.server = Server(self.app, ready.set)
        listener = bind("127.0.0.1", 0)
        self.url = url_of(listener)
        self.failed = []
        self.thread = threading.Thread(target=self._serve, args=(listener,))
        self.thread.start()
        assert ready.wait(LONG)
        self.service = made[0]
        self.client = httpx.Client(base_url=self.url, timeout=LONG)
        self.client.service, self.client.running = self.service, self
        self.until(lambda: self.app._access.known)  # the keys are read in a thread

    def _serve(self, listener):
        try:
            self.server.serve_on(listener)
        except ValueError as error:
            self.failed.append(error)

    def loop_call(self, function):
        """Call a function in the event loop of the server, and wait for it."""
        done = threading.Event()
        self.app.tools.waiting._loop.call_soon_threadsafe(lambda: (function(), done.set()))
        assert done.wait(LONG)

    def until(self, condition):
        """Wait until a condition holds."""
        end = time.monotonic() + LONG
        while not condition():
            assert time.monotonic() < end
            time.sleep(0.001)

    def limit(self, **limits):
        """Set limits of a running server, so that what a test does before them is not subject to them."""
        tools = self.app.tools
        tools.limits = replace(tools.limits, **limits)
        tools.waiting._seconds, tools.bodies._seconds = tools.limits.wait_seconds, tools.limits.body_seconds
        # It looks when the time of the first request is up, which would still be the 20 seconds from before.
        tools.waiting._loop.call_soon_threadsafe(tools.waiting._give_up)

    def stop(self):
        self.client.close()
        self.server.should_exit = True
        self.thread.join()


@pytest.fixture
def serve():
    """Return a function that starts a server and returns a client of it; ``client.service`` is the fake service."""
    running = []

    def start(keys=(), **options):
        running.append(Running(keys, options))
        return running[-1].client

    yield start
    for each in running:
        each.stop()


def fill(client, **options):
    assert client.put("/v1/experiments/line", json=GRID, **options).status_code == 201
    assert client.put("/v1/experiments/labelled", json=LABELLED, **options).status_code == 201
    return client


@pytest.fixture(scope="module")
def shared():
    """Return an open server that the tests of a module share."""
    running = Running((), {})
    yield running
    running.stop()


@pytest.fixture
def client(shared):
    """Return a client of an open server with two experiments, ``line`` and ``labelled``, as new."""
    shared.service.__dict__ = vars(_fake.FakeService(shared.service.deliver)) | {"ready": True}
    shared.app.tools.exports, shared.app.tools.stopping = 0, False
    return fill(shared.client)
