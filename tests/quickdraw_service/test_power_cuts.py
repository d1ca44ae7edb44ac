"""A few of the power cuts that ``python -m benchmarks.reliability.power_cuts`` makes by the thousand."""

import pytest

from benchmarks.reliability.disk import DiskVFS
from benchmarks.reliability.power_cuts import ExclusiveStore, Traffic, cut, tear


@pytest.fixture(scope="module")
def vfs():
    return DiskVFS("quickdraw-test-disk")


def test_no_acknowledged_event_is_lost_when_power_is_cut(vfs):
    cut(Traffic(vfs, transactions=80, seed=0), vfs, cuts=200, seed=0)


def test_no_acknowledged_event_is_lost_when_a_write_is_torn(vfs):
    assert tear(Traffic(vfs, transactions=4, seed=0), vfs, transactions=1, step=211) > 20


def test_the_shim_finds_commits_that_are_not_synced(vfs, monkeypatch):
    monkeypatch.setattr(ExclusiveStore, "settings", ExclusiveStore.settings.replace("EXTRA", "NORMAL"))
    traffic = Traffic(vfs, transactions=80, seed=0)
    with pytest.raises(AssertionError, match="events lost"):
        cut(traffic, vfs, cuts=200, seed=0)
