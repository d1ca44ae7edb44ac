"""Plays what a store lacks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

from quickdraw_bandits.evaluation.simulate import Progress
from quickdraw_lab.any_run import R, Record, tasks_of
from quickdraw_lab.store import Store

Engine = Callable[[Sequence[list[R]]], Iterator[Record]]


def complete(store: Store[R], runs: Iterable[R], engine: Engine[R], progress: Progress | None = None) -> None:
    """Play the runs that the store lacks, and store each as it finishes.

    Parameters
    ----------
    store
        Where records go.
    runs
        All runs wanted.
    engine
        Plays tasks and yields the record of each run.
    progress
        Called with the number of runs done now and to be done now, first with 0.
    """
    tasks = tasks_of(run for run in runs if store.lacks(run))
    total = sum(map(len, tasks))
    if not total:
        return
    records: Any = engine(tasks)
    with closing(records):
        if progress is not None:
            progress(0, total)
        for done, record in enumerate(records, start=1):
            store.add(record)
            if progress is not None:
                progress(done, total)


def failures(store: Store[R], runs: Iterable[R]) -> list[dict[str, Any]]:
    """Return one flat row for each run that failed."""
    return [
        {
            **{name: str(value) if isinstance(value, dict) else value for name, value in record["run"].items()},
            "message": record["error"],
        }
        for run in runs
        if "error" in (record := store.records.get(run, {}))
    ]
