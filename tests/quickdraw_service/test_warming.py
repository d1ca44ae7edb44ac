"""A server that compiles ahead: its choices never depend on which code happens to be compiled."""

import pytest

from benchmarks.reliability.examples import Clock
from quickdraw_bandits.interpolation import aside
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_service import warming
from quickdraw_service.requests import Create, Decide, Definition, Reward
from quickdraw_service.service import Service


class OnItsWay:
    """Code that a helper would still be compiling."""

    is_missing = True

    def give_up(self):
        self.is_missing = False


@pytest.mark.slow
def test_no_decision_of_a_warm_server_is_made_without_compiled_code(tmp_path, monkeypatch):
    """Else the round in which ``auto`` changes would depend on the machine, and replays on where they are made."""
    code = OnItsWay()
    monkeypatch.setattr(aside, "_codes", {"d": code})
    monkeypatch.setattr(warming, "_warmed", set())
    monkeypatch.setattr(DirectSum, "_plainly", None)
    definition = Definition((0.0, 1.0, 50), None, "euclidean", None, "QuickDraw", {}, 0.05, 0, None)
    with Service(f"sqlite:///{tmp_path}/log.db", clock=Clock()) as service:
        service.ask(Create("prices", definition))
        assert not code.is_missing
        for _ in range(5):
            (decision,) = service.ask(Decide("prices")).decisions
            service.ask(Reward("prices", [decision.id], [0.5]))
