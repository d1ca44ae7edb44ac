"""What both databases do with the same statements."""

import json
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from quickdraw_service.errors import UnusableStoreError
from quickdraw_service.keys import Key
from quickdraw_service.stores.store import (
    DECISION,
    REWARD,
    Event,
    LoggedDecision,
    Snapshot,
    Store,
    StoredExperiment,
)

Value = None | int | float | str | bytes
EVENT = "position, kind, id, at, time, arm, value, body"
"""The columns of ``Event``."""
EXPERIMENT = "number, name, definition, points, created"
"""The columns of ``StoredExperiment``."""
DECISIONS = (
    "SELECT d.position, d.id, d.time, d.arm, d.value, r.value FROM log d LEFT JOIN log r "
    f"ON r.experiment = d.experiment AND r.id = d.id AND r.kind = '{REWARD}' "
    f"WHERE d.experiment = ? AND d.kind = '{DECISION}'"
)
"""The columns of ``LoggedDecision``, for one experiment."""
LARGEST = 2**63 - 1


class SQLStore(Store):
    """A store in SQL. A subclass connects, begins and ends transactions, and writes and finds events.

    Statements have ``?`` where values go.
    """

    @abstractmethod
    def _rows(self, statement: str, values: Sequence[Value] = ()) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows; errors of the database become those of the service."""

    @abstractmethod
    def _script(self, statements: str) -> None:
        """Run statements without values or results."""

    @abstractmethod
    def _format(self) -> int:
        """Return how many steps made the tables, 0 where there are none."""

    def _upgrade(self, steps: Sequence[str]) -> None:
        """Bring the tables to the format that these steps make, and note it in the table ``meta``."""
        if self._format() == len(steps):
            return
        with self.writing([]):
            found = self._format()  # another process may have done it meanwhile
            if found > len(steps):
                raise UnusableStoreError(
                    f"the store has format {found}, and this version of the service knows formats up to {len(steps)}; "
                    "upgrade quickdraw-bandits, or open a back-up from before its upgrade"
                )
            for step in steps[found:]:
                self._script(step)
            self._rows(
                "INSERT INTO meta VALUES ('format', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (len(steps),),
            )

    def experiments(self, after: int = 0) -> list[StoredExperiment]:
        """Return all experiments, or those made after one."""
        rows = self._rows(f"SELECT {EXPERIMENT} FROM experiments WHERE number > ? ORDER BY number", (after,))
        return [StoredExperiment._make(row) for row in rows]

    def create(self, name: str, definition: str, points: bytes | None, created: float) -> tuple[StoredExperiment, bool]:
        """Add an experiment, unless there is one of this name."""
        with self.writing([]):
            added = self._rows(
                "INSERT INTO experiments (name, definition, points, created) VALUES (?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING RETURNING number",
                (name, definition, points, created),
            )
            if added:  # what was given need not be read again: arms may be many
                return StoredExperiment(added[0][0], name, definition, points, created), True
            found = self._rows(f"SELECT {EXPERIMENT} FROM experiments WHERE name = ?", (name,))
            return StoredExperiment._make(found[0]), False

    def tail(self, experiment: int, after: int, limit: int) -> list[Event]:
        """Return the events behind a position."""
        rows = self._rows(
            f"SELECT {EVENT} FROM log WHERE experiment = ? AND position > ? ORDER BY position LIMIT ?",
            (experiment, after, limit),
        )
        return [Event._make(row) for row in rows]

    def last_position(self, experiment: int) -> int:
        """Return the position of the last event."""
        return int(self._rows("SELECT max(position) FROM log WHERE experiment = ?", (experiment,))[0][0] or 0)

    def decisions(self, experiment: int, after: int, limit: int) -> list[LoggedDecision]:
        """Return decisions behind a position with their rewards."""
        rows = self._rows(
            f"{DECISIONS} AND d.position > ? ORDER BY d.position LIMIT ?",
            (experiment, after, limit),
        )
        return [LoggedDecision._make(row) for row in rows]

    def latest_decisions(self, experiment: int, before: int | None, limit: int) -> list[LoggedDecision]:
        """Return decisions before a position, the newest first."""
        rows = self._rows(
            f"{DECISIONS} AND d.position < ? ORDER BY d.position DESC LIMIT ?",
            (experiment, LARGEST if before is None else before, limit),
        )
        return [LoggedDecision._make(row) for row in rows]

    def snapshot(self, experiment: int) -> Snapshot | None:
        """Return the latest whole snapshot."""
        found = self._rows(
            "SELECT position FROM snapshots WHERE experiment = ? GROUP BY position HAVING count(*) = max(parts) "
            "ORDER BY position DESC LIMIT 1",
            (experiment,),
        )
        if not found:
            return None
        position = found[0][0]
        parts = self._rows(
            "SELECT bytes FROM snapshots WHERE experiment = ? AND position = ? ORDER BY part", (experiment, position)
        )
        return Snapshot(position, b"".join(part for (part,) in parts))

    def keys(self) -> list[Key]:
        """Return all keys."""
        rows = self._rows("SELECT id, digest, roles, experiments, note, created, revoked FROM keys ORDER BY created")
        return [_key_of(row) for row in rows]

    def add_key(self, key: Key) -> None:
        """Add a key."""
        names = None if key.experiments is None else json.dumps(key.experiments)
        row = key.id, key.digest, json.dumps(key.roles), names, key.note, key.created, key.revoked
        with self.writing([]):
            self._rows("INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def revoke_key(self, id: str, at: float) -> bool:
        """Mark a key as revoked."""
        with self.writing([]):
            return bool(
                self._rows("UPDATE keys SET revoked = ? WHERE id = ? AND revoked IS NULL RETURNING id", (at, id))
            )


def _key_of(row: Sequence[Any]) -> Key:
    identity, digest, roles, names, note, created, revoked = row
    experiments = None if names is None else tuple(json.loads(names))
    return Key(identity, bytes(digest), tuple(json.loads(roles)), experiments, note, created, revoked)
