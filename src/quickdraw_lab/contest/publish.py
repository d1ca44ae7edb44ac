"""Contests kept beside the documentation, with the page "Which policy?" made from them.

``python -m quickdraw_lab.contest.publish docs/results/contest main=RESULTS`` copies the tables of a
results folder to docs/results/contest/main, draws the pictures of every contest there from its tables, and writes
docs/which-policy.md. What the page says about a contest itself (title, command, machine) stands in ``about.json`` in
its folder, and is written by hand. Without results all is drawn and written again from the tables that are kept.
"""

import gzip
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from quickdraw_lab.contest.page import contests_in, page
from quickdraw_lab.contest.write import draw_contest
from quickdraw_lab.files import replacing
from quickdraw_lab.tables import Tables

PACKED = ("contest_runs", "contest_tuning")
"""Tables that are compressed, because few will read them."""


def pack(results: Path, target: Path) -> None:
    """Copy the tables that a contest wrote; what is compressed gives the same bytes for the same table."""
    if not (results / "contest.csv").exists():
        raise ValueError(f"{results} must hold the results of quickdraw compare, and holds no contest.csv")
    target.mkdir(parents=True, exist_ok=True)
    for old in (*target.glob("contest*.csv"), *target.glob("contest*.csv.gz")):
        old.unlink()
    for table in sorted(results.glob("contest*.csv")):
        if table.stem in PACKED:
            (target / f"{table.name}.gz").write_bytes(gzip.compress(table.read_bytes(), 9, mtime=0))
        else:
            shutil.copyfile(table, target / table.name)


def main(arguments: Sequence[str]) -> None:
    """Pack what is given, draw, and write the page."""
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return
    folder = Path(arguments[0])
    for text in arguments[1:]:
        name, equals, results = text.partition("=")
        if not equals or not name or not results:
            raise ValueError(f"what to publish must be NAME=RESULTS, got {text!r}")
        pack(Path(results), folder / name)
    for contest in contests_in(folder):
        draw_contest(Tables(contest).rows("contest"), contest, kinds=("png",))
    docs = folder.parents[1]
    with replacing(docs / "which-policy.md") as temporary:
        temporary.write_text(page(folder, folder.relative_to(docs).as_posix()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
