"""The thread that writes: many requests in one transaction, then one answer to each."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from quickdraw_service.arms_changes import change_arms
from quickdraw_service.creating import check_room, create
from quickdraw_service.errors import PolicyFailedError, ServiceError, UnavailableError, UnknownExperimentError
from quickdraw_service.experiment import Experiment, not_loaded
from quickdraw_service.ids import DecisionIds
from quickdraw_service.plan import Frequent, Plan, ids_to_find
from quickdraw_service.queue import Item, Queue
from quickdraw_service.requests import AddArms, Answer, Create, Decide, Observe, RetireArms, Reward
from quickdraw_service.snapshots import Snapshotter
from quickdraw_service.stores.open import open_store
from quickdraw_service.stores.store import Store, StoredExperiment
from quickdraw_service.warming import USUAL, warm

MOST = 512
"""Requests in one transaction."""
FEWEST = 8
"""Requests that are taken at least, where they are waiting."""
LONGEST = 0.02
"""Seconds after which a transaction takes no more requests, so that other servers wait no longer for the lock."""
POLL = 0.5
"""Seconds after which an idle server looks for events of others; only pages and metrics wait for it."""
Outcome = tuple[object, Answer | ServiceError]
"""A ticket, and what became of its request."""
logger = logging.getLogger("quickdraw_service")


@dataclass
class Totals:
    """What the worker has done since it started."""

    batches: int = 0
    events: int = 0
    commit_seconds: float = 0.0
    choose_seconds: float = 0.0


class Worker:
    """Owns the writing connection and the learners; all they do happens in its thread.

    Parameters
    ----------
    url, deliver, capacity, clock
        As for ``Service``.
    warm_up
        Whether to compile ahead.
    most_arms
        Arms of all experiments together.
    """

    def __init__(
        self,
        url: str,
        deliver: Callable[[list[Outcome]], None],
        capacity: int,
        clock: Callable[[], float],
        warm_up: bool,
        most_arms: int = 10_000_000,
    ) -> None:
        self._url, self._deliver, self.clock, self._warms = url, deliver, clock, warm_up
        self._ids, self._most_arms = DecisionIds(clock), most_arms
        self._most = MOST  # fewer where decisions take so long that a transaction has no time for more
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="quickdraw-worker", daemon=True)
        self._store: Store | None = None
        self._snapshots: Snapshotter | None = None
        self._last, self._unusable = 0, set[str]()  # number of the last experiment that was read, names without one
        self.queue = Queue(capacity)
        self.experiments: dict[str, Experiment] = {}
        self.totals = Totals()
        self.loaded = self.ready = False
        self.failure: BaseException | None = None
        self.changed = threading.Condition()

    def start(self) -> None:
        """Begin to open the store; ``ready`` says when that is done."""
        self._thread.start()

    def stop(self, timeout: float | None) -> bool:
        """Answer what is waiting, take snapshots and close; return whether all that was done in time."""
        self._set_ready(False)
        self._stopping.set()
        self.queue.close()
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _set_ready(self, ready: bool) -> None:
        with self.changed:
            self.ready = ready
            self.changed.notify_all()

    def _run(self) -> None:
        try:
            store = self._open()
            if store is None:
                return
            while True:
                items = self.queue.take(self._most, POLL)
                if items:
                    self._answer_all(store, items)
                elif self._stopping.is_set():
                    break
                elif self.ready:
                    self._follow(store)
                if not self.ready and not self._stopping.is_set():
                    self._recover(store)
                self._take_snapshots()
            self._finish(store)
        except BaseException as error:
            logger.exception("the worker ended")
            self.failure = error
        finally:
            self._set_ready(False)
            self._refuse(self.queue.take(2**62, 0.0))

    def _open(self) -> Store | None:
        """Open the store and load all experiments, trying again while the store cannot be reached."""
        store, said = None, ""
        while not self._stopping.is_set():
            try:
                self._store = store = open_store(self._url)
                self._add_new(store)
                self.loaded = True
                self._snapshots = Snapshotter(store)
                if self._warms:
                    warm([experiment.definition for experiment in self.experiments.values()] or USUAL)
            except UnavailableError as error:
                if str(error) != said:  # not twice a second while the store is away
                    logger.warning("cannot open the store, trying again: %s", error)
                said = str(error)
                if store is not None:
                    store.close()
                self._stopping.wait(POLL)
                continue
            if not self._stopping.is_set():
                self._set_ready(True)
            return store
        return None

    def _recover(self, store: Store) -> None:
        """After the store has failed: refuse what waits, and see whether it works again."""
        self._refuse(self.queue.take(2**62, 0.0))
        try:
            store.reconnect()
            for experiment in self.experiments.values():
                experiment.follow(store)
        except UnavailableError:
            self._stopping.wait(POLL)
        else:
            logger.info("the store works again")
            self._set_ready(True)

    def _refuse(self, items: list[Item]) -> None:
        if items:
            error = UnavailableError("the service is starting, stopping or waiting for its store", "try again")
            self._send([(ticket, error) for _, ticket in items])

    def _send(self, outcomes: list[Outcome]) -> None:
        try:
            self._deliver(outcomes)
        except Exception:
            logger.exception("answers could not be delivered")

    def _follow(self, store: Store) -> None:
        """Learn from what other servers have written."""
        try:
            added = self._add_new(store)
            if added and self._warms:  # others created them
                threading.Thread(target=warm, args=([each.definition for each in added],), daemon=True).start()
            for experiment in self.experiments.values():
                experiment.follow(store)
        except UnavailableError as error:
            logger.warning("the store failed: %s", error)
            self._set_ready(False)

    def _add_new(self, store: Store) -> list[Experiment]:
        """Take in the experiments that were made since this was called before, and return them."""
        known, added = {each.number for each in self.experiments.values()}, []
        for stored in store.experiments(self._last):
            if stored.number not in known:
                added += self._add(store, stored)
            self._last = stored.number
        return added

    def _add(self, store: Store, stored: StoredExperiment, made: Experiment | None = None) -> list[Experiment]:
        """Take in an experiment of the store, if it can be built; ``made`` is one that has no events yet."""
        try:
            experiment = made or Experiment(stored)
        except Exception:
            logger.exception("the experiment %s cannot be built", stored.name)
            self._unusable.add(stored.name)
            return []
        if made is None:
            experiment.load(store)
        self.experiments = {**self.experiments, experiment.name: experiment}
        return [experiment]

    def _answer_all(self, store: Store, items: list[Item]) -> None:
        """Carry out requests in order: frequent ones together, each of the others in a transaction of its own."""
        begin = 0
        while begin < len(items):
            end = begin
            while end < len(items) and isinstance(items[end][0], Frequent):
                end += 1
            try:
                if end > begin:
                    done = self._carry_out(store, items[begin:end])
                else:
                    end, done = begin + 1, 1
                    self._send([(items[begin][1], self._rare(store, items[begin][0]))])
            except UnavailableError as error:
                logger.warning("the store failed: %s", error)
                self._set_ready(False)
                self._send([(ticket, error) for _, ticket in items[begin:]])
                return
            begin += done
            if begin < end:
                self._most = max(FEWEST, 2 * done)
                self.queue.put_back(items[begin:])
                return
        self._most = min(MOST, 2 * self._most)

    def _rare(self, store: Store, request: object) -> Answer | ServiceError:
        try:
            if isinstance(request, Create):
                add = partial(self._add, store)
                return create(store, request, self.experiments, add, self.clock(), self._most_arms)
            assert isinstance(request, AddArms | RetireArms)
            experiment = self._experiment(store, request.experiment)
            check = partial(check_room, self.experiments, most_arms=self._most_arms)
            return change_arms(store, experiment, request, self.clock(), check)
        except UnavailableError:
            raise
        except ServiceError as error:
            return error

    def _experiment(self, store: Store, name: str) -> Experiment:
        if name not in self.experiments:
            self._add_new(store)
        experiment = self.experiments.get(name)
        if name in self._unusable or (experiment is not None and experiment.failed):
            raise not_loaded(name)
        if experiment is None:
            raise UnknownExperimentError(f"there is no experiment {name!r}", "create it first")
        return experiment

    def _carry_out(self, store: Store, items: list[Item]) -> int:
        """Carry out frequent requests in one transaction, learn from it and answer; return how many."""
        outcomes: list[Outcome] = []
        known: dict[str, Experiment | ServiceError] = {}
        for request, _ in items:
            if request.experiment not in known:
                try:
                    known[request.experiment] = self._experiment(store, request.experiment)
                except ServiceError as error:
                    known[request.experiment] = error
        experiments = sorted((each for each in known.values() if isinstance(each, Experiment)), key=lambda e: e.number)
        plans: dict[str, Plan] = {}
        begin = time.perf_counter()
        try:
            with store.writing([experiment.number for experiment in experiments]):
                for experiment in experiments:
                    experiment.follow(store)
                experiments = [experiment for experiment in experiments if not experiment.failed]
                for experiment in experiments:
                    plans[experiment.name] = self._plan(store, experiment, items)
                start, allowed = time.perf_counter(), 0.0
                for request, ticket in items:
                    outcomes.append((ticket, _outcome(request, plans, known)))
                    taken = time.perf_counter() - start
                    # The first decision may prepare what all share, such as tables after very many rewards. The others
                    # get as long again; otherwise every transaction would prepare it for one decision.
                    allowed = allowed or max(LONGEST, 2 * taken)
                    if taken > allowed:
                        break
                chosen = time.perf_counter()
                for experiment in experiments:
                    if plans[experiment.name].events:
                        store.append(experiment.number, plans[experiment.name].events)
        finally:
            for plan in plans.values():
                plan.undo()
        end = time.perf_counter()
        for experiment in experiments:
            self._apply(store, experiment, plans[experiment.name])
        self.totals.batches += 1
        self.totals.choose_seconds += chosen - start
        self.totals.commit_seconds += end - chosen + start - begin
        self._send(outcomes)
        return len(outcomes)

    def _plan(self, store: Store, experiment: Experiment, items: list[Item]) -> Plan:
        mine = [request for request, _ in items if request.experiment == experiment.name]
        wanted = ids_to_find(mine, experiment.learner)  # type: ignore[arg-type]
        found = store.find(experiment.number, wanted) if wanted else {}
        return Plan(experiment.learner, found, self.clock(), self._ids)

    def _apply(self, store: Store, experiment: Experiment, plan: Plan) -> None:
        try:
            experiment.learner.apply(plan.events)
        except Exception:
            # The events are in the log, and the learner may have taken in a part of them: it begins again.
            logger.exception("the experiment %s is loaded again", experiment.name)
            experiment.load(store)
        experiment.last_position = experiment.learner.position
        self.totals.events += len(plan.events)

    def _take_snapshots(self) -> None:
        assert self._snapshots is not None
        if self._snapshots.idle:
            for experiment in self.experiments.values():
                if not experiment.failed and experiment.wants_snapshot():
                    self._snapshots.take(experiment)
                    return

    def _finish(self, store: Store) -> None:
        assert self._snapshots is not None
        for experiment in self.experiments.values():
            if not experiment.failed and experiment.wants_snapshot(least=1_000):
                self._snapshots.take(experiment)
        self._snapshots.close()
        store.close()


def _outcome(
    request: object, plans: dict[str, Plan], known: dict[str, Experiment | ServiceError]
) -> Answer | ServiceError:
    assert isinstance(request, Decide | Reward | Observe)
    plan = plans.get(request.experiment)
    if plan is None:
        error = known[request.experiment]
        return error if isinstance(error, ServiceError) else not_loaded(request.experiment)
    try:
        return plan.answer(request)
    except ServiceError as error:
        return error
    except Exception as error:
        logger.exception("a request failed")
        return PolicyFailedError(f"the policy failed: {type(error).__name__}: {error}")
