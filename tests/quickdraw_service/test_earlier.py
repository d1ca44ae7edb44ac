"""Decisions without a reward that are no longer pending: a server remembers the latest, the store knows the others."""

import pytest

from benchmarks.reliability.examples import Clock, definition
from quickdraw_service import pulls
from quickdraw_service.requests import Create, Decide, Reward
from quickdraw_service.service import Service
from quickdraw_service.stores.sqlite import SQLiteStore


@pytest.fixture
def asked(monkeypatch):
    """The ids that the store was asked for, as it happens; few decisions are pending or remembered."""
    monkeypatch.setattr(pulls, "MOST_PENDING", 2)
    monkeypatch.setattr(pulls, "MOST_EARLIER", 3)
    found, find = [], SQLiteStore.find

    def noted(store, experiment, ids):
        found.extend(ids)
        return find(store, experiment, ids)

    monkeypatch.setattr(SQLiteStore, "find", noted)
    return found


def served(url, **changes):
    return Service(url, warm_up=False, clock=changes.pop("clock", Clock()))


def learner_of(service):
    return service._worker.experiments["prices"].learner


def reward(service, *pairs):
    ids, rewards = zip(*pairs, strict=True)
    return service.ask(Reward("prices", list(ids), list(rewards))).outcomes


def test_rewards_of_remembered_decisions_need_no_look_into_the_store(tmp_path, asked):
    with served(f"sqlite:///{tmp_path}/log.db") as service:
        service.ask(Create("prices", definition()))
        made = [service.ask(Decide("prices", id=str(k), time=float(k))).decisions[0] for k in range(9)]
        learner = learner_of(service)
        assert list(learner.pending) == ["7", "8"]
        assert list(learner._earlier) == ["4", "5", "6"]
        asked.clear()
        assert reward(service, ("5", 0.5), ("8", 0.25)) == ["recorded", "recorded"]
        assert asked == []
        assert reward(service, ("0", 0.75), ("none", 0.5)) == ["recorded", "unknown"]
        assert sorted(asked) == ["0", "none"]
        # Told again, they are as any other reward that is in the log.
        assert reward(service, ("5", 0.5), ("0", 0.75)) == ["duplicate", "duplicate"]
        assert reward(service, ("5", 0.125), ("0", 0.5)) == ["conflict", "conflict"]
        assert list(learner._earlier) == ["4", "6"]
        times, arms, rewards = learner.policy.observations
        told = {5: 0.5, 8: 0.25, 0: 0.75}
        assert dict(zip(times.tolist(), rewards.tolist(), strict=True)) == told
        assert dict(zip(times.tolist(), arms.tolist(), strict=True)) == {k: made[k].arm for k in told}
        # The same decision asked for again is the same, remembered or not.
        for k in (0, 4, 5, 8):
            again = service.ask(Decide("prices", id=str(k)))
            assert (again.new, again.decisions[0].arm) == (False, made[k].arm)


def test_twice_in_one_request(tmp_path, asked):
    with served(f"sqlite:///{tmp_path}/log.db") as service:
        service.ask(Create("prices", definition()))
        for k in range(6):
            service.ask(Decide("prices", id=str(k), time=float(k)))
        assert reward(service, ("2", 0.5), ("2", 0.5), ("2", 0.25)) == ["recorded", "duplicate", "conflict"]
        assert learner_of(service).counts.rewards == 1


def test_a_reward_that_another_server_has_taken_is_no_new_one(tmp_path, asked):
    """Also for a server that began with nothing to remember."""
    url = f"sqlite:///{tmp_path}/log.db"
    with served(url) as one, served(url) as other:
        one.ask(Create("prices", definition()))
        for k in range(8):
            (one, other)[k % 2].ask(Decide("prices", id=str(k), time=float(k)))
        one.ask(Decide("prices", id="8", time=8.0))
        assert reward(other, ("4", 0.5)) == ["recorded"]  # which the first has not heard of
        assert "4" in learner_of(one)._earlier
        assert reward(one, ("4", 0.5), ("5", 0.5)) == ["duplicate", "recorded"]
        assert reward(other, ("5", 0.25), ("6", 0.5)) == ["conflict", "recorded"]
        with served(url) as late:
            assert reward(late, ("4", 0.5), ("6", 0.25), ("3", 0.5)) == ["duplicate", "conflict", "recorded"]
        assert reward(one, ("3", 0.5)) == ["duplicate"]
        assert learner_of(one).counts.rewards == 4


def test_overdue_decisions_are_remembered_too(tmp_path, asked):
    clock = Clock()
    with served(f"sqlite:///{tmp_path}/log.db", clock=clock) as service:
        service.ask(Create("prices", definition(reward_within=10.0)))
        service.ask(Decide("prices", id="first", time=1.0))
        clock.now += 11.0
        service.ask(Decide("prices", id="second", time=2.0))
        assert list(learner_of(service)._earlier) == ["first"]
        asked.clear()
        assert reward(service, ("first", 0.5)) == ["recorded"]
        assert asked == []
