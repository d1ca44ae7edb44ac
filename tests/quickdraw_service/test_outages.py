"""A store that fails, and comes back: clear errors meanwhile, nothing lost, ready again by itself."""

import apsw
import psycopg
import pytest

from benchmarks.reliability.examples import definition
from benchmarks.reliability.postgres_server import free_port, running
from quickdraw_service import worker
from quickdraw_service.errors import OverloadedError, UnavailableError, UnusableStoreError
from quickdraw_service.learner import Learner
from quickdraw_service.requests import Create, Decide, Reward
from quickdraw_service.service import Service
from quickdraw_service.stores.sqlite import SQLiteStore

SOON = 60.0


@pytest.fixture
def service(tmp_path):
    with Service(f"sqlite:///{tmp_path}/log.db", warm_up=False) as found:
        found.ask(Create("prices", definition()))
        yield found


def wait_for(service, ready):
    worker = service._worker
    with worker.changed:
        assert worker.changed.wait_for(lambda: worker.ready is ready, SOON)


def asked_until_answered(service, request):
    """Ask again where the store failed, at most twice; return the answer and how often it failed."""
    for lost in range(2):
        try:
            return service.ask(request), lost
        except UnavailableError:
            assert service.wait_until_ready(SOON)
    return service.ask(request), 2


def test_postgres_may_be_restarted_and_cut_off():
    with running() as server:
        url = server.new_database()
        with Service(url, warm_up=False) as service:
            service.ask(Create("prices", definition()))
            made = service.ask(Decide("prices", id="a")).decisions
            server.stop("immediate")
            wait_for(service, False)  # noticed by polling
            with pytest.raises(UnavailableError):
                service.ask(Decide("prices", id="b"))
            with pytest.raises(UnavailableError):
                service.decision("prices", "a")
            server.start()
            wait_for(service, True)
            assert service.ask(Decide("prices", id="a")).decisions == made
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            # A connection may be lost before its commit, or after it.
            outcome, lost = asked_until_answered(service, Reward("prices", ["a"], [0.5]))
            assert outcome.outcomes == ["recorded"] or (lost and outcome.outcomes == ["duplicate"])
            assert service.decision("prices", "a").reward == 0.5


def test_a_postgres_server_that_comes_late_is_waited_for():
    with running() as server:
        url = server.new_database()
        server.stop()
        service = Service(url, warm_up=False)
        service.start()
        assert not service.wait_until_ready(0.2)
        server.start()
        assert service.wait_until_ready(SOON)
        assert service.stop(SOON)


def test_a_full_disk_is_said_and_loses_nothing(service, monkeypatch):
    store = service._worker._store
    limit = f"PRAGMA max_page_count = {store._run('PRAGMA page_count').get + 2}"
    monkeypatch.setattr(SQLiteStore, "settings", f"{SQLiteStore.settings}; {limit}")  # of connections from now on
    store._run(limit).fetchall()
    done = []

    def fill():
        for k in range(10_000):
            service.ask(Decide("prices", id=f"{k}-{'x' * 100}"))
            done.append(f"{k}-{'x' * 100}")

    with pytest.raises(UnavailableError, match="cannot write") as error:
        fill()
    assert error.value.advice == "free some space on its disk"
    monkeypatch.undo()
    assert service.wait_until_ready(SOON)
    assert all(not service.ask(Decide("prices", id=each)).new for each in done)
    # The worker may have opened its new connection while the disk was still full: one more refusal then.
    assert asked_until_answered(service, Decide("prices", id=f"{len(done)}-{'x' * 100}"))[0].new


def test_a_file_that_another_process_holds_is_waited_for_and_then_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr("quickdraw_service.stores.sqlite.BUSY_MS", 50)
    with Service(f"sqlite:///{tmp_path}/log.db", warm_up=False) as service:
        service.ask(Create("prices", definition()))
        other = apsw.Connection(f"{tmp_path}/log.db")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UnavailableError, match="another process holds the store"):
            service.ask(Decide("prices", id="a"))
        assert other.execute("SELECT count(*) FROM log").get == 0  # reading goes on
        other.execute("ROLLBACK")
        other.close()
        assert service.wait_until_ready(SOON)
        assert service.ask(Decide("prices", id="a")).new


def test_too_many_requests_are_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("quickdraw_service.stores.sqlite.BUSY_MS", 60_000)
    delivered = []
    with Service(f"sqlite:///{tmp_path}/log.db", deliver=delivered.extend, capacity=5, warm_up=False) as service:
        service.ask(Create("prices", definition()))
        other = apsw.Connection(f"{tmp_path}/log.db")
        other.execute("BEGIN IMMEDIATE")
        taken = []

        def burst():
            for k in range(20):
                service.submit(Decide("prices", id=f"{k}"), k)
                taken.append(k)

        with pytest.raises(OverloadedError) as error:
            burst()
        assert error.value.retry_after > 0
        assert 5 <= len(taken) <= 5 + 5  # in the queue, and in the hands of the worker
        other.execute("ROLLBACK")
        other.close()
    # Stopping has answered all that was taken.
    assert sorted(ticket for ticket, _ in delivered) == taken
    assert all(answer.new for _, answer in delivered)


def test_a_learner_that_fails_is_loaded_again_and_the_answer_stands(service, monkeypatch):
    service.ask(Decide("prices", id="a"))
    real, failed = Learner._apply, []

    def fails_once(self, event, batch):
        if not failed:
            failed.append(event)
            raise RuntimeError("a fault of the policy")
        real(self, event, batch)

    monkeypatch.setattr(Learner, "_apply", fails_once)
    assert service.ask(Decide("prices", id="b")).new
    assert [event.id for event in failed] == ["b"]
    assert service.experiment("prices").decisions == 2
    assert not service.ask(Decide("prices", id="b")).new


def test_a_store_that_can_never_be_used_ends_the_service(tmp_path):
    service = Service(f"sqlite:///{tmp_path}/no/folder/log.db")
    service.start()
    assert not service.wait_until_ready(SOON)
    assert isinstance(service.failure, UnusableStoreError)


def test_an_sqlite_with_the_bug_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")
    with pytest.raises(UnusableStoreError, match="corrupt"):
        SQLiteStore(f"{tmp_path}/log.db")


def test_a_statement_left_open_does_not_block_the_store_for_good(service):
    made = service.ask(Decide("prices", id="a")).decisions
    store = service._worker._store
    left_open = store._db.execute("SELECT * FROM experiments UNION ALL SELECT * FROM experiments")
    left_open.fetchone()  # what is read now stays as it is for this connection, which cannot write any more ...
    with store.again() as other, other.writing([1]):
        other._run("INSERT INTO meta VALUES ('other', 1)")  # ... once another one has
    with pytest.raises(UnavailableError, match="holds the store"):
        service.ask(Decide("prices", id="b"))
    assert service.wait_until_ready(SOON)
    assert service.ask(Decide("prices", id="a")).decisions == made
    assert service.ask(Decide("prices", id="b")).new


def test_a_store_that_stays_away_is_said_once(monkeypatch, caplog):
    monkeypatch.setattr(worker, "POLL", 0.01)
    service = Service(f"postgresql://quickdraw@127.0.0.1:{free_port()}/none", warm_up=False)
    with caplog.at_level("WARNING", "quickdraw_service"):
        service.start()
        assert not service.wait_until_ready(1.0)
        service.stop()
    assert [record.getMessage()[:37] for record in caplog.records] == ["cannot open the store, trying again: "]
