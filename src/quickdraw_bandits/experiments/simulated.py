"""F1-F11 and F13: what each needs played, and what it writes."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quickdraw_bandits.experiments.bed import Bed
from quickdraw_bandits.experiments.files import write_csv
from quickdraw_bandits.experiments.plots.style import save
from quickdraw_bandits.experiments.plots.sweep import draw_sweep
from quickdraw_bandits.experiments.runs import Contestant, Record, Run
from quickdraw_bandits.experiments.sweeps import COMPARISONS, SWEEPS, Sweep, table_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def sweeps_behind(pieces: Iterable[str]) -> list[Sweep]:
    """Return the sweeps that the pieces need."""
    return [sweeps[piece] for piece in pieces for sweeps in (SWEEPS, COMPARISONS) if piece in sweeps]


def write_piece(
    piece: str, out: Path, bed: Bed, records: Mapping[Run, Record], fields: int, own: Sequence[Contestant] = ()
) -> list[str]:
    """Write the table and the figure of a piece from what was played; return the names of the files."""
    sweep = SWEEPS[piece]
    rows = table_of(sweep, records, fields, own)
    if not rows:
        return []
    write_csv(out / f"{piece}.csv", rows)
    return [f"{piece}.csv", *write_figure(draw_sweep(rows, sweep.symbol, sweep.logarithmic), out, piece)]


def write_figure(figure: "Figure", out: Path, name: str) -> list[str]:
    """Write a figure as a picture and as vectors."""
    names = [f"{name}.png", f"{name}.svg"]
    for each in names:
        save(figure, out / each)
    return names
