"""The files of a contest."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from quickdraw_bandits.plots.style import style_of
from quickdraw_lab.contest.plan import Plan, Records
from quickdraw_lab.contest.plots import draw_ranks, draw_regrets
from quickdraw_lab.contest.tables import readable_row, result_rows, summary_rows, tuning_rows
from quickdraw_lab.files import write_csv
from quickdraw_lab.pages import Picture, write_page
from quickdraw_lab.pictures import save
from quickdraw_lab.result_tables import Row


def write_contest(plan: Plan, records: Records, out: Path, failed: Sequence[Row] = ()) -> tuple[list[Row], list[str]]:
    """Write tables, pictures and the page; return the summary table and the names of the files."""
    summary, written = write_tables(plan, records, out)
    pictures = draw_contest(summary, out)
    write_page(
        out / "contest.html",
        "contest.html",
        lead=_lead(plan, summary),
        pictures=[
            Picture.read([out / f"{name}.png", out / f"{name}.svg"], caption)
            for name, caption in CAPTIONS.items()
            if f"{name}.png" in pictures
        ],
        environments={
            name: [readable_row(row) for row in summary if row["environment"] == name]
            for name in dict.fromkeys(row["environment"] for row in summary)
        },
        left_out=plan.left_out,
        failures=grouped(failed),
    )
    return summary, [*written, *pictures, "contest.html"]


def grouped(failed: Sequence[Row]) -> list[Row]:
    """Return each failure once, with the number of runs that had it.

    Examples
    --------
    >>> row = {"policy": "P", "message": "m", "traceback": "t"}
    >>> grouped([{**row, "number": 0}, {**row, "number": 1}])
    [{'policy': 'P', 'message': 'm', 'traceback': 't', 'runs': 2}]
    """
    names = ("policy", "message", "traceback")
    counts = Counter(tuple(row[name] for name in names) for row in failed)
    return [{**dict(zip(names, key, strict=True)), "runs": runs} for key, runs in counts.items()]


CAPTIONS = {
    "contest_ranks": "Mean rank by regret on each environment; 1 is best.",
    "contest_regrets": "Regret per round: mean and its 95 % interval.",
}


def _lead(plan: Plan, summary: Sequence[Row]) -> str:
    """Return who had the least regret where."""
    least: dict[str, str] = {}
    for row in summary:
        if row["role"] == "policy":
            least.setdefault(row["environment"], style_of(row["policy"]).label)
    wins = Counter(least.values()).most_common()
    listed = "; ".join(f"{name} on {count} of {len(least)}" for name, count in wins)
    return (
        f"Least regret, by environment: {listed}. {plan.fields} environments of each kind." if wins else "No results."
    )


def write_tables(plan: Plan, records: Records, out: Path) -> tuple[list[Row], list[str]]:
    """Write all tables; return the summary table and the names of the files."""
    results = result_rows(plan, records)
    summary = summary_rows(plan, results, records)
    tables: dict[str, Sequence[Row]] = {
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
            path.unlink(missing_ok=True)  # from an earlier contest in this folder
    return summary, written


def draw_contest(
    summary: Sequence[Row], out: Path, formats: Sequence[Literal["png", "svg"]] = ("png", "svg")
) -> list[str]:
    """Draw the summary table, and return the names of the files."""
    figures = {}
    if any(row["mean_rank"] != "" for row in summary):
        figures["contest_ranks"] = draw_ranks(summary)
    if summary:
        figures["contest_regrets"] = draw_regrets(summary)
    for name in ("contest_ranks", "contest_regrets"):
        if name not in figures:
            for suffix in formats:
                (out / f"{name}.{suffix}").unlink(missing_ok=True)  # from an earlier contest in this folder
    files = {f"{name}.{suffix}": figure for name, figure in figures.items() for suffix in formats}
    for file, figure in files.items():
        save(figure, out / file)
    return list(files)
