"""Logs in PostgreSQL, for several machines.

Servers look for events of others by polling. Every transaction reads the tail of its logs under their locks anyway, so
that notifications (LISTEN) would only tell idle servers sooner, at the cost of a connection that must be watched.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import psycopg

from quickdraw_service.errors import UnavailableError, UnusableStoreError
from quickdraw_service.stores.sql import EVENT, SQLStore, Value
from quickdraw_service.stores.store import Event, Snapshot, parts

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
    CREATE TABLE meta (key text PRIMARY KEY, value integer NOT NULL);
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
TYPES = ("bigint", "text", "text", "double precision", "double precision", "bigint", "double precision", "bytea")


class PostgresStore(SQLStore):
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
                self._upgrade(STEPS)
        except BaseException:
            self.close()
            raise

    def _connect(self) -> None:
        self._check_ports()
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

    def _check_ports(self) -> None:
        """Refuse ports that are no numbers, which psycopg reports as if the server did not answer."""
        try:
            ports = str(psycopg.conninfo.conninfo_to_dict(self._url).get("port") or "")
        except psycopg.ProgrammingError:
            return  # connecting says what is wrong
        wrong = [port for port in ports.split(",") if port and not (port.isdecimal() and 0 < int(port) < 2**16)]
        if wrong:
            raise UnusableStoreError(f"store must have a port from 1 to 65535, got {wrong[0]!r}")

    def _run(self, statement: str, values: Sequence[Any] = ()) -> psycopg.Cursor[Any]:
        if self._db is None or self._db.closed:
            raise UnavailableError("the connection to the store is lost", "try again")
        # Results come as bytes and numbers: nothing is written as text and read again.
        return self._db.cursor(binary=True).execute(statement.replace("?", "%s").encode(), values)

    def _rows(self, statement: str, values: Sequence[Value] = ()) -> list[tuple[Any, ...]]:
        with self._translated():
            found = self._run(statement, values)
            return [] if found.description is None else found.fetchall()

    def _script(self, statements: str) -> None:
        assert self._db is not None
        self._db.execute(statements.encode())

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
                    self._run("SELECT pg_advisory_xact_lock(?, ?)", (LOCKS, number))
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

    def append(self, experiment: int, events: Sequence[Event]) -> None:
        """Write events, all in one statement."""
        arrays = ", ".join(f"?::{kind}[]" for kind in TYPES)
        with self._translated():
            self._run(
                f"INSERT INTO log (experiment, {EVENT}) SELECT {experiment:d}, * FROM unnest({arrays})",
                [list(column) for column in zip(*events, strict=True)],
            )

    def find(self, experiment: int, ids: Iterable[str]) -> dict[tuple[str, str], Event]:
        """Return all events with these ids."""
        with self._translated():
            rows = self._run(
                f"SELECT {EVENT} FROM log WHERE experiment = ? AND id = ANY(?::text[])", (experiment, list(ids))
            )
            return {(row[1], row[2]): Event._make(row) for row in rows}

    def keep_snapshot(self, experiment: int, snapshot: Snapshot) -> None:
        """Write a snapshot, one part per transaction, and delete those before it."""
        pieces = list(parts(snapshot.content))
        with self._translated():
            for part, piece in enumerate(pieces):
                self._run(
                    "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?) ON CONFLICT (experiment, position, part) "
                    "DO UPDATE SET parts = excluded.parts, bytes = excluded.bytes",
                    (experiment, snapshot.position, part, len(pieces), piece),
                )
            self._run("DELETE FROM snapshots WHERE experiment = ? AND position < ?", (experiment, snapshot.position))

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
