import fcntl

import pytest

from quickdraw_lab.figures.field_run import FieldRun
from quickdraw_lab.players.contestant import Contestant
from quickdraw_lab.runner.store import open_store
from quickdraw_lab.testbed import FieldSetting

COMMON = {"version": "1", "seed": 0}
RUNS = [FieldRun(FieldSetting(), Contestant("Random"), field) for field in range(3)]
RECORDS = [{"run": run.to_json(), "regret_per_round": 0.1 + field} for field, run in enumerate(RUNS)]


@pytest.fixture
def path(tmp_path):
    with open_store(tmp_path / "runs.jsonl", COMMON, FieldRun) as store:
        for record in RECORDS:
            store.add(record)
    return tmp_path / "runs.jsonl"


def test_keeps_what_was_added(path):
    with open_store(path, COMMON, FieldRun) as store:
        assert store.records == dict(zip(RUNS, RECORDS, strict=True))
        assert not any(map(store.lacks, RUNS))
        assert store.lacks(FieldRun(FieldSetting(), Contestant("Random"), 3))


def test_each_line_is_on_disk_as_soon_as_it_is_added(tmp_path):
    path = tmp_path / "runs.jsonl"
    with open_store(path, COMMON, FieldRun) as store:
        store.add(RECORDS[0])
        assert path.read_bytes().count(b"\n") == 2


def test_a_torn_last_record_is_done_again_wherever_it_was_torn(path):
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(last, len(whole)):
        path.write_bytes(whole[:end])
        with open_store(path, COMMON, FieldRun) as store:
            assert [store.lacks(run) for run in RUNS] == [False, False, True]
            store.add(RECORDS[2])
        with open_store(path, COMMON, FieldRun) as store:
            assert store.records == dict(zip(RUNS, RECORDS, strict=True))


def test_a_changed_byte_is_found(path):
    path.write_bytes(path.read_bytes().replace(b"1.1", b"1.7"))
    with open_store(path, COMMON, FieldRun) as store:
        assert [store.lacks(run) for run in RUNS] == [False, True, False]


def test_a_run_that_failed_is_tried_again_and_then_done(path):
    again = FieldRun(FieldSetting(), Contestant("Random"), 9)
    with open_store(path, COMMON, FieldRun) as store:
        store.add({"run": again.to_json(), "error": "ValueError: no"})
        assert store.lacks(again)
    with open_store(path, COMMON, FieldRun) as store:
        assert store.lacks(again)
        store.add({"run": again.to_json(), "regret_per_round": 1.0})
    with open_store(path, COMMON, FieldRun) as store:
        assert not store.lacks(again)


@pytest.mark.parametrize(
    ("common", "message"),
    [
        ({"version": "1", "seed": 5}, "holds results with seed 0, not 5; choose another --out"),
        ({"version": "2", "seed": 0}, "holds results with version 1, not 2"),
        ({"version": "1"}, "holds results with seed 0, not None"),
    ],
)
def test_refuses_other_results_and_leaves_them(path, common, message):
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message), open_store(path, common, FieldRun):
        pass
    assert path.read_bytes() == before


def test_refuses_what_is_no_store(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text("shopping list\n")
    with pytest.raises(ValueError, match="is not a store of runs"), open_store(path, COMMON, FieldRun):
        pass
    assert path.read_text() == "shopping list\n"


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.touch()
    with open_store(path, COMMON, FieldRun) as store:
        assert store.records == {}


def test_is_for_one_process_at_a_time(path):
    with open_store(path, COMMON, FieldRun), pytest.raises(ValueError, match="is in use by another process"):  # noqa: SIM117
        with open_store(path, COMMON, FieldRun):
            pass


def test_a_new_one_is_for_one_process_as_well(tmp_path):
    """Another process has made the file and holds it, but has not written to it yet."""
    path = tmp_path / "runs.jsonl"
    with path.open("a+b") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match="is in use by another process"), open_store(path, COMMON, FieldRun):
            pass
    assert path.read_bytes() == b""


def test_a_torn_beginning_is_begun_again(path):
    whole = path.read_bytes()
    header = whole[: whole.index(b"\n") + 1]
    for end in range(len(header)):
        path.write_bytes(header[:end])
        with open_store(path, COMMON, FieldRun) as store:
            assert store.records == {}
        assert path.read_bytes() == header
