"""Random sequences of all that can happen to a store, against a plain model in memory.

Two servers share one store. They decide, take rewards, are asked again, lose a transaction before or after its commit,
crash and restart, while the clock jumps ahead and back. The model is a few dictionaries.
"""

from contextlib import contextmanager
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from benchmarks.reliability.examples import Clock, definition
from quickdraw_service.errors import ConflictError, UnavailableError
from quickdraw_service.learner import Learner
from quickdraw_service.requests import Create, Decide, Observe, Reward
from quickdraw_service.snapshots import Encoding
from quickdraw_service.worker import Worker

SERVERS = st.integers(0, 1)
NAMES = st.sampled_from([f"d{k}" for k in range(12)])
FAULTS = st.sampled_from([None, None, None, None, "before", "after"])
WITHIN = 50.0
TRIES = 120
"""How often a server is asked again at most. It waits half a second for a store that cannot be reached."""


class Server:
    """A worker without its thread: requests are carried out at once."""

    def __init__(self, url, clock):
        self.worker = Worker(url, self._take, 100, clock, warm_up=False)
        self.store = self.worker._open()
        self._outcomes = []
        self.asked_again, self.stall = False, None

    def _take(self, outcomes):
        self._outcomes += outcomes

    def ask(self, *requests, fault=None):
        """Carry out requests in one batch, with a fault or without; return answers and errors.

        On a machine that stalls, a store may keep a request waiting for longer than the service allows. So a client
        asks again where there was no fault, and ``asked_again`` says so: what is asked for may be in the log already.
        """
        self.asked_again, stall, self.stall = False, self.stall, None
        with self.fault(fault or stall):
            answers = self._ask(*requests)
        for _ in range(TRIES if fault is None else 0):
            if not any(isinstance(each, UnavailableError) for each in answers):
                break
            self.asked_again = True
            answers = self._ask(*requests)
        return answers

    def _ask(self, *requests):
        self._outcomes.clear()
        waiting = list(zip(requests, range(len(requests)), strict=True))
        while waiting:
            self.worker._answer_all(self.store, waiting)
            waiting = self.worker.queue.take(len(requests), 0.0)  # what a transaction had no time for
        if not self.worker.ready:
            self.worker._recover(self.store)
        return [outcome for _, outcome in sorted(self._outcomes, key=lambda each: each[0])]

    def crash(self):
        """Vanish. The connection is closed as the system would close it."""
        self.worker._snapshots.close()
        self.store.close()

    @contextmanager
    def fault(self, when):
        """Lose the next transaction before its commit, or the answer to it."""
        real = self.store.writing

        @contextmanager
        def faulty(experiments):
            self.store.writing = real
            with real(experiments):
                yield
                if when == "before":
                    raise UnavailableError("lost before the commit")
            raise UnavailableError("lost after the commit")

        if when is not None:
            self.store.writing = faulty
        yield
        self.store.writing = real


class Machine(RuleBasedStateMachine):
    """The rules. A subclass says how to get an empty store."""

    def new_store(self):
        """Return the address of an empty store."""
        raise NotImplementedError

    def __init__(self):
        super().__init__()
        self.url = self.new_store()
        self.clock = Clock()
        self.servers = [Server(self.url, self.clock), Server(self.url, self.clock)]
        self.made = {}  # id of a request -> its decisions
        self.decisions = {}  # id of a decision -> Decided
        self.rewards = {}
        self.written = {}  # id of a decision -> when it was written
        self.observations = set()  # ids of those that no decision led to, two for each
        self.latest_at = -np.inf

    @initialize(policy=st.sampled_from(["QuickDraw", "Restless", "UCB1", "AdaptiveQuickDraw"]), server=SERVERS)
    def create(self, policy, server):
        """Begin with one experiment, which both servers are asked to create."""
        parameters = {"length_scale": 0.3, "time_scale": 100.0} if policy == "QuickDraw" else {}
        self.definition = definition(
            policy=policy, parameters=parameters, grid=(0.0, 1.0, 9), reward_within=WITHIN, uniform=0.2
        )
        for k in (server, 1 - server):
            (answer,) = self.servers[k].ask(Create("prices", self.definition))
            assert answer.new is (k == server) or self.servers[k].asked_again

    def _ask(self, server, request, fault):
        """Return the answer, that of the other server where a fault is met; and whether a server was asked again."""
        (answer,) = self.servers[server].ask(request, fault=fault)
        if fault is not None:
            assert isinstance(answer, UnavailableError)
            server = 1 - server
            (answer,) = self.servers[server].ask(request)
        return answer, self.servers[server].asked_again

    def _decided(self, answer, name, count):
        """Take new decisions into the model."""
        ids = [name] if count == 1 else [f"{name}-{k + 1}" for k in range(count)]
        assert [each.id for each in answer.decisions] == ids
        assert len({each.arm for each in answer.decisions}) == count
        self.latest_at = max(self.latest_at, self.clock.now)
        for each in answer.decisions:
            assert 0 < each.probability <= 1
            self.decisions[each.id] = each
            self.written[each.id] = self.latest_at
        self.made[name] = answer.decisions

    @rule(server=SERVERS, name=NAMES, count=st.sampled_from([1, 1, 1, 3]), fault=FAULTS, timed=st.booleans())
    def decide(self, server, name, count, fault, timed):
        """Ask for decisions, new or again; the answer to a lost one is asked for once more, from the other server."""
        time = float(len(self.made)) if timed else None
        expected = max(self.clock.now, self.latest_at) if time is None else time
        request = Decide("prices", id=name, count=None if count == 1 else count, time=time)
        answer, again = self._ask(server, request, fault)
        earlier = self.made.get(name)
        if earlier is None:
            assert answer.new is (fault != "after") or again
            assert all(each.time == expected for each in answer.decisions)
            self._decided(answer, name, count)
        elif len(earlier) != count:
            assert isinstance(answer, ConflictError)
        else:
            assert not answer.new
            assert answer.decisions == [self._with_reward(each) for each in earlier]

    def _with_reward(self, decided):
        return type(decided)(
            *(getattr(decided, field) for field in decided.__struct_fields__[:-1]), self.rewards.get(decided.id)
        )

    @rule(server=SERVERS, data=st.data(), fault=FAULTS)
    def reward(self, server, data, fault):
        """Bring rewards, known and unknown, in time and late, once and again."""
        known = [*self.decisions, "unknown"]
        ids = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=4))
        values = data.draw(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=len(ids), max_size=len(ids)))
        request = Reward("prices", ids, values)
        expected = []
        for each, value in zip(ids, values, strict=True):
            if each not in self.decisions:
                expected.append("unknown")
            elif each in self.rewards:
                expected.append("duplicate" if self.rewards[each] == value else "conflict")
            else:
                self.rewards[each] = value
                expected.append("recorded")
        if "recorded" in expected:
            self.latest_at = max(self.latest_at, self.clock.now)
        answer, again = self._ask(server, request, fault)
        known = ["duplicate" if each == "recorded" else each for each in expected]
        assert answer.outcomes == (known if fault == "after" else expected) or (again and answer.outcomes == known)

    @rule(servers=st.permutations([0, 1]), name=NAMES)
    def decide_and_reward_in_one_batch(self, servers, name):
        """Bring a decision and its reward together, and both again to the other server."""
        if name in self.made:
            return
        requests = Decide("prices", id=name), Reward("prices", [name], [0.5]), Decide("prices", id=name)
        answer, rewarded, again = self.servers[servers[0]].ask(*requests)
        self._decided(answer, name, 1)
        self.rewards[name] = 0.5
        assert rewarded.outcomes == ["recorded"] or self.servers[servers[0]].asked_again
        assert (again.new, again.decisions[0].arm) == (False, answer.decisions[0].arm)
        assert self.servers[servers[1]].ask(requests[1])[0].outcomes == ["duplicate"]

    @rule(server=SERVERS, name=st.sampled_from(["h1", "h2"]))
    def observe(self, server, name):
        """Bring observations that no decision led to, once and again."""
        (first,) = self.servers[server].ask(Observe("prices", [1.0, 2.0], [0, 5], [0.5, 0.25], id=name))
        assert first.new is (name not in self.observations) or self.servers[server].asked_again
        (again,) = self.servers[1 - server].ask(Observe("prices", [1.0, 2.0], [0, 5], [0.5, 0.25], id=name))
        assert not again.new
        if name not in self.observations:
            self.observations.add(name)
            self.latest_at = max(self.latest_at, self.clock.now)

    @rule(step=st.sampled_from([1.0, 1.0, 10.0, 60.0, -30.0, -1000.0]))
    def set_clock(self, step):
        """Let time pass, or set the clock back."""
        self.clock.now += step

    @rule(server=SERVERS, when=st.sampled_from(["before", "after"]))
    def let_stall(self, server, when):
        """Let the next request of a server wait for too long, before it is written or after; it is asked again."""
        self.servers[server].stall = when

    @rule(server=SERVERS, snapshot=st.booleans())
    def crash(self, server, snapshot):
        """End a server without notice, and start it again; sometimes it had taken a snapshot."""
        old = self.servers[server]
        experiment = old.worker.experiments["prices"]
        if snapshot and experiment.learner.position:
            old.store.keep_snapshot(experiment.number, Encoding(experiment.learner).finish())
        old.crash()
        self.servers[server] = Server(self.url, self.clock)

    @invariant()
    def no_error_is_left(self):
        """Both servers serve."""
        assert all(server.worker.ready for server in self.servers)

    def teardown(self):
        """Compare the log with the model, and every learner with one that reads the log from the beginning."""
        try:
            if hasattr(self, "definition"):
                self._compare()
        finally:
            for server in self.servers:
                server.crash()

    def _compare(self):
        store = self.servers[0].store
        events = store.tail(1, 0, 10_000)
        assert [event.position for event in events] == list(range(1, len(events) + 1))
        assert all(one.at <= other.at for one, other in pairwise(events))
        logged = {event.id: event for event in events if event.kind == "decision"}
        assert {each: (event.arm, event.time, event.value) for each, event in logged.items()} == {
            each: (made.arm, made.time, made.probability) for each, made in self.decisions.items()
        }
        assert {event.id: event.value for event in events if event.kind == "reward"} == self.rewards
        fresh = Learner("prices", self.definition)
        fresh.apply(events)
        assert fresh.counts.observations == 2 * len(self.observations)
        late = {each for each, at in self.written.items() if at + WITHIN <= fresh.last_at}
        assert set(fresh.pending) == set(self.decisions) - set(self.rewards) - late
        assert len(fresh.policy.pending[0]) == len(fresh.pending)
        assert fresh.policy.n_observations == len(self.rewards) + 2 * len(self.observations)
        when = max(self.clock.now, fresh.latest_time)
        drawn = [fresh.choose(f"x{k}", when, None) for k in range(5)]
        for server in self.servers:
            experiment = server.worker.experiments["prices"]
            experiment.follow(server.store)
            assert [experiment.learner.choose(f"x{k}", when, None) for k in range(5)] == drawn
            assert list(experiment.learner.pending) == list(fresh.pending)
