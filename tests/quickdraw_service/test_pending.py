"""Very many decisions without a reward: what a transaction takes does not depend on how many there are."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.reliability.examples import Clock, definition
from quickdraw_bandits.interpolation import direct
from quickdraw_bandits.interpolation.engines.tables import table_sums
from quickdraw_service import pulls, worker
from quickdraw_service.definition import to_stored
from quickdraw_service.experiment import Experiment
from quickdraw_service.ids import DecisionIds
from quickdraw_service.learner import Learner
from quickdraw_service.plan import Plan
from quickdraw_service.requests import Decide
from quickdraw_service.stores import open_store
from quickdraw_service.stores.store import DECISION, REWARD, Event
from quickdraw_service.worker import Worker

N_ARMS, AT_ONCE = 1000, 10


@pytest.fixture
def work(monkeypatch):
    """Kernel evaluations of every loop over observations or pending pulls, as they happen."""
    counted = []
    for module in (direct, table_sums):
        real = module.in_parts
        monkeypatch.setattr(
            module,
            "in_parts",
            lambda loop, count, work, grain=1, real=real: (counted.append(work), real(loop, count, work, grain)),
        )
    return counted


def after(n_rewarded, n_pending):
    """Return a learner after decisions at 2,500 per second, the first of which were rewarded."""
    learner = Learner("prices", definition(grid=(0.0, 1.0, N_ARMS), parameters={}))
    random, n = np.random.default_rng(0), n_rewarded + n_pending
    times, arms = 1000.0 + np.arange(n) // AT_ONCE * 0.004, random.integers(N_ARMS, size=n)
    decided = [(DECISION, f"{k}", times[k], times[k], int(arms[k]), 0.5) for k in range(n)]
    rewards = [(REWARD, f"{k}", times[-1], times[k], int(arms[k]), random.random()) for k in range(n_rewarded)]
    first = (REWARD, "0", times[0], times[0], int(arms[0]), -1.0)  # far from the others, which makes tables less exact
    rows = [decided[0], first, *decided[1:], *rewards[1:]]
    learner.apply([Event(k + 1, *row, None) for k, row in enumerate(rows)])
    learner.settle()
    return learner


def decide(learner, transactions):
    """Make decisions as they come at a steady rate, and return how many kernel evaluations they took."""
    for _ in range(transactions):
        plan = Plan(learner, {}, learner.last_at + 0.004, DecisionIds())
        for _ in range(AT_ONCE):
            plan.answer(Decide("prices"))
        plan.undo()
        learner.apply(plan.events)


def test_a_transaction_takes_no_longer_with_50_000_pending_decisions(work):
    taken = {}
    for n_pending in (2_000, 50_000):
        learner = after(20_000, n_pending)
        decide(learner, 1)  # makes the tables
        work.clear()
        decide(learner, 40)
        taken[n_pending] = sum(work) / 40
        assert len(learner.pending) == pulls.MOST_PENDING
    # A loop over all pulls that count, at all arms, is the most that a transaction needs, and sums over the latest
    # observations, on average. All 50,000 pulls or all 20,000 observations would be many times that.
    assert max(taken.values()) < 2 * N_ARMS * pulls.MOST_PENDING
    assert taken[50_000] < 2 * taken[2_000]


def test_a_transaction_whose_first_decision_takes_long_makes_others_too(tmp_path, monkeypatch):
    """With a fixed limit of time it would make one decision, and the next would prepare the same again."""
    store = open_store(f"sqlite:///{tmp_path}/log.db")
    stored, _ = store.create("prices", *to_stored(definition()), 1000.0)
    single = Worker("sqlite://", lambda _: None, 100, Clock(), warm_up=False)
    single.experiments["prices"] = Experiment(stored)
    clock, choose, prepared = Clock(0.0), Learner.choose, []

    def slow_at_first(learner, *asked):
        clock.now += 0.0001 if learner.position in prepared else 10 * worker.LONGEST
        prepared.append(learner.position)
        return choose(learner, *asked)

    monkeypatch.setattr(Learner, "choose", slow_at_first)
    monkeypatch.setattr(worker, "time", SimpleNamespace(perf_counter=clock))
    assert single._carry_out(store, [(Decide("prices"), k) for k in range(64)]) == 64
    store.close()
