"""Playing the runs that a store does not have yet."""

from collections.abc import Generator, Iterable
from contextlib import closing
from typing import cast

from quickdraw_bandits.evaluation.simulate import Progress
from quickdraw_lab.runner.run import R, Record, Runner, tasks_of
from quickdraw_lab.runner.store import Store


def play_missing(store: Store[R], runs: Iterable[R], runner: Runner[R], progress: Progress | None = None) -> None:
    """Play the runs that are missing in the store, and store each as it finishes.

    Parameters
    ----------
    store
        Where records go.
    runs
        All runs wanted.
    runner
        Plays them.
    progress
        Called with the number of runs done and the number of runs to do, first with 0 done.
    """
    tasks = tasks_of(run for run in runs if store.lacks(run))
    total = sum(map(len, tasks))
    if not total:
        return
    records = cast(Generator[Record, None, None], runner(tasks))
    with closing(records):
        if progress is not None:
            progress(0, total)
        for done, record in enumerate(records, start=1):
            store.add(record)
            if progress is not None:
                progress(done, total)


def failures(store: Store[R], runs: Iterable[R]) -> list[dict[str, object]]:
    """Return one flat row per run that failed."""
    return [
        {
            **{name: str(value) if isinstance(value, dict) else value for name, value in record["run"].items()},
            "message": record["error"],
            "traceback": record.get("traceback", ""),
        }
        for run in runs
        if "error" in (record := store.records.get(run, {}))
    ]
