"""The page "Which policy?" in the documentation, and the tables and pictures behind it.

``python -m quickdraw_lab.contest.publish docs/results/contest main=RESULTS`` copies the tables of a results folder to
docs/results/contest/main, draws the pictures of every contest there from its tables, and writes docs/which-policy.md.
Facts about a contest (title, command, machine) are written by hand, in ``about.json`` in its folder. Without results,
pictures and page are made again from the tables that are there.
"""

import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from quickdraw_lab.contest.page import contests_in, page
from quickdraw_lab.contest.write import draw_contest
from quickdraw_lab.files import compress, replacing
from quickdraw_lab.result_tables import Tables

PACKED = ("contest_runs", "contest_tuning")
"""Tables that are stored compressed, as they are large."""


def pack(results: Path, target: Path) -> None:
    """Copy the tables of a contest."""
    if not (results / "contest.csv").exists():
        raise ValueError(f"{results} has no results of quickdraw compare: there is no contest.csv")
    target.mkdir(parents=True, exist_ok=True)
    for old in (*target.glob("contest*.csv"), *target.glob("contest*.csv.gz")):
        old.unlink()
    for table in sorted(results.glob("contest*.csv")):
        if table.stem in PACKED:
            compress(table, target)
        else:
            shutil.copyfile(table, target / table.name)


def named_results(arguments: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the names and folders that were given as NAME=RESULTS."""
    for text in arguments:
        name, equals, results = text.partition("=")
        if not equals or not name or not results:
            raise ValueError(f"arguments must be NAME=RESULTS, got {text!r}")
        yield name, Path(results)


def main(arguments: Sequence[str]) -> None:
    """Pack the given results, draw the pictures, and write the page."""
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return
    folder = Path(arguments[0])
    for name, results in named_results(arguments[1:]):
        pack(results, folder / name)
    for contest in contests_in(folder):
        draw_contest(Tables(contest).rows("contest"), contest, formats=("png",))
    docs = folder.parents[1]
    with replacing(docs / "which-policy.md") as temporary:
        temporary.write_text(page(folder, folder.relative_to(docs).as_posix()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
