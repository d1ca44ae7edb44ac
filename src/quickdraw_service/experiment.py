"""An experiment as a server holds it: its learner, and how far the log goes."""

import logging

from quickdraw_service.definition import from_stored
from quickdraw_service.errors import PolicyFailedError, ServiceError
from quickdraw_service.learner import Learner
from quickdraw_service.replay import LEAST
from quickdraw_service.requests import Definition
from quickdraw_service.snapshots import restore
from quickdraw_service.stores.store import Store, StoredExperiment

logger = logging.getLogger("quickdraw_service")
CHUNK = 10_000
"""Events that are read from the store at once."""


def not_loaded(name: str) -> PolicyFailedError:
    """Return the error for an experiment that this server cannot play: an unknown policy, or a wrong event."""
    return PolicyFailedError(f"the experiment {name!r} cannot be loaded")


class Experiment:
    """An experiment of the store with the learner of this server.

    Parameters
    ----------
    stored
        Its row in the store.
    definition, learner
        What the row says, and the learner before any event, where they have been made already.
    """

    def __init__(
        self, stored: StoredExperiment, definition: Definition | None = None, learner: Learner | None = None
    ) -> None:
        self.number, self.name, self.created = stored.number, stored.name, stored.created
        self.definition = from_stored(stored.definition, stored.points) if definition is None else definition
        self.learner = Learner(self.name, self.definition) if learner is None else learner
        self.last_position = 0
        self.snapshot_position = 0
        self.failed = False

    def load(self, store: Store) -> None:
        """Set the learner from the latest snapshot and the log behind it, or from the whole log.

        One that cannot be loaded is unavailable, and no other.
        """
        self.failed = False
        try:
            self._restore(store)
        except ServiceError:
            raise
        except Exception:
            logger.exception("the experiment %s cannot be loaded", self.name)
            self.failed = True
        self.follow(store)

    def _restore(self, store: Store) -> None:
        snapshot = store.snapshot(self.number)
        learner = None if snapshot is None else restore(self.name, self.definition, snapshot)
        if learner is not None and learner.position > store.last_position(self.number):
            learner = None  # of another log: the store was restored from a back-up without its snapshots
        self.learner = Learner(self.name, self.definition) if learner is None else learner
        self.snapshot_position = self.learner.position

    def follow(self, store: Store) -> None:
        """Apply what others have written; an event that the learner cannot take ends this experiment, and no other."""
        before = self.learner.position
        while not self.failed:
            events = store.tail(self.number, self.learner.position, CHUNK)
            try:
                self.learner.apply(events)
            except Exception:
                logger.exception("the experiment %s cannot go on after event %d", self.name, self.learner.position)
                self.failed = True
            if len(events) < CHUNK:
                break
        self.last_position = self.learner.position
        if self.learner.position - before >= LEAST:
            self.learner.settle()

    def wants_snapshot(self, least: int = 10_000) -> bool:
        """Tell whether the log has grown enough since the last snapshot: by ten thousand events and by a tenth."""
        grown = self.learner.position - self.snapshot_position
        return grown >= max(least, self.learner.position // 10)
