"""A back-up taken while the service serves, restored: the same decisions, rewards and choices."""

import apsw
import numpy as np
import pytest

from quickdraw_service.errors import UnknownDecisionError
from quickdraw_service.requests import Create, Decide, Definition, Reward
from quickdraw_service.service import Service

PRICES = Definition((0.0, 1.0, 50), None, "euclidean", None, "QuickDraw", {}, 0.05, 0, None)


def play(service, first, last):
    for k in range(first, last):
        decision = service.ask(Decide("prices", id=f"d{k}", time=float(k))).decisions[0]
        service.ask(Reward("prices", [decision.id], [float(np.cos(decision.arm / 7 + k / 40))]))


def test_a_back_up_holds_all_that_was_acknowledged_before_it(tmp_path):
    with Service(f"sqlite:///{tmp_path}/shop.db", warm_up=False) as service:
        service.ask(Create("prices", PRICES))
        play(service, 0, 120)
        reader = apsw.Connection(f"{tmp_path}/shop.db")
        reader.execute("VACUUM INTO ?", (f"{tmp_path}/backup.db",))
        reader.close()
        expected = [service.ask(Decide("prices", id=f"next{k}", time=120.0 + k)).decisions[0] for k in range(30)]
        before = [service.decision("prices", f"d{k}") for k in range(120)]
    with Service(f"sqlite:///{tmp_path}/backup.db", warm_up=False) as restored:
        assert [restored.decision("prices", f"d{k}") for k in range(120)] == before
        with pytest.raises(UnknownDecisionError):
            restored.decision("prices", "next0")
        again = [restored.ask(Decide("prices", id=f"next{k}", time=120.0 + k)).decisions[0] for k in range(30)]
    assert again == expected
