"""A cluster that does not start in time is started again."""

import sys
from types import SimpleNamespace

import pytest

from quickdraw_bandits.distributed import cluster as module

LATE = "The current node timed out during startup. This could happen because some of the raylet failed to startup"


@pytest.fixture
def failing(monkeypatch):
    """Return a function that puts a module in the place of Ray, whose ``init`` fails in these ways."""

    def fail(errors):
        calls = []

        def init(**options):
            calls.append(options)
            if errors:
                raise Exception(errors.pop(0))

        fake = SimpleNamespace(init=init, shutdown=lambda: calls.append("shutdown"))
        monkeypatch.setitem(sys.modules, "ray", fake)
        monkeypatch.setattr(module, "_asks_for_tokens", True)
        return fake, calls

    return fail


def test_a_slow_start_is_repeated(failing):
    fake, calls = failing([LATE, LATE])
    with module.cluster(2) as ray:
        assert ray is fake
        starts = [call for call in calls if call != "shutdown"]
        assert len(starts) == 3
        assert all(start["_node_ip_address"] == "127.0.0.1" for start in starts)
    assert calls[-1] == "shutdown"


def test_any_other_failure_is_told_at_once(failing):
    _, calls = failing(["no memory"])
    with pytest.raises(Exception, match="no memory"), module.cluster(2):
        pass
    assert len(calls) == 1


def test_it_is_not_repeated_for_ever(failing):
    _, calls = failing([LATE] * 50)
    with pytest.raises(Exception, match="timed out during startup"), module.cluster(2):
        pass
    assert len([call for call in calls if call != "shutdown"]) == module.STARTS
