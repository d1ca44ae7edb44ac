"""Experiments that this server cannot play: they answer with an error, and all others go on."""

import time

import numpy as np
import pytest

from benchmarks.reliability.examples import definition
from quickdraw_service import worker
from quickdraw_service.definition import to_stored
from quickdraw_service.errors import PolicyFailedError
from quickdraw_service.requests import AddArms, Create, Decide
from quickdraw_service.service import Service
from quickdraw_service.stores import open_store
from quickdraw_service.stores.store import RETIRED, Event

UNKNOWN = to_stored(definition())[0].replace('"QuickDraw"', '"PolicyOfTomorrow"')
"""A definition that a newer version has written."""
WRONG = Event(1, RETIRED, None, 0.0, 0.0, 1, 0.0, np.array([1_000_000]).tobytes())
"""An event that no learner can take."""


def later(service):
    """Wait until the service has looked for news several times."""
    time.sleep(6 * worker.POLL)
    assert service.failure is None


@pytest.fixture(autouse=True)
def looks_often(monkeypatch):
    monkeypatch.setattr(worker, "POLL", 0.02)


def check(service):
    later(service)
    for request in (Decide("broken"), AddArms("broken", [[2.0]])):
        with pytest.raises(PolicyFailedError, match="broken"):
            service.ask(request, timeout=20)
    with pytest.raises(PolicyFailedError, match="broken"):
        service.decisions("broken")
    assert [each.name for each in service.experiments()] == ["good"]
    assert service.ask(Decide("good"), timeout=20).new


def spoil(url, before):
    """Write an experiment that cannot be played: one of an unknown policy, or one with a wrong event."""
    with open_store(url) as store:
        if before == "policy":
            store.create("broken", UNKNOWN, None, 0.0)
        else:
            stored, _ = store.create("broken", *to_stored(definition()), 0.0)
            with store.writing([stored.number]):
                store.append(stored.number, [WRONG])


@pytest.mark.parametrize("wrong", ["policy", "event"])
def test_a_server_starts_beside_an_experiment_that_it_cannot_play(url, wrong):
    spoil(url, wrong)
    with Service(url, warm_up=False) as service:
        service.ask(Create("good", definition()))
        check(service)


@pytest.mark.parametrize("wrong", ["policy", "event"])
def test_a_server_goes_on_beside_an_experiment_that_it_cannot_play(url, wrong):
    with Service(url, warm_up=False) as service:
        service.ask(Create("good", definition()))
        spoil(url, wrong)
        check(service)


def test_a_wrong_event_of_another_server_ends_its_experiment_alone(url, monkeypatch):
    monkeypatch.setattr(worker, "POLL", 3600.0)  # found by the request itself
    with Service(url, warm_up=False) as service:
        service.ask(Create("good", definition()))
        service.ask(Create("broken", definition()))
        with open_store(url) as store:
            number = next(each.number for each in store.experiments() if each.name == "broken")
            with store.writing([number]):
                store.append(number, [WRONG])
        for request in (Decide("broken"), AddArms("broken", [[2.0]])):
            with pytest.raises(PolicyFailedError, match="broken"):
                service.ask(request, timeout=20)
        assert service.ask(Decide("good"), timeout=20).new


def test_idle_servers_do_not_read_the_arms_of_experiments_again(url, monkeypatch):
    with Service(url, warm_up=False) as service:
        service.ask(Create("good", definition(grid=None, points=np.arange(10.0)[:, None])))
        later(service)
        with open_store(url) as store:
            kind = type(store)
        read, rows = [], kind.experiments
        monkeypatch.setattr(kind, "experiments", lambda *given, **more: read.append(rows(*given, **more)) or read[-1])
        later(service)
        assert len(read) > 1
        assert not any(read)
