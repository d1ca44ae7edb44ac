"""The files of a contest."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quickdraw_bandits.experiments.contest.plan import Plan, Records
from quickdraw_bandits.experiments.contest.tables import Row, result_rows, summary_rows, tuning_rows
from quickdraw_bandits.experiments.files import write_csv
from quickdraw_bandits.experiments.plots.contest import draw_ranks, draw_regrets
from quickdraw_bandits.experiments.plots.style import save_both


def write_contest(plan: Plan, records: Records, out: Path) -> tuple[list[Row], list[str]]:
    """Write tables and pictures; return the table of results, and the names of the files."""
    results = result_rows(plan, records)
    summary = summary_rows(plan, results, records)
    tables: dict[str, Sequence[Mapping[str, Any]]] = {
        "contest": summary,
        "contest_runs": results,
        "contest_tuning": tuning_rows(plan, records),
        "contest_left_out": plan.left_out,
    }
    written = []
    for name, rows in tables.items():
        path = out / f"{name}.csv"
        if rows:
            write_csv(path, rows)
            written.append(path.name)
        else:
            path.unlink(missing_ok=True)  # of an earlier contest in this folder
    if summary:
        if any(row["mean_rank"] != "" for row in summary):
            written += save_both(draw_ranks(summary), out, "contest_ranks")
        written += save_both(draw_regrets(summary), out, "contest_regrets")
    return summary, written
