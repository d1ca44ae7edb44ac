"""What every store promises."""

import sys
import threading

import apsw
import psycopg
import pytest

from quickdraw_service.errors import UnavailableError, UnusableStoreError
from quickdraw_service.keys import new_key
from quickdraw_service.stores import Event, open_store
from quickdraw_service.stores.store import PART, LoggedDecision, Snapshot


@pytest.fixture
def store(url):
    with open_store(url) as found:
        yield found


def decision(position, id, value=0.5, body=None):
    return Event(position, "decision", id, 1000.1 + position, 0.1 * position, position, value, body)


def reward(position, id, value):
    return Event(position, "reward", id, 1000.1 + position, 0.3, 4, value, None)


def write(store, experiment, *events):
    with store.writing([experiment]):
        store.append(experiment, events)


def test_events_come_back_as_they_were(store):
    events = [decision(1, "a", 1 / 3), reward(2, "a", -1e-300), decision(3, "ü " + chr(0x1F600), body=b"\0\xff")]
    write(store, 1, *events)
    write(store, 2, decision(1, "a"))
    assert store.tail(1, 0, 10) == events
    assert store.tail(1, 1, 1) == events[1:2]
    assert (store.last_position(1), store.last_position(2), store.last_position(3)) == (3, 1, 0)
    assert store.find(1, ["a", "b"]) == {("decision", "a"): events[0], ("reward", "a"): events[1]}
    assert store.find(1, []) == {}


def test_decisions_come_with_their_rewards_in_both_orders(store):
    write(store, 1, decision(1, "a"), decision(2, "b"), reward(3, "b", 0.25), decision(4, "c"))
    rows = [
        LoggedDecision(1, "a", 0.1, 1, 0.5, None),
        LoggedDecision(2, "b", 0.2, 2, 0.5, 0.25),
        LoggedDecision(4, "c", 0.4, 4, 0.5, None),
    ]
    assert store.decisions(1, 0, 10) == rows
    assert store.decisions(1, 1, 1) == rows[1:2]
    assert store.latest_decisions(1, None, 2) == rows[:0:-1]
    assert store.latest_decisions(1, 2, 5) == rows[:1]


def test_nothing_is_kept_of_a_transaction_that_fails(store):
    with pytest.raises(UnavailableError):
        write(store, 1, decision(1, "a"), decision(1, "b"))
    assert store.tail(1, 0, 10) == []
    write(store, 1, decision(1, "a"))
    for wrong in (decision(1, "b"), decision(2, "a")):
        with pytest.raises(UnavailableError):
            write(store, 1, decision(5, "c"), wrong)
    assert [event.id for event in store.tail(1, 0, 10)] == ["a"]


def test_the_same_id_may_stand_for_a_decision_its_reward_and_other_experiments(store):
    write(store, 1, decision(1, "a"), reward(2, "a", 1.0))
    write(store, 2, decision(1, "a"))
    with pytest.raises(UnavailableError):
        write(store, 1, reward(3, "a", 2.0))


def test_a_writer_waits_for_another_one(store):
    order = []
    with store.again() as other:

        def follow():
            with other.writing([1]):
                order.append([event.position for event in other.tail(1, 0, 10)])

        thread = threading.Thread(target=follow)
        with store.writing([1]):
            thread.start()
            store.append(1, [decision(1, "a")])
            order.append("first")
        thread.join()
    assert order == ["first", [1]]


def test_experiments_are_created_once(store):
    first, new = store.create("one", "{}", b"\0points", 17.5)
    assert new is True
    assert store.create("one", "{other}", None, 18.0) == (first, False)
    second, _ = store.create("two", "{}", None, 18.0)
    assert store.experiments() == [first, second]
    assert (first.name, first.definition, first.points, first.created) == ("one", "{}", b"\0points", 17.5)


def test_the_latest_whole_snapshot_is_found(store):
    assert store.snapshot(1) is None
    large = bytes(range(256)) * (PART // 128)
    store.keep_snapshot(1, Snapshot(5, b"small"))
    store.keep_snapshot(1, Snapshot(7, large))
    store.keep_snapshot(2, Snapshot(9, b""))
    assert store.snapshot(1) == Snapshot(7, large)
    assert store.snapshot(2) == Snapshot(9, b"")


def test_a_snapshot_that_was_not_finished_is_left_aside(store, monkeypatch):
    store.keep_snapshot(1, Snapshot(5, b"whole"))
    pieces = iter([b"a"])
    module = type(store).__module__
    monkeypatch.setattr(f"{module}.parts", lambda content: _Broken(pieces))
    with pytest.raises(RuntimeError):
        store.keep_snapshot(1, Snapshot(6, b"ab"))
    assert store.snapshot(1) == Snapshot(5, b"whole")


class _Broken(list):
    """Two parts, of which the second cannot be written."""

    def __init__(self, pieces):
        super().__init__([*pieces, None])

    def __iter__(self):
        yield self[0]
        raise RuntimeError


def test_keys_are_kept_and_revoked(store):
    key, _ = new_key(["decide", "reward"], ["prices"], note="for the shop")
    other, _ = new_key(["admin"])
    store.add_key(key)
    store.add_key(other)
    assert sorted(store.keys(), key=lambda each: each.id) == sorted([key, other], key=lambda each: each.id)
    assert store.revoke_key(key.id, 5.0) is True
    assert store.revoke_key(key.id, 6.0) is False
    assert store.revoke_key("unknown", 6.0) is False
    assert {each.id: each.revoked for each in list(store.keys())} == {key.id: 5.0, other.id: None}


def test_what_was_written_is_there_after_opening_again(url):
    with open_store(url) as store:
        write(store, 1, decision(1, "a"))
    with open_store(url) as store:
        assert [event.id for event in store.tail(1, 0, 10)] == ["a"]


def test_a_closed_store_says_so_and_can_be_opened_again(store):
    store.close()
    with pytest.raises(UnavailableError):
        store.experiments()
    store.reconnect()
    assert store.experiments() == []


def undo_steps(url):
    """Make a store of the first format."""
    statements = "DROP TABLE snapshots; DROP TABLE keys; UPDATE meta SET value = 1 WHERE key = 'format'"
    if url.startswith("sqlite"):
        connection = apsw.Connection(url.removeprefix("sqlite:///"))
    else:
        connection = psycopg.connect(url, autocommit=True)
    connection.execute(statements)
    connection.close()


def test_an_older_store_is_brought_to_this_format(url, monkeypatch):
    with open_store(url) as store:
        module = sys.modules[type(store).__module__]
    undo_steps(url)
    with open_store(url) as store:
        write(store, 1, decision(1, "a"))
        store.keep_snapshot(1, Snapshot(1, b"x"))
        assert store.snapshot(1) == Snapshot(1, b"x")
        assert store.keys() == []
    monkeypatch.setattr(module, "STEPS", module.STEPS[:2])
    with pytest.raises(UnusableStoreError, match="format 3"):
        open_store(url)


@pytest.mark.parametrize(
    "wrong",
    [
        "sqlite://",
        "sqlite:///",
        "mysql://x/y",
        "log.db",
        "sqlite:////no/such/folder/log.db",
        "postgresql://127.0.0.1:abc/log",
        "postgresql://127.0.0.1:70000/log",
    ],
)
def test_a_wrong_address_is_refused(wrong):
    with pytest.raises(UnusableStoreError, match=r"store must|folder"):
        open_store(wrong)


def test_a_file_that_is_no_store_is_refused(tmp_path):
    path = tmp_path / "text.db"
    path.write_text("not a database, but long enough to be read as one " * 100)
    with pytest.raises(UnusableStoreError, match="SQLite file"):
        open_store(f"sqlite:///{path}")
    assert path.read_text().startswith("not a database")


def test_a_file_of_another_program_is_refused_and_left_as_it_was(tmp_path):
    path = tmp_path / "other.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE customers (name TEXT); CREATE TABLE meta (key TEXT, value TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(UnusableStoreError, match="other tables: customers, meta"):
        open_store(f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_a_file_that_was_cut_off_is_refused(tmp_path):
    path = tmp_path / "log.db"
    with open_store(f"sqlite:///{path}") as store:
        write(store, 1, decision(1, "a"))
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(UnusableStoreError, match="damaged or incomplete"):
        open_store(f"sqlite:///{path}")


def test_a_server_that_cannot_be_reached_is_unavailable():
    with pytest.raises(UnavailableError, match="cannot be reached"):
        open_store("postgresql://quickdraw@127.0.0.1:1/none")


def test_sqlite_syncs_every_commit(tmp_path):
    with open_store(f"sqlite:///{tmp_path}/log.db") as store:
        assert store._run("PRAGMA journal_mode").get == "wal"
        assert store._run("PRAGMA synchronous").get == 3
    assert (tmp_path / "log.db").exists()


def test_events_are_found_by_an_index(tmp_path):
    with open_store(f"sqlite:///{tmp_path}/log.db") as store:
        asked = []
        store._db.set_exec_trace(lambda cursor, statement, values: asked.append(statement) or True)
        store.find(1, ["a"])
        store._db.set_exec_trace(None)
        plan = store._db.execute(f"EXPLAIN QUERY PLAN {asked[0]}", ("a",)).fetchall()
        assert "USING INDEX log_id (experiment=? AND id=?)" in str(plan)
