"""Kill a process under traffic, again and again: ``python -m benchmarks.reliability.kills --store sqlite --kills 100``.

A child process decides and rewards as fast as it can, and writes a line for every answer. It is killed (SIGKILL) at a
random moment. Every line must be in the store afterwards, once and as it was answered, and the next child must give the
same arm to the same id. With ``--servers 2`` two children share the store, and one of them is killed.

Children are forked by one process that has loaded everything and opened nothing, so that they serve at once.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

import numpy as np

from benchmarks.reliability.examples import definition
from benchmarks.reliability.postgres_server import running
from quickdraw_service.errors import UnavailableError
from quickdraw_service.learner import Learner
from quickdraw_service.requests import Create, Decide, Reward
from quickdraw_service.service import Service
from quickdraw_service.stores import open_store


def child(url, name):
    """Decide and reward until killed; one line per answer, written only after it has come."""
    with Service(url, warm_up=False) as service:
        service.ask(Create("prices", definition()))
        print("ready", flush=True)
        for k in range(10**9):
            try:
                made = service.ask(Decide("prices", id=f"{name}-{k}"), timeout=30).decisions[0]
                print(f"decision {made.id} {made.arm}", flush=True)
                value = made.arm / 100
                if k % 3:
                    service.ask(Reward("prices", [made.id], [value]), timeout=30)
                    print(f"reward {made.id} {value!r}", flush=True)
            except UnavailableError:
                service.wait_until_ready(30)


class Child:
    """A child process, and what it writes."""

    def __init__(self, nursery, url, name):
        reading, writing = os.pipe()
        self._answers = os.fdopen(reading)
        print(url, name, file=nursery.stdin, flush=True)
        socket.send_fds(nursery.link, [b"x"], [writing])
        os.close(writing)
        self.pid = int(nursery.stdout.readline())
        assert self._answers.readline() == "ready\n"

    def kill(self):
        """End it at once, and return what it has answered."""
        os.kill(self.pid, signal.SIGKILL)
        return self._answers.read().split("\n")[:-1]  # what follows the last line break was cut off by the kill


class Nursery:
    """The process that forks children."""

    def __init__(self):
        self.link, theirs = socket.socketpair()
        command = [sys.executable, "-m", "benchmarks.reliability.kills", "--nursery", str(theirs.fileno())]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], **pipes)
        theirs.close()
        self.stdin, self.stdout = self._process.stdin, self._process.stdout

    def close(self):
        """End it."""
        self.stdin.close()
        self._process.wait(30)
        self.stdout.close()
        self.link.close()


def nurse(link):
    """Load all compiled code, then fork a child for every line that comes."""
    link = socket.socket(fileno=link)
    with tempfile.TemporaryDirectory() as folder, Service(f"sqlite:///{folder}/log.db", warm_up=False) as service:
        service.ask(Create("prices", definition()))
        for k in range(40):
            service.ask(Decide("prices", id=f"{k}"))
            service.ask(Reward("prices", [f"{k}"], [0.5]))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    for line in sys.stdin:
        url, name = line.split()
        _, (writing,), _, _ = socket.recv_fds(link, 1, 1)
        made = os.fork()
        if made == 0:
            link.close()
            os.dup2(writing, 1)
            child(url, name)
            os._exit(0)
        os.close(writing)
        print(made, flush=True)


def check(url, lines):
    """Compare what was answered with what is in the store; return how many events there are."""
    with open_store(url) as store:
        events = store.tail(1, 0, 10**9)
    assert [event.position for event in events] == list(range(1, len(events) + 1))
    found = {(event.kind, event.id): event for event in events}
    assert len(found) == len(events), "an event is in the log twice"
    for line in lines:
        kind, identity, value = line.split()
        event = found.get((kind, identity))
        assert event is not None, f"lost: {line}"
        assert float(value) == (event.arm if kind == "decision" else event.value), f"differs: {line}"
    Learner("prices", definition()).apply(events)
    return len(events)


def run(url, kills, servers, seed):
    """Kill so many times; return how many answers and events there were."""
    nursery = Nursery()
    try:
        return _run(nursery, url, kills, servers, seed)
    finally:
        nursery.close()


def _run(nursery, url, kills, servers, seed):
    random = np.random.default_rng(seed)
    lines = []
    children = [Child(nursery, url, f"s{k}") for k in range(servers)]
    for k in range(kills):
        time.sleep(random.uniform(0.05, 0.6))
        victim = int(random.integers(servers))
        new = children[victim].kill()
        lines += new
        with Service(url, warm_up=False) as service:
            for line in [each for each in new if each.startswith("decision")][-3:]:
                _, identity, arm = line.split()
                again = service.ask(Decide("prices", id=identity), timeout=60)
                assert (again.new, again.decisions[0].arm) == (False, int(arm)), f"another arm: {line}"
        children[victim] = Child(nursery, url, f"s{servers + k}")
        if k % 20 == 19:
            print(f"{k + 1} kills, {len(lines)} answers, {check(url, lines)} events, 0 lost", flush=True)
    for process in children:
        lines += process.kill()
    return len(lines), check(url, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--nursery", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.nursery is not None:
        nurse(given.nursery)
        return
    if given.store == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            answers, events = run(f"sqlite:///{folder}/log.db", given.kills, given.servers, 0)
    else:
        with running(fsync=True) as server:
            answers, events = run(server.new_database(), given.kills, given.servers, 0)
    print(
        f"{given.kills} kills, {given.servers} server(s) on {given.store}: {answers} answers, {events} events, 0 lost"
    )


if __name__ == "__main__":
    main()
