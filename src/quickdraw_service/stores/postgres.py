"""Logs in PostgreSQL, for several machines.

Servers look for events of others by polling. Every transaction reads the tail of its logs under their locks anyway, so
that notifications (LISTEN) would only tell idle servers sooner, at the cost of a connection that must be watched.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import psycopg

from quickdraw_service.errors import UnavailableError, UnusableStoreError
from quickdraw_service.keys import Key
from quickdraw_service.stores.store import (
    DECISION,
    DECISIONS,
    Event,
    LoggedDecision,
    Snapshot,
    Store,
    StoredExperiment,
    key_as_row,
    key_from_row,
    parts,
    too_new,
)

SECONDS = 10
"""How long to wait for a connection or a lock, in seconds."""
SETTINGS = {
    "synchronous_commit": "on",  # whatever the server's default is: an answer means durable
    "lock_timeout": f"{SECONDS}s",
    "statement_timeout": "60s",
    "idle_in_transaction_session_timeout": f"{SECONDS}s",  # a server that hangs does not stop the others for good
    "client_encoding": "UTF8",
}
ALIVE: dict[str, Any] = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
"""Seconds and milliseconds after which a connection that nobody answers counts as lost."""
LOCKS = 0x71647277
"""First half of the names of this package's advisory locks; the second is an experiment's number, 0 for all else."""
STEPS = (
    """
    CREATE TABLE experiments (
        number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, definition text NOT NULL,
        points bytea, created double precision NOT NULL
    );
    CREATE TABLE log (
        experiment integer NOT NULL, position bigint NOT NULL, kind text NOT NULL, id text,
        at double precision NOT NULL, time double precision NOT NULL, arm bigint NOT NULL,
        value double precision NOT NULL, body bytea,
        PRIMARY KEY (experiment, position)
    );
    CREATE UNIQUE INDEX log_id ON log (experiment, id, kind) WHERE id IS NOT NULL;
    """,
    """
    CREATE TABLE snapshots (
        experiment integer NOT NULL, position bigint NOT NULL, part integer NOT NULL, parts integer NOT NULL,
        bytes bytea NOT NULL, PRIMARY KEY (experiment, position, part)
    );
    """,
    """
    CREATE TABLE keys (
        id text PRIMARY KEY, digest bytea NOT NULL, roles text NOT NULL, experiments text, note text NOT NULL,
        created double precision NOT NULL, revoked double precision
    );
    """,
)
"""What makes each format from the one before; the number of steps done is in the table ``meta``."""
EVENT = "position, kind, id, at, time, arm, value, body"
TYPES = ("bigint", "text", "text", "double precision", "double precision", "bigint", "double precision", "bytea")
LARGEST = 2**63 - 1


class PostgresStore(Store):
    """A database of a PostgreSQL server; the tables are made where there are none.

    Parameters
    ----------
    url
        ``postgresql://user@host:port/database``, with any parameters of libpq.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._db: psycopg.Connection[Any] | None = None
        self._connect()
        try:
            with self._translated():
                self._upgrade()
        except BaseException:
            self.close()
            raise

    def _connect(self) -> None:
        options = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items() if name != "client_encoding")
        try:
            self._db = psycopg.connect(
                self._url, autocommit=True, connect_timeout=SECONDS, options=options, client_encoding="UTF8", **ALIVE
            )
        except psycopg.ProgrammingError as error:
            raise UnusableStoreError(f"store must be postgresql://user@host:port/database: {error}") from error
        except psycopg.Error as error:
            # The message names host and user, and no password.
            raise UnavailableError(f"the store cannot be reached: {_line(error)}", "is the server running?") from error

    def _run(self, statement: str, values: Sequence[Any] = ()) -> psycopg.Cursor[Any]:
        if self._db is None or self._db.closed:
            raise UnavailableError("the connection to the store is lost", "try again")
        # Results come as bytes and numbers: nothing is written as text and read again.
        return self._db.cursor(binary=True).execute(statement.encode(), values)

    def _upgrade(self) -> None:
        if self._format() == len(STEPS):
            return
        with self.writing([]):
            found = self._format()  # another server may have done it meanwhile
            if found > len(STEPS):
                raise too_new(found, len(STEPS))
            for step in STEPS[found:]:
                assert self._db is not None
                self._db.execute(step.encode())
            self._run("CREATE TABLE IF NOT EXISTS meta (key text PRIMARY KEY, value integer NOT NULL)")
            self._run(
                "INSERT INTO meta VALUES ('format', %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (len(STEPS),),
            )

    def _format(self) -> int:
        if self._run("SELECT to_regclass('meta')::text").fetchone()[0] is None:  # type: ignore[index]
            return 0
        return int(self._run("SELECT value FROM meta WHERE key = 'format'").fetchone()[0])  # type: ignore[index]

    def again(self) -> Self:
        """Open another connection to the same database."""
        return type(self)(self._url)

    def close(self) -> None:
        """Close the connection."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def reconnect(self) -> None:
        """Open a new connection if this one is lost, and write to the database."""
        if self._db is None or self._db.closed or self._db.broken:
            self.close()
            self._connect()
        with self.writing([]):
            self._run("INSERT INTO meta VALUES ('probe', 1) ON CONFLICT (key) DO UPDATE SET value = 1")

    @contextmanager
    def writing(self, experiments: Sequence[int]) -> Iterator[None]:
        """Begin a transaction, and take the locks of the experiments in the order of their numbers."""
        with self._translated():
            self._run("BEGIN")
            try:
                for number in sorted(experiments) or [0]:
                    self._run("SELECT pg_advisory_xact_lock(%s, %s)", (LOCKS, number))
                yield
                self._run("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    def _roll_back(self) -> None:
        if self._db is None or self._db.closed:
            return
        try:
            self._run("ROLLBACK")
        except psycopg.Error:
            self._db.close()  # the server ends the transaction

    def experiments(self, after: int = 0) -> list[StoredExperiment]:
        """Return all experiments, or those made after one."""
        with self._translated():
            rows = self._run(
                "SELECT number, name, definition, points, created FROM experiments WHERE number > %s ORDER BY number",
                (after,),
            )
            return [StoredExperiment._make(row) for row in rows]

    def create(self, name: str, definition: str, points: bytes | None, created: float) -> tuple[StoredExperiment, bool]:
        """Add an experiment, unless there is one of this name."""
        with self.writing([]):
            added = self._run(
                "INSERT INTO experiments (name, definition, points, created) VALUES (%s, %s, %s, %s) "
                "ON CONFLICT DO NOTHING RETURNING number",
                (name, definition, points, created),
            ).fetchone()
            if added is not None:  # what was given need not be read again: arms may be many
                return StoredExperiment(added[0], name, definition, points, created), True
            rows = self._run(
                "SELECT number, name, definition, points, created FROM experiments WHERE name = %s", (name,)
            )
            return StoredExperiment._make(rows.fetchone() or ()), False

    def append(self, experiment: int, events: Sequence[Event]) -> None:
        """Write events, all in one statement."""
        arrays = ", ".join(f"%s::{kind}[]" for kind in TYPES)
        with self._translated():
            self._run(
                f"INSERT INTO log (experiment, {EVENT}) SELECT {experiment:d}, * FROM unnest({arrays})",
                [list(column) for column in zip(*events, strict=True)],
            )

    def tail(self, experiment: int, after: int, limit: int) -> list[Event]:
        """Return the events behind a position."""
        with self._translated():
            rows = self._run(
                f"SELECT {EVENT} FROM log WHERE experiment = %s AND position > %s ORDER BY position LIMIT %s",
                (experiment, after, limit),
            )
            return [Event._make(row) for row in rows]

    def last_position(self, experiment: int) -> int:
        """Return the position of the last event."""
        with self._translated():
            row = self._run("SELECT max(position) FROM log WHERE experiment = %s", (experiment,)).fetchone()
            return (row and row[0]) or 0

    def find(self, experiment: int, ids: Iterable[str]) -> dict[tuple[str, str], Event]:
        """Return all events with these ids."""
        with self._translated():
            rows = self._run(
                f"SELECT {EVENT} FROM log WHERE experiment = %s AND id = ANY(%s::text[])", (experiment, list(ids))
            )
            return {(row[1], row[2]): Event._make(row) for row in rows}

    def decisions(self, experiment: int, after: int, limit: int) -> list[LoggedDecision]:
        """Return decisions behind a position with their rewards."""
        return self._decisions("d.position > %s ORDER BY d.position LIMIT %s", (experiment, after, limit))

    def latest_decisions(self, experiment: int, before: int | None, limit: int) -> list[LoggedDecision]:
        """Return decisions before a position, the newest first."""
        last = LARGEST if before is None else before
        return self._decisions("d.position < %s ORDER BY d.position DESC LIMIT %s", (experiment, last, limit))

    def _decisions(self, which: str, values: Sequence[int]) -> list[LoggedDecision]:
        with self._translated():
            rows = self._run(f"{DECISIONS} WHERE d.experiment = %s AND d.kind = '{DECISION}' AND {which}", values)
            return [LoggedDecision._make(row) for row in rows]

    def snapshot(self, experiment: int) -> Snapshot | None:
        """Return the latest whole snapshot."""
        with self._translated():
            found = self._run(
                "SELECT position FROM snapshots WHERE experiment = %s GROUP BY position HAVING count(*) = max(parts) "
                "ORDER BY position DESC LIMIT 1",
                (experiment,),
            ).fetchone()
            if found is None:
                return None
            rows = self._run(
                "SELECT bytes FROM snapshots WHERE experiment = %s AND position = %s ORDER BY part",
                (experiment, found[0]),
            )
            return Snapshot(found[0], b"".join(row[0] for row in rows))

    def keep_snapshot(self, experiment: int, snapshot: Snapshot) -> None:
        """Write a snapshot, one part per transaction, and delete those before it."""
        pieces = list(parts(snapshot.content))
        with self._translated():
            for part, piece in enumerate(pieces):
                self._run(
                    "INSERT INTO snapshots VALUES (%s, %s, %s, %s, %s) ON CONFLICT (experiment, position, part) "
                    "DO UPDATE SET parts = excluded.parts, bytes = excluded.bytes",
                    (experiment, snapshot.position, part, len(pieces), piece),
                )
            self._run("DELETE FROM snapshots WHERE experiment = %s AND position < %s", (experiment, snapshot.position))

    def keys(self) -> list[Key]:
        """Return all keys."""
        with self._translated():
            rows = self._run("SELECT id, digest, roles, experiments, note, created, revoked FROM keys ORDER BY created")
            return [key_from_row(row) for row in rows]

    def add_key(self, key: Key) -> None:
        """Add a key."""
        with self.writing([]):
            self._run("INSERT INTO keys VALUES (%s, %s, %s, %s, %s, %s, %s)", key_as_row(key))

    def revoke_key(self, id: str, at: float) -> bool:
        """Mark a key as revoked."""
        with self.writing([]):
            return self._run("UPDATE keys SET revoked = %s WHERE id = %s AND revoked IS NULL", (at, id)).rowcount > 0

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn errors of PostgreSQL into one that says what to do."""
        try:
            yield
        except psycopg.errors.LockNotAvailable as error:
            raise UnavailableError(f"another server holds the log: {_line(error)}", "try again") from error
        except psycopg.errors.DiskFull as error:
            raise UnavailableError(f"the store cannot write: {_line(error)}", "free some space on its disk") from error
        except psycopg.Error as error:
            raise UnavailableError(f"the store failed: {_line(error)}", "try again") from error


def _line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
