"""Playing what simulated figures need, and writing their tables and pictures."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from quickdraw_bandits.evaluation.workers import worker_pool
from quickdraw_lab.figures.catalogue import SIMULATED
from quickdraw_lab.figures.f4_to_f9_sweeps import draw_sweep
from quickdraw_lab.figures.field_run import FieldRun
from quickdraw_lab.figures.figure import Example
from quickdraw_lab.figures.sweep import Sweep, runs_of, table_of
from quickdraw_lab.files import write_csv
from quickdraw_lab.pictures import save_both
from quickdraw_lab.players.contestant import Contestant
from quickdraw_lab.runner.run import Record
from quickdraw_lab.testbed import TestBed

BEHAVIOUR = ("regret_per_round", "edge_share", "best_edge_share", "edge_regret", "stale_share", "distinct_share")


def runs_behind(ids: Iterable[str], fields: int, own: Sequence[Contestant] = ()) -> list[FieldRun]:
    """Return all runs that the figures need, without repetition; ``own`` are policies that join them."""
    return runs_of([sweep for figure_id in ids if (sweep := SIMULATED[figure_id].sweep) is not None], fields, own)


def write_figure(
    figure_id: str,
    out: Path,
    test_bed: TestBed,
    records: Mapping[FieldRun, Record],
    fields: int,
    own: Sequence[Contestant] = (),
) -> list[str]:
    """Write the tables and the picture of a figure from what was played; return the names of the files."""
    figure, written = SIMULATED[figure_id], []
    if figure.example is not None:
        written += in_one_thread(figure.example, figure_id, test_bed, out)
    elif figure.sweep is not None:
        written += _write_sweep(figure_id, out, figure.sweep, table_of(figure.sweep, records, fields, own))
    if figure.behaviour and figure.sweep is not None:
        rows = table_of(figure.sweep, records, fields, own, BEHAVIOUR)
        if rows:
            write_csv(out / f"{figure_id}_fields.csv", rows)
            written.append(f"{figure_id}_fields.csv")
    return written


def _write_sweep(figure_id: str, out: Path, sweep: Sweep, rows: Sequence[Mapping[str, object]]) -> list[str]:
    if not rows:
        return []  # every run failed, which is reported elsewhere
    write_csv(out / f"{figure_id}.csv", rows)
    return [f"{figure_id}.csv", *save_both(draw_sweep(rows, sweep.symbol, sweep.logarithmic), out, figure_id)]


def in_one_thread(example: Example, figure_id: str, test_bed: TestBed, out: Path) -> list[str]:
    """Make an example in a fresh process of one thread: fair times, and the same numbers on every machine."""
    with worker_pool(1, _do_nothing) as pool:
        return pool.submit(example, figure_id, test_bed, out).result()


def _do_nothing() -> None:
    pass
