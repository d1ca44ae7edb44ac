"""F1-F11 and F13: what each needs played, and what it writes."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from quickdraw_lab.any_run import Record
from quickdraw_lab.bed import Bed
from quickdraw_lab.examples.choices import make_choices
from quickdraw_lab.examples.fields import make_fields
from quickdraw_lab.examples.one_thread import Example, in_one_thread
from quickdraw_lab.examples.run_time import make_run_time
from quickdraw_lab.examples.window import make_window
from quickdraw_lab.files import write_csv
from quickdraw_lab.plots.style import save_both
from quickdraw_lab.plots.sweep import draw_sweep
from quickdraw_lab.runs import Contestant, Run
from quickdraw_lab.sweeps import COMPARISONS, SWEEPS, Sweep, table_of

EXAMPLES: Mapping[str, Example] = {
    "F1": make_run_time,
    "F2": make_fields,
    "F3": make_choices,
    "F10": make_window,
    "F11": make_window,
    "F13": make_choices,
}
"""Figures that show one example."""

BEHAVIOUR = ("regret_per_round", "edge_share", "best_edge_share", "edge_regret", "stale_share", "distinct_share")

BEHAVIOUR_OF: Mapping[str, Sweep] = {**COMPARISONS, "F8": SWEEPS["F8"], "F9": SWEEPS["F9"]}
"""Where the behaviour over all fields is written as well: the text says how it depends on Quick-Draw's scales."""


def sweeps_behind(pieces: Iterable[str]) -> list[Sweep]:
    """Return the sweeps that the pieces need."""
    return [sweeps[piece] for piece in pieces for sweeps in (SWEEPS, COMPARISONS) if piece in sweeps]


def write_piece(
    piece: str, out: Path, bed: Bed, records: Mapping[Run, Record], fields: int, own: Sequence[Contestant] = ()
) -> list[str]:
    """Write the table and the figure of a piece from what was played; return the names of the files."""
    if piece in SWEEPS:
        written = _write_sweep(piece, out, table_of(SWEEPS[piece], records, fields, own))
    else:
        written = in_one_thread(EXAMPLES[piece], piece, bed, out)
    if piece in BEHAVIOUR_OF and (rows := table_of(BEHAVIOUR_OF[piece], records, fields, own, BEHAVIOUR)):
        write_csv(out / f"{piece}_fields.csv", rows)
        written.append(f"{piece}_fields.csv")
    return written


def _write_sweep(piece: str, out: Path, rows: Sequence[Mapping[str, object]]) -> list[str]:
    if not rows:
        return []  # every run failed, which is said elsewhere
    write_csv(out / f"{piece}.csv", rows)
    figure = draw_sweep(rows, SWEEPS[piece].symbol, SWEEPS[piece].logarithmic)
    return [f"{piece}.csv", *save_both(figure, out, piece)]
