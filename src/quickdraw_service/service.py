"""Decisions that survive anything, without HTTP: what the API, the command line and the tests use."""

import math
import threading
import time as system_time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from quickdraw_service import questions
from quickdraw_service.answers import Belief, Estimated, Figures, History, LogRows, Summary, Why
from quickdraw_service.creating import prepare
from quickdraw_service.errors import ServiceError, UnavailableError, UnknownDecisionError
from quickdraw_service.evaluation import evaluate
from quickdraw_service.experiment import Experiment
from quickdraw_service.history import history
from quickdraw_service.keys import Key
from quickdraw_service.requests import Answer, Create, Decided, Request, Reward
from quickdraw_service.stores.open import open_store
from quickdraw_service.stores.store import DECISION, REWARD, Store
from quickdraw_service.warming import warm
from quickdraw_service.worker import Outcome, Worker

CHUNK = 10_000
"""Decisions in one piece of an exported log."""
CATCH_UP_SECONDS = 10.0
"""How long a question waits until this server knows what others have written."""


class _Waiting:
    """The ticket of somebody who waits in ``Service.ask``."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.outcome: Answer | ServiceError | None = None


class Service:
    """Experiments in a store, and one learner for each.

    An answer says that its events are durable. Several services, in one process or on several machines, may share a
    store: each learns from what all of them have written.

    Parameters
    ----------
    store_url
        Where the logs are, as ``open_store`` takes it.
    deliver
        Called by the worker's thread, once per transaction, with the tickets that were submitted and their answers or
        errors. Not needed where only ``ask`` is used.
    capacity
        Requests that may wait; default 10,000. With a larger value fewer are refused in a burst, and the last ones
        wait for longer.
    clock
        Returns the time in seconds since 1970; default the system's. It may go back: what the log holds does not.
    warm_up
        Whether to compile ahead in ``start``, default True. Without it the first decisions are slow.
    most_arms
        Arms of all experiments together; default 10,000,000. More are refused, because they need memory.

    Examples
    --------
    >>> import tempfile
    >>> from quickdraw_service.requests import Create, Decide, Definition, Reward
    >>> prices = Definition((0.0, 1.0, 100), None, "euclidean", None, "QuickDraw", {}, 0.05, 0, None)
    >>> with tempfile.TemporaryDirectory() as folder, Service(f"sqlite:///{folder}/log.db", warm_up=False) as service:
    ...     _ = service.ask(Create("prices", prices))
    ...     decision = service.ask(Decide("prices", id="a", time=0.0)).decisions[0]
    ...     again = service.ask(Decide("prices", id="a")).decisions[0]
    ...     service.ask(Reward("prices", ["a", "b"], [0.7, 0.1])).outcomes, decision == again
    (['recorded', 'unknown'], True)
    """

    def __init__(
        self,
        store_url: str,
        *,
        deliver: Callable[[list[Outcome]], None] | None = None,
        capacity: int = 10_000,
        clock: Callable[[], float] = system_time.time,
        warm_up: bool = True,
        most_arms: int = 10_000_000,
    ) -> None:
        self._url, self._warms = store_url, warm_up
        self._others = deliver
        self._worker = Worker(store_url, self._deliver, capacity, clock, warm_up, most_arms)
        self._readers: list[Store] = []

    def start(self) -> None:
        """Begin to open the store, to replay and to compile; ``ready`` says when that is done."""
        self._worker.start()

    def wait_until_ready(self, timeout: float | None = None) -> bool:
        """Wait until requests are taken; False if that did not happen in time, or never will."""
        worker = self._worker
        with worker.changed:
            worker.changed.wait_for(lambda: worker.ready or worker.failure is not None, timeout)
        return worker.ready

    def stop(self, timeout: float | None = None) -> bool:
        """Answer what is waiting, take snapshots and close the store; return whether that was done in time."""
        done = self._worker.stop(timeout)
        while self._readers:
            self._readers.pop().close()
        return done

    def __enter__(self) -> "Service":
        self.start()
        self.wait_until_ready()
        if self.failure is not None:
            raise self.failure
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def ready(self) -> bool:
        """Whether requests are taken: the store was read, and can be written to."""
        return self._worker.ready

    @property
    def failure(self) -> BaseException | None:
        """Why the service will never be ready, None if it may."""
        return self._worker.failure

    def prepare(self, request: Create) -> Create:
        """Return the request with all that can be made ahead, and compile what experiments of its kind need.

        Any thread may call this before it asks for the experiment; others are served meanwhile, and neither they nor
        its own first decisions wait for it.
        """
        prepared = prepare(request)
        if self._warms:
            warm([request.definition])
        return prepared

    def submit(self, request: Request, ticket: object) -> None:
        """Have a request carried out; its answer is delivered with the ticket, which may be any object.

        Raises
        ------
        OverloadedError, UnavailableError
            At once, if too many are waiting or the service is not ready. Then nothing will be delivered.
        """
        if not self._worker.ready:
            raise UnavailableError("the service is starting, stopping or waiting for its store", "try again")
        self._worker.queue.put((request, ticket))

    def ask(self, request: Request, timeout: float | None = None) -> Answer:
        """Have a request carried out, and wait for the answer; raises ServiceError."""
        ticket = _Waiting()
        self.submit(request, ticket)
        if not ticket.done.wait(timeout):
            raise UnavailableError(f"no answer within {timeout} seconds", "try again with the same id")
        assert ticket.outcome is not None
        if isinstance(ticket.outcome, ServiceError):
            raise ticket.outcome
        return ticket.outcome

    def _deliver(self, outcomes: list[Outcome]) -> None:
        others = []
        for ticket, outcome in outcomes:
            if isinstance(ticket, _Waiting):
                ticket.outcome = outcome
                ticket.done.set()
            else:
                others.append((ticket, outcome))
        if others and self._others is not None:
            self._others(others)

    def experiments(self) -> list[Summary]:
        """Return all experiments as they stand, in the order of their names."""
        if not self._worker.loaded:
            raise UnavailableError("the service is starting", "try again")
        now = self._worker.clock()
        return [questions.summary(each, now) for _, each in sorted(self._worker.experiments.items()) if not each.failed]

    def experiment(self, name: str) -> Summary:
        """Return one experiment as it stands."""
        return questions.summary(self._experiment(name), self._worker.clock())

    def _experiment(self, name: str, arms: Iterable[int] = ()) -> Experiment:
        """Return an experiment that knows these arms; others may have made it, or added arms, a moment ago."""
        known = self._worker.experiments.get(name)
        if known is None or known.failed or max(arms, default=-1) >= len(known.learner.arms):
            self.ask(Reward(name, [], []), CATCH_UP_SECONDS)  # writes nothing, and reads what there is to know
        return self._worker.experiments[name]

    def belief(self, name: str, time: float | None = None, points: int = 1000) -> Belief:
        """Return mean, deviation and index at up to ``points`` arms, evenly spread over the set, the best included."""
        return questions.belief(self._experiment(name).learner, self._time(name, time), points)

    def explain(self, name: str, arm: int | str, time: float | None = None, most: int = 10) -> Why:
        """Return the estimate at an arm, given by position or label, and the observations that weigh most in it."""
        experiment = self._experiment(name, [arm] if isinstance(arm, int) else ())
        return questions.explain(experiment.learner, arm, self._time(name, time), most)

    def _time(self, name: str, time: float | None) -> float:
        """Return the time to ask about: the latest in the log, which a client's clock may have little to do with."""
        latest = self._experiment(name).learner.latest_time
        return time if time is not None else latest if math.isfinite(latest) else self._worker.clock()

    def decision(self, name: str, id: str) -> Decided:
        """Return a decision with its reward, if that has come."""
        experiment = self._experiment(name)
        with self._reader() as store:
            found = store.find(experiment.number, [id])
        event, reward = found.get((DECISION, id)), found.get((REWARD, id))
        if event is None:
            raise UnknownDecisionError(f"the experiment {name!r} has no decision {id!r}")
        learner = self._experiment(name, [event.arm]).learner
        return learner.decided(id, event.time, event.arm, event.value, reward and reward.value)

    def decisions(self, name: str, after: str | None = None, limit: int = 100) -> list[Decided]:
        """Return decisions, the newest first; ``after`` is the id of the last one of the page before."""
        experiment, before = self._experiment(name), None
        with self._reader() as store:
            if after is not None:
                event = store.find(experiment.number, [after]).get((DECISION, after))
                if event is None:
                    raise UnknownDecisionError(f"the experiment {name!r} has no decision {after!r}")
                before = event.position
            rows = store.latest_decisions(experiment.number, before, limit)
        learner = self._experiment(name, [row.arm for row in rows]).learner
        return [learner.decided(*row[1:]) for row in rows]

    def latest(self, name: str, limit: int) -> LogRows:
        """Return the latest decisions with their rewards, the oldest first."""
        experiment = self._experiment(name)
        with self._reader() as store:
            rows = store.latest_decisions(experiment.number, None, limit)
        return questions.log_rows(self._experiment(name, [row.arm for row in rows]).learner.arms, rows[::-1])

    def history(self, name: str, times: int = 60, points: int = 200, latest: int = 500) -> History:
        """Return what is believed over arms and time, with the latest decisions."""
        rows = self.latest(name, latest)  # before the learner, which then knows all their arms
        return history(self._experiment(name).learner, rows, times, points)

    def evaluation(self, name: str, policies: Sequence[str] = (), latest: int = 2000) -> list[Estimated]:
        """Return what others would have earned on the latest decisions, with intervals."""
        return evaluate(self.latest(name, latest), self._experiment(name).learner.arms, policies)

    def log(self, name: str, unrewarded: bool = False) -> Iterator[LogRows]:
        """Return the decisions with their rewards in the order of the log, in pieces; read while others write.

        Parameters
        ----------
        name
            The experiment.
        unrewarded
            Whether decisions without a reward are returned as well; default False.
        """
        experiment, position = self._experiment(name), 0
        while True:
            with self._reader() as store:
                rows = store.decisions(experiment.number, position, CHUNK)
            if rows:
                position = rows[-1].position
                kept = rows if unrewarded else [row for row in rows if row.reward is not None]
                if kept:
                    yield questions.log_rows(self._experiment(name, [row.arm for row in kept]).learner.arms, kept)
            if len(rows) < CHUNK:
                return

    def figures(self) -> Figures:
        """Return how the worker is doing."""
        totals = self._worker.totals
        return Figures(
            len(self._worker.queue), totals.batches, totals.events, totals.commit_seconds, totals.choose_seconds
        )

    def keys(self) -> list[Key]:
        """Return all keys of the store, revoked ones included."""
        with self._reader() as store:
            return store.keys()

    @contextmanager
    def _reader(self) -> Iterator[Store]:
        """Lend a connection for reading; one that failed is not used again."""
        try:
            store = self._readers.pop()
        except IndexError:
            store = open_store(self._url)
        try:
            yield store
        except UnavailableError:
            store.close()
            raise
        except BaseException:
            self._readers.append(store)
            raise
        self._readers.append(store)
