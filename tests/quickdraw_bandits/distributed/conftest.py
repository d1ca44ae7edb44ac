"""A host that runs shards in this process, and can lose them at any moment."""

import pickle

import numpy as np
import pytest

from quickdraw_bandits.distributed import Deployment
from quickdraw_bandits.distributed.hosts import Host, LostShardError

POINTS = np.random.default_rng(3).random((300, 2))
"""Arms of games; tests with fewer make the first of them in the same way."""


class Ticket(list):
    """An answer that may come."""

    def __init__(self, handle):
        super().__init__()
        self.handle = handle


class Handle:
    """An object, or what is left of one; calls wait in line until an answer is needed, as they do in an actor."""

    def __init__(self, make):
        self.make, self.thing, self.line, self.dead = make, None, [], False

    def work(self):
        while self.line:
            ticket, method, arguments = self.line.pop(0)
            if self.dead:
                ticket.append(LostShardError("lost"))
                continue
            self.thing = self.thing or self.make()
            ticket.append(getattr(self.thing, method)(*pickle.loads(arguments)))


class HereHost(Host):
    """Runs everything in this process. ``lose(k)`` ends shard k; calls in ``drop`` are lost; ``slow`` shards wait."""

    def __init__(self):
        self.handles, self.drop, self.slow = [], set(), set()
        self.before_answers = lambda: None

    def keep(self, value):
        return value

    def start(self, kind, number, *arguments):
        handle = Handle(lambda: kind(number, *arguments))
        handle.number = number
        self.handles.append(handle)
        return handle

    def call(self, handle, method, *arguments):
        ticket = Ticket(handle)
        if (handle.number, method) not in self.drop:
            handle.line.append((ticket, method, pickle.dumps(arguments)))
        return ticket

    def answers(self, tickets):
        self.before_answers()
        for ticket in tickets:
            ticket.handle.work()
        return [ticket[0] for ticket in tickets]

    def is_ready(self, ticket):
        if ticket.handle.number not in self.slow:
            ticket.handle.work()
        return bool(ticket)

    def lose(self, number):
        for handle in self.handles:
            if handle.number == number:
                handle.dead = True

    def end(self, handle):
        handle.dead = True

    def close(self):
        self.handles.clear()


@pytest.fixture
def here():
    return HereHost()


@pytest.fixture
def deployment(here):
    return Deployment(host=here)


@pytest.fixture
def places():
    return make_places


@pytest.fixture
def reward():
    return pay


@pytest.fixture
def earned():
    return pay_for


@pytest.fixture
def play():
    return play_alone


def make_places(metric, n=150, dimension=2, dtype=np.float64):
    """Return coordinates; many arms lie where another does, often in another part."""
    random = np.random.default_rng(n + dimension)
    if metric == "haversine":
        found = np.column_stack([random.uniform(-1.2, 1.2, n), random.uniform(-3, 3, n)])
    elif metric == "cosine":
        found = random.normal(size=(n, dimension))
    else:
        found = random.random((n, dimension))
    found[n // 2 :: 7] = found[: (n - n // 2 + 6) // 7]
    return found.astype(dtype)


def pay(point, time, noise):
    wave = np.sin(4 * np.sum(point) + 3 * time) + np.cos(5 * point[0] - 2 * time)
    return float(np.clip(0.5 + 0.2 * wave + noise, 0, 1))


def pay_for(arm, time):
    """Return the reward of one of the ``POINTS``."""
    return float(0.5 + 0.3 * np.sin(9 * POINTS[arm].sum() + 2 * time))


def play_alone(policy, rounds, begin=0, before=lambda k: None):
    """Return the arms that a policy on ``POINTS``, or on the first of them, chose; ``before`` is called every round."""
    chosen = []
    for k in range(begin, begin + rounds):
        before(k)
        time = 0.01 * k
        chosen.append(policy.select(time))
        policy.update(time, chosen[-1], pay_for(chosen[-1], time))
    return chosen
