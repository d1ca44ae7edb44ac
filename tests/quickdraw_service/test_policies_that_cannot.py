"""Policies that fail, that have no estimate; and ids that no address can hold."""

import numpy as np
import pytest

from benchmarks.reliability.examples import definition
from quickdraw_service.errors import BadRequestError, PolicyFailedError
from quickdraw_service.requests import AddArms, Create, Decide, Reward
from quickdraw_service.service import Service


@pytest.fixture
def service(tmp_path):
    with Service(f"sqlite:///{tmp_path}/log.db", warm_up=False) as found:
        found.ask(Create("prices", definition()))
        yield found


def decide(service, **given):
    return service.ask(Decide("prices", **given)).decisions


def test_a_policy_that_fails_is_no_reason_to_try_again(service, monkeypatch):
    service.ask(Create("other", definition()))
    monkeypatch.setattr(service._worker.experiments["prices"].learner, "choose", lambda *_: 1 / 0)
    with pytest.raises(PolicyFailedError, match="ZeroDivisionError") as found:
        decide(service)
    assert (found.value.status, found.value.code) == (500, "policy_failed")
    assert service.ready
    assert service.ask(Decide("other")).new
    service._worker.experiments["prices"].failed = True
    with pytest.raises(PolicyFailedError, match="cannot be loaded"):
        decide(service)


@pytest.mark.parametrize("id", [".", ".."])
def test_ids_that_addresses_cannot_hold_are_refused(service, id):
    with pytest.raises(BadRequestError, match=r"not \. or \.\."):
        decide(service, id=id)


def test_decisions_of_a_policy_without_an_estimate_are_shown_all_the_same(service):
    service.ask(Create("restless", definition(policy="Restless", parameters={})))
    service.ask(Decide("restless", "a", time=1.0))
    service.ask(Reward("restless", ["a"], [0.5]))
    found = service.history("restless")
    assert (found.chosen.ids, found.chosen.rewards) == (["a"], [0.5])
    assert np.isnan(found.mean).all()
    with pytest.raises(BadRequestError):
        service.belief("restless")


def test_scales_are_shown_in_the_order_of_their_times(service):
    service.ask(Create("adaptive", definition(policy="AdaptiveQuickDraw", parameters={})))
    for k in range(160):
        time = float((k * 37) % 160)
        service.ask(Decide("adaptive", f"a{k}", time=time))
        service.ask(Reward("adaptive", [f"a{k}"], [np.sin(time / 20)]))
    times = [each.time for each in service.history("adaptive").scales]
    assert len(times) > 5
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("policy", "parameters", "point", "message"),
    [
        ("HOO", {}, 0.123, "a grid for HOO"),
        ("QuickDraw", {}, 1e99, "units from 0"),
        ("AdaptiveQuickDraw", {}, -1e99, "units from 0"),
    ],
)
def test_arms_that_no_learner_could_take_are_not_written(service, policy, parameters, point, message):
    """An event in the log that cannot be applied would stop every server for good."""
    service.ask(Create("other", definition(policy=policy, parameters=parameters)))
    with pytest.raises(BadRequestError, match=message):
        service.ask(AddArms("other", np.array([[point]])))
    assert service.ask(Decide("other")).new
    assert len(service._worker.experiments["other"].learner.arms) == 20
