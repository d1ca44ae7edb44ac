"""What a store promises, whichever database is behind it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Self

from quickdraw_service.keys import Key

DECISION, REWARD, SEVERAL, OBSERVATIONS, ARMS, RETIRED = (
    "decision",
    "reward",
    "several",
    "observations",
    "arms",
    "retired",
)
"""The kinds of events."""


class Event(NamedTuple):
    """One row of a log.

    ============  ==================================================================================================
    kind          what the columns hold
    ============  ==================================================================================================
    decision      id, time and arm of the pull, value: the probability; body: the arms to choose from if only some
    reward        id, time and arm of the decision, value: the reward
    several       id of a request for several decisions, arm: how many
    observations  id or None, arm: how many, body: their times, arms and rewards
    arms          id or None, arm: position of the first new one, value: how many, body: points and labels
    retired       arm: how many, body: their positions
    ============  ==================================================================================================

    ``position`` counts from 1 within an experiment, without gaps. ``at`` is the server's clock when the event was
    written; it never decreases within a log.
    """

    position: int
    kind: str
    id: str | None
    at: float
    time: float
    arm: int
    value: float
    body: bytes | None


class LoggedDecision(NamedTuple):
    """A decision with its reward, None where it has not come."""

    position: int
    id: str
    time: float
    arm: int
    probability: float
    reward: float | None


class StoredExperiment(NamedTuple):
    """An experiment's row; ``definition`` is JSON, ``points`` the arms in NumPy's file format or None."""

    number: int
    name: str
    definition: str
    points: bytes | None
    created: float


class Snapshot(NamedTuple):
    """The state of a learner after the event at ``position``."""

    position: int
    content: bytes


class Store(ABC):
    """One connection to a store. It belongs to one thread at a time; ``again`` opens another.

    Events are written inside ``writing``, which locks the experiments that it is given: nobody else writes to their
    logs meanwhile. What was written is durable when the context ends without an error. Every method raises
    ``UnavailableError`` if the store cannot be reached or cannot write; then nothing was written, except that a commit
    whose answer was lost may have succeeded.
    """

    @abstractmethod
    def again(self) -> Self:
        """Open another connection to the same store."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection; closing twice is allowed."""

    @abstractmethod
    def reconnect(self) -> None:
        """Make sure that the store can be reached and written to, with a new connection where the old one is lost."""

    @abstractmethod
    def writing(self, experiments: Sequence[int]) -> AbstractContextManager[None]:
        """Begin a transaction that holds the logs of these experiments, and commit it at the end."""

    @abstractmethod
    def experiments(self, after: int = 0) -> list[StoredExperiment]:
        """Return experiments, in the order of their numbers: all, or those made after the one of a number."""

    @abstractmethod
    def create(self, name: str, definition: str, points: bytes | None, created: float) -> tuple[StoredExperiment, bool]:
        """Add an experiment, unless there is one of this name; return the one there is, and whether it is new."""

    @abstractmethod
    def append(self, experiment: int, events: Sequence[Event]) -> None:
        """Write events; only inside ``writing``."""

    @abstractmethod
    def tail(self, experiment: int, after: int, limit: int) -> list[Event]:
        """Return the events behind a position, in order, at most ``limit`` of them."""

    @abstractmethod
    def last_position(self, experiment: int) -> int:
        """Return the position of the last event, 0 for an empty log."""

    @abstractmethod
    def find(self, experiment: int, ids: Iterable[str]) -> dict[tuple[str, str], Event]:
        """Return all events with these ids, by kind and id."""

    @abstractmethod
    def decisions(self, experiment: int, after: int, limit: int) -> list[LoggedDecision]:
        """Return decisions behind a position, in order, with their rewards."""

    @abstractmethod
    def latest_decisions(self, experiment: int, before: int | None, limit: int) -> list[LoggedDecision]:
        """Return decisions before a position, or the last ones; the newest first, with their rewards."""

    @abstractmethod
    def snapshot(self, experiment: int) -> Snapshot | None:
        """Return the latest whole snapshot."""

    @abstractmethod
    def keep_snapshot(self, experiment: int, snapshot: Snapshot) -> None:
        """Write a snapshot and delete those before it; in short transactions, so that nobody waits for long."""

    @abstractmethod
    def keys(self) -> list[Key]:
        """Return all keys, revoked ones included, in the order in which they were made."""

    @abstractmethod
    def add_key(self, key: Key) -> None:
        """Add a key."""

    @abstractmethod
    def revoke_key(self, id: str, at: float) -> bool:
        """Mark a key as revoked; return whether there was a valid one."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


PART = 1 << 20
"""Bytes of a snapshot that are written in one transaction."""


def parts(content: bytes) -> Iterator[bytes]:
    """Cut a snapshot into parts, at least one."""
    return (content[begin : begin + PART] for begin in range(0, max(len(content), 1), PART))
