"""The log of an experiment as the library's evaluation takes it, read straight from a store."""

import numpy as np

from quickdraw_bandits import Arms
from quickdraw_bandits.datasets import Log
from quickdraw_service.bodies import unpack_arms
from quickdraw_service.definition import build_arms, from_stored
from quickdraw_service.stores import open_store
from quickdraw_service.stores.store import ARMS, LoggedDecision, Store, StoredExperiment

CHUNK = 10_000


def read_experiment(url: str, name: str) -> Log:
    """Return all rewarded decisions of an experiment, in the order of their times; others may write meanwhile.

    Parameters
    ----------
    url
        The store, as for ``quickdraw serve``.
    name
        The experiment.

    Raises
    ------
    ValueError
        If the store has no such experiment, or none of its decisions has a reward.
    """
    with open_store(url, create=False) as store:
        found = {each.name: each for each in store.experiments()}
        if name not in found:
            known = ", ".join(found) or "none"
            raise ValueError(f"--experiment must be one of the store's ({known}), got {name!r}")
        arms = _arms(store, found[name])
        rows = [row for row in _decisions(store, found[name].number) if row.reward is not None]
    if not rows:
        raise ValueError(f"the experiment {name!r} has no decision with a reward")
    rows.sort(key=lambda row: row.time)
    labels = () if isinstance(arms.labels, range) else tuple(str(label) for label in arms.labels)
    return Log(
        time=np.array([row.time for row in rows]),
        arm=np.array([row.arm for row in rows], dtype=np.int64),
        reward=np.array([row.reward for row in rows], dtype=np.float64),
        propensity=np.array([row.probability for row in rows]),
        group=np.zeros(len(rows), dtype=np.int64),
        arms=arms,
        arm_names=labels,
        source=f"experiment {name}",
    )


def _decisions(store: Store, number: int) -> list[LoggedDecision]:
    rows: list[LoggedDecision] = []
    while True:
        more = store.decisions(number, rows[-1].position if rows else 0, CHUNK)
        rows += more
        if len(more) < CHUNK:
            return rows


def _arms(store: Store, experiment: StoredExperiment) -> Arms:
    """Return the arms, with those that were added."""
    arms, position = build_arms(from_stored(experiment.definition, experiment.points)), 0
    while True:
        events = store.tail(experiment.number, position, CHUNK)
        for event in events:
            if event.kind == ARMS and event.body is not None:
                arms = arms.extended(*unpack_arms(event.body))
        if len(events) < CHUNK:
            return arms
        position = events[-1].position
