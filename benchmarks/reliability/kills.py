"""Kill a process under traffic, again and again: ``python -m benchmarks.reliability.kills --store sqlite --kills 100``.

A child process decides and rewards as fast as it can, and writes a line for every answer. It is killed (SIGKILL) at a
random moment. Every line must be in the store afterwards, once and as it was answered, and the next child must give the
same arm to the same id. With ``--servers 2`` two children share the store, and one of them is killed.
"""

import argparse
import os
import signal
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
        for k in range(40):  # loads all compiled code
            service.ask(Decide("prices", id=f"{name}-first-{k}"))
            service.ask(Reward("prices", [f"{name}-first-{k}"], [0.5]))
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


def start(url, name):
    """Start a child, and wait until it serves."""
    command = [sys.executable, "-m", "benchmarks.reliability.kills", "--child", url, "--name", name]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout.readline() == "ready\n"
    return process


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
    random = np.random.default_rng(seed)
    lines = []
    children = [start(url, f"s{k}") for k in range(servers)]
    for k in range(kills):
        time.sleep(random.uniform(0.05, 0.6))
        victim = int(random.integers(servers))
        children[victim].send_signal(signal.SIGKILL)
        output = children[victim].communicate()[0].split("\n")
        new = output[:-1]  # what follows the last line break was cut off by the kill
        lines += new
        with Service(url, warm_up=False) as service:
            for line in [each for each in new if each.startswith("decision")][-3:]:
                _, identity, arm = line.split()
                again = service.ask(Decide("prices", id=identity), timeout=60)
                assert (again.new, again.decisions[0].arm) == (False, int(arm)), f"another arm: {line}"
        children[victim] = start(url, f"s{servers + k}")
        if k % 20 == 19:
            check(url, lines)
    for process in children:
        process.kill()
        lines += process.communicate()[0].split("\n")[:-1]
    return len(lines), check(url, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--name", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child, given.name)
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
