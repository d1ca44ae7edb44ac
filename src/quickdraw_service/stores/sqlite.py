"""Logs in one SQLite file."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import apsw

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

OLDEST = (3, 51, 3)
"""SQLite before this version can corrupt a file in WAL mode."""
BUSY_MS = 10_000
"""How long a writer waits for another process, in milliseconds."""
STEPS = (
    """
    CREATE TABLE experiments (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL, points BLOB,
        created REAL NOT NULL
    ) STRICT;
    CREATE TABLE log (
        experiment INTEGER NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT, at REAL NOT NULL,
        time REAL NOT NULL, arm INTEGER NOT NULL, value REAL NOT NULL, body BLOB, PRIMARY KEY (experiment, position)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX log_id ON log (experiment, id, kind) WHERE id IS NOT NULL;
    """,
    """
    CREATE TABLE snapshots (
        experiment INTEGER NOT NULL, position INTEGER NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL,
        bytes BLOB NOT NULL, PRIMARY KEY (experiment, position, part)
    ) STRICT;
    """,
    """
    CREATE TABLE keys (
        id TEXT PRIMARY KEY, digest BLOB NOT NULL, roles TEXT NOT NULL, experiments TEXT, note TEXT NOT NULL,
        created REAL NOT NULL, revoked REAL
    ) STRICT;
    """,
)
"""What makes each format from the one before; the number of steps done is in the table ``meta``."""
EVENT = "position, kind, id, at, time, arm, value, body"
LARGEST = 2**63 - 1
Value = None | int | float | str | bytes


class SQLiteStore(Store):
    """A file in WAL mode, every commit synced to the disk. Other processes may read it, and write by this class.

    Parameters
    ----------
    path
        The file; made where there is none.
    vfs
        Name of the layer that does input and output, for tests; None for the system's.
    """

    # EXTRA is FULL, and syncs the folder when a journal is deleted: after a power cut, the journal of the transaction
    # that turns a new file to WAL mode would otherwise come back and undo everything.
    settings = "PRAGMA synchronous = EXTRA; PRAGMA cache_size = -65536"

    def __init__(self, path: str, vfs: str | None = None) -> None:
        version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
        if version < OLDEST:
            raise UnusableStoreError(
                f"SQLite {apsw.sqlite_lib_version()} can corrupt files in WAL mode; install apsw 3.51.3 or later, "
                "which brings a newer one"
            )
        if not Path(path).absolute().parent.is_dir():
            raise UnusableStoreError(f"the folder of the store must exist, got {path}")
        self._path, self._vfs = path, vfs
        self._db: apsw.Connection | None = None
        try:
            self._connect()
            with _translated():
                self._upgrade()
        except BaseException:
            self.close()
            raise

    def _connect(self) -> None:
        with _translated():
            self._db = apsw.Connection(self._path, vfs=self._vfs)
            self._db.set_busy_timeout(BUSY_MS)
            self._db.execute(self.settings).fetchall()  # a statement with a result waits for its rows to be read
            self._refuse_tables_of_others()
            self._db.execute("PRAGMA journal_mode = WAL").fetchall()  # the first that changes the file

    def _run(self, statement: str, values: Sequence[Value] = ()) -> apsw.Cursor:
        if self._db is None:
            raise UnavailableError(f"the store {self._path} is closed")
        return self._db.execute(statement, values)

    def _refuse_tables_of_others(self) -> None:
        """Raise UnusableStoreError, before anything is changed, if the file belongs to another program."""
        found = self._run("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        names = {str(name) for (name,) in found}
        if names and not names >= {"meta", "experiments", "log"}:
            raise UnusableStoreError(
                f"the store must be a new file or one that quickdraw made; {self._path} has other tables: "
                f"{', '.join(sorted(names))[:200]}"
            )

    def _upgrade(self) -> None:
        if self._format() == len(STEPS):
            return
        with self.writing([]):
            found = self._format()  # another process may have done it meanwhile
            if found > len(STEPS):
                raise too_new(found, len(STEPS))
            for step in STEPS[found:]:
                self._run(step)
            self._run("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT")
            self._run("INSERT OR REPLACE INTO meta VALUES ('format', ?)", (len(STEPS),))

    def _format(self) -> int:
        if not self._run("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get:
            return 0
        found = self._run("SELECT value FROM meta WHERE key = 'format'").get
        return int(found)

    def again(self) -> Self:
        """Open another connection to the same file."""
        return type(self)(self._path, self._vfs)

    def close(self) -> None:
        """Close the connection."""
        if self._db is not None:
            with _translated():
                self._db.close()
            self._db = None

    def reconnect(self) -> None:
        """Open the file anew, which also ends what a statement may have left open, and write to it."""
        self.close()
        self._connect()
        with self.writing([]):
            self._run("INSERT INTO meta VALUES ('probe', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1")

    @contextmanager
    def writing(self, experiments: Sequence[int]) -> Iterator[None]:
        """Begin a transaction, which locks the whole file for other writers."""
        with _translated():
            self._run("BEGIN IMMEDIATE")
            try:
                yield
                self._run("COMMIT")
            except BaseException:
                if self._db is not None and self._db.in_transaction:
                    self._run("ROLLBACK")
                raise

    def experiments(self, after: int = 0) -> list[StoredExperiment]:
        """Return all experiments, or those made after one."""
        with _translated():
            rows = self._run(
                "SELECT number, name, definition, points, created FROM experiments WHERE number > ? ORDER BY number",
                (after,),
            )
            return [StoredExperiment._make(row) for row in rows]

    def create(self, name: str, definition: str, points: bytes | None, created: float) -> tuple[StoredExperiment, bool]:
        """Add an experiment, unless there is one of this name."""
        with self.writing([]):
            self._run(
                "INSERT INTO experiments (name, definition, points, created) VALUES (?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                (name, definition, points, created),
            )
            assert self._db is not None
            if self._db.changes():  # what was given need not be read again: arms may be many
                return StoredExperiment(self._db.last_insert_rowid(), name, definition, points, created), True
            rows = self._run(
                "SELECT number, name, definition, points, created FROM experiments WHERE name = ?", (name,)
            )
            return StoredExperiment._make(rows.fetchall()[0]), False

    def append(self, experiment: int, events: Sequence[Event]) -> None:
        """Write events."""
        assert self._db is not None
        with _translated():
            self._db.executemany(
                f"INSERT INTO log (experiment, {EVENT}) VALUES ({experiment:d}, ?, ?, ?, ?, ?, ?, ?, ?)", events
            )

    def tail(self, experiment: int, after: int, limit: int) -> list[Event]:
        """Return the events behind a position."""
        with _translated():
            rows = self._run(
                f"SELECT {EVENT} FROM log WHERE experiment = ? AND position > ? ORDER BY position LIMIT ?",
                (experiment, after, limit),
            )
            return [Event._make(row) for row in rows]

    def last_position(self, experiment: int) -> int:
        """Return the position of the last event."""
        with _translated():
            return self._run("SELECT max(position) FROM log WHERE experiment = ?", (experiment,)).get or 0

    def find(self, experiment: int, ids: Iterable[str]) -> dict[tuple[str, str], Event]:
        """Return all events with these ids."""
        assert self._db is not None
        # Left to itself, SQLite reads the whole experiment by its primary key.
        query = f"SELECT {EVENT} FROM log INDEXED BY log_id WHERE experiment = {experiment:d} AND id = ?"
        with _translated():
            rows = self._db.executemany(query, ((each,) for each in ids))
            return {(row[1], row[2]): Event._make(row) for row in rows}

    def decisions(self, experiment: int, after: int, limit: int) -> list[LoggedDecision]:
        """Return decisions behind a position with their rewards."""
        return self._decisions("d.position > ? ORDER BY d.position LIMIT ?", (experiment, after, limit))

    def latest_decisions(self, experiment: int, before: int | None, limit: int) -> list[LoggedDecision]:
        """Return decisions before a position, the newest first."""
        last = LARGEST if before is None else before
        return self._decisions("d.position < ? ORDER BY d.position DESC LIMIT ?", (experiment, last, limit))

    def _decisions(self, which: str, values: Sequence[int]) -> list[LoggedDecision]:
        with _translated():
            rows = self._run(f"{DECISIONS} WHERE d.experiment = ? AND d.kind = '{DECISION}' AND {which}", values)
            return [LoggedDecision._make(row) for row in rows]

    def snapshot(self, experiment: int) -> Snapshot | None:
        """Return the latest whole snapshot."""
        with _translated():
            position = self._run(
                "SELECT position FROM snapshots WHERE experiment = ? GROUP BY position HAVING count(*) = max(parts) "
                "ORDER BY position DESC LIMIT 1",
                (experiment,),
            ).get
            if position is None:
                return None
            rows = self._run(
                "SELECT bytes FROM snapshots WHERE experiment = ? AND position = ? ORDER BY part",
                (experiment, position),
            )
            return Snapshot(position, b"".join(row[0] for row in rows))

    def keep_snapshot(self, experiment: int, snapshot: Snapshot) -> None:
        """Write a snapshot, one part per transaction, and delete those before it."""
        pieces = list(parts(snapshot.content))
        for part, piece in enumerate(pieces):
            with self.writing([]):
                self._run(
                    "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)",
                    (experiment, snapshot.position, part, len(pieces), piece),
                )
        with self.writing([]):
            self._run("DELETE FROM snapshots WHERE experiment = ? AND position < ?", (experiment, snapshot.position))

    def keys(self) -> list[Key]:
        """Return all keys."""
        with _translated():
            rows = self._run("SELECT id, digest, roles, experiments, note, created, revoked FROM keys ORDER BY created")
            return [key_from_row(row) for row in rows]

    def add_key(self, key: Key) -> None:
        """Add a key."""
        with self.writing([]):
            self._run("INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?)", key_as_row(key))

    def revoke_key(self, id: str, at: float) -> bool:
        """Mark a key as revoked."""
        with self.writing([]):
            self._run("UPDATE keys SET revoked = ? WHERE id = ? AND revoked IS NULL", (at, id))
            assert self._db is not None
            return bool(self._db.changes())


@contextmanager
def _translated() -> Iterator[None]:
    """Turn errors of SQLite into one that says what to do."""
    try:
        yield
    except apsw.FullError as error:
        raise UnavailableError(f"the store cannot write: {error}", "free some space on its disk") from error
    except apsw.BusyError as error:
        raise UnavailableError(f"another process holds the store: {error}", "try again") from error
    except apsw.ReadOnlyError as error:
        raise UnavailableError(
            f"the store cannot be written to: {error}", "check the permissions of file and folder"
        ) from error
    except apsw.NotADBError as error:
        raise UnusableStoreError(f"the store must be an SQLite file: {error}") from error
    except apsw.Error as error:
        raise UnavailableError(f"the store failed: {type(error).__name__}: {error}") from error
