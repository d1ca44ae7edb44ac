"""Learners as bytes, so that a restart need not read the whole log."""

import hashlib
import logging
import queue
import threading
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from quickdraw_bandits import Mixed
from quickdraw_bandits.observations import Pending
from quickdraw_bandits.saving.files import from_bytes, to_parts, with_checksum
from quickdraw_service.answers import ScalesThen
from quickdraw_service.definition import build_arms
from quickdraw_service.errors import UnavailableError
from quickdraw_service.learner import Counts, Learner
from quickdraw_service.pulls import Pull
from quickdraw_service.requests import Definition
from quickdraw_service.stores.store import Snapshot, Store

if TYPE_CHECKING:
    from quickdraw_service.experiment import Experiment

FORMAT = 2
"""Raised by one whenever a snapshot means something else than before; others are left aside, and the log is read."""
logger = logging.getLogger("quickdraw_service")


class _Content(msgspec.Struct, frozen=True, array_like=True):
    """What a snapshot holds.

    ``pulls`` has four numbers per pending decision: at, time, arm, probability. ``expected`` has times and arms in the
    order in which the policy keeps them, so that sums over them are the same to the last digit. ``scales`` is what the
    live page shows of what was learned; snapshots of earlier versions have none.
    """

    format: int
    position: int
    last_at: float
    latest_time: float
    tidied: int
    counts: tuple[int, int, int]
    holds_arms: bool
    ids: list[str]
    pulls: bytes
    expected: bytes
    policy: bytes
    scales: list[ScalesThen] = []


class Encoding:
    """A learner's state, taken quickly; ``finish`` makes bytes of it, in any thread.

    Parameters
    ----------
    learner
        The learner; it may go on at once.
    """

    def __init__(self, learner: Learner) -> None:
        self.position = learner.position
        counts = learner.counts
        self._head = (FORMAT, learner.position, learner.last_at, learner.latest_time, learner.tidied)
        self._counts = counts.decisions, counts.rewards, counts.observations
        self._holds_arms = learner.arms_added
        self._ids, self._pulls = list(learner.pending), list(learner.pending.values())
        self._scales = list(learner.scales_over_time)
        policy = learner.policy
        with policy._lock:
            # Very many pending pulls are written as arrays, and not one by one with the rest of the policy.
            pending, nothing = policy._pending, Pending()
            self._expected = np.stack([each.astype("<f8") for each in pending.arrays()])
            _share(policy, nothing)
            try:
                self._policy = to_parts(policy, arms=learner.arms_added)
            finally:
                _share(policy, pending)

    def finish(self) -> Snapshot:
        """Return the snapshot."""
        pulls = np.array(self._pulls, dtype="<f8").tobytes()
        policy = with_checksum(self._policy)
        expected = self._expected.tobytes()
        content = _Content(
            *self._head, self._counts, self._holds_arms, self._ids, pulls, expected, policy, self._scales
        )
        packed = msgspec.msgpack.encode(content)
        return Snapshot(self.position, hashlib.sha256(packed).digest() + packed)


def _share(policy: Mixed, pending: Pending) -> None:
    policy._pending = policy.policy._pending = pending


def restore(name: str, definition: Definition, snapshot: Snapshot) -> Learner | None:
    """Return the learner of a snapshot, or None if this version cannot read it."""
    digest, packed = snapshot.content[:32], snapshot.content[32:]
    if hashlib.sha256(packed).digest() != digest:
        logger.warning("the snapshot of %s is damaged; its log is read from the beginning", name)
        return None
    try:
        content = msgspec.msgpack.decode(packed, type=_Content)
        if content.format != FORMAT:
            return None
        policy = from_bytes(content.policy, "the snapshot", None if content.holds_arms else build_arms(definition))
    except (msgspec.DecodeError, ValueError) as error:
        logger.warning("the snapshot of %s is of another version, its log is read from the beginning: %s", name, error)
        return None
    assert isinstance(policy, Mixed)
    for time, arm in np.frombuffer(content.expected, "<f8").reshape(2, -1).T.tolist():
        policy._pending.add(time, int(arm))
    learner = Learner(name, definition, policy)
    learner.position, learner.last_at, learner.latest_time = content.position, content.last_at, content.latest_time
    learner.tidied = content.tidied
    learner.counts = Counts(*content.counts)
    learner.arms_added = content.holds_arms
    learner.scales_over_time.extend(content.scales)
    pulls = np.frombuffer(content.pulls, "<f8").reshape(-1, 4).tolist()
    learner.restore_pending(
        {
            each: Pull(at, time, int(arm), chance)
            for each, (at, time, arm, chance) in zip(content.ids, pulls, strict=True)
        }
    )
    return learner


class Snapshotter:
    """Writes snapshots in a thread and over a connection of its own.

    Parameters
    ----------
    store
        The store; only ``again`` is called.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: queue.Queue[tuple[Experiment, Encoding] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._run, name="quickdraw-snapshots", daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        """Whether no snapshot is being written."""
        return self._waiting.unfinished_tasks == 0

    def take(self, experiment: "Experiment") -> None:
        """Take a snapshot of an experiment as it is now; it is written later."""
        self._waiting.put((experiment, Encoding(experiment.learner)))
        experiment.snapshot_position = experiment.learner.position

    def close(self) -> None:
        """Write what is waiting, and end the thread."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            job = self._waiting.get()
            try:
                if job is None:
                    return
                experiment, encoding = job
                with self._store.again() as store:
                    store.keep_snapshot(experiment.number, encoding.finish())
            except UnavailableError as error:
                logger.warning("a snapshot could not be written: %s", error)  # the log has everything
            except Exception:
                logger.exception("a snapshot could not be written")
            finally:
                self._waiting.task_done()
