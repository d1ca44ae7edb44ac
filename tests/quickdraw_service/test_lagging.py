"""Questions to a server that has not yet read what another one wrote."""

import pytest

from benchmarks.reliability.examples import definition
from quickdraw_service import worker
from quickdraw_service.errors import UnavailableError, UnknownExperimentError
from quickdraw_service.requests import AddArms, Create, Decide, Reward
from quickdraw_service.service import Service


@pytest.fixture
def servers(url, monkeypatch):
    """Two servers of one store; the second reads nothing by itself."""
    monkeypatch.setattr(worker, "POLL", 3600.0)
    with Service(url, warm_up=False) as first, Service(url, warm_up=False) as second:
        yield first, second


def test_an_experiment_that_another_server_made_is_found(servers):
    first, second = servers
    first.ask(Create("prices", definition()))
    assert second.experiment("prices").name == "prices"
    assert second.decisions("prices") == []
    with pytest.raises(UnknownExperimentError):
        second.experiment("ads")


@pytest.mark.parametrize("labels", [None, ["new"]])
def test_arms_that_another_server_added_are_shown(servers, labels):
    first, second = servers
    given = None if labels is None else [f"arm-{k}" for k in range(20)]
    first.ask(Create("prices", definition(grid=(0.0, 1.0, 20), labels=given)))
    assert second.experiment("prices").n_arms == 20
    ask = {
        "decision": lambda k: second.decision("prices", f"d{k}"),
        "decisions": lambda k: second.decisions("prices")[0],
        "history": lambda k: second.history("prices").chosen.ids[-1],
        "log": lambda k: next(iter(second.log("prices"))).labels,
    }
    if labels is None:
        ask["explain"] = lambda k: second.explain("prices", 20 + k)
    found = {}
    for k, (name, question) in enumerate(ask.items()):
        new = first.ask(AddArms("prices", [[2.0 + k]], None if labels is None else [f"new-{k}"])).positions
        decided = first.ask(Decide("prices", id=f"d{k}", time=float(k), among=new)).decisions[0]
        first.ask(Reward("prices", [decided.id], [0.5]))
        found[name] = question(k)
    assert (found["decision"].arm, found["decision"].point) == (20, [2.0])
    assert (found["decisions"].arm, found["decisions"].reward) == (21, 0.5)
    assert found["history"] == "d2"
    assert labels or found["explain"].arm == 24
    assert found["log"] == (None if labels is None else [f"new-{k}" for k in range(4)])


def test_nothing_is_said_to_be_missing_before_the_log_is_read(url):
    with Service(url, warm_up=False) as service:
        service.ask(Create("prices", definition()))
    starting = Service(url, warm_up=False)
    with pytest.raises(UnavailableError):
        starting.experiment("prices")
    with pytest.raises(UnavailableError):
        starting.experiments()
