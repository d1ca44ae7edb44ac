"""Contests kept beside the documentation, with the page "Which policy?" made from them.

``python -m quickdraw_bandits.experiments.contest.publish docs/results/contest main=RESULTS`` copies the pictures and
tables of a results folder to docs/results/contest/main, and writes docs/which-policy.md. What the page says about a
contest itself (title, command, machine, time) stands in ``about.json`` in that folder. Without results only the page is
written again.
"""

import gzip
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from quickdraw_bandits.experiments.contest.page import page
from quickdraw_bandits.experiments.files import replacing

PACKED = ("contest_runs", "contest_tuning")
"""Tables that are compressed, because few will read them."""


def pack(results: Path, target: Path) -> None:
    """Copy what a contest wrote; what is compressed gives the same bytes for the same table."""
    tables = sorted(results.glob("contest*.csv"))
    if not (results / "contest.csv").exists():
        raise ValueError(f"{results} must hold the results of quickdraw compare, and holds no contest.csv")
    target.mkdir(parents=True, exist_ok=True)
    for old in (*target.glob("contest*.csv"), *target.glob("contest*.csv.gz"), *target.glob("contest*.png")):
        old.unlink()
    for table in tables:
        if table.stem in PACKED:
            (target / f"{table.name}.gz").write_bytes(gzip.compress(table.read_bytes(), 9, mtime=0))
        else:
            shutil.copyfile(table, target / table.name)
    for picture in sorted(results.glob("contest*.png")):
        shutil.copyfile(picture, target / picture.name)


def main(arguments: Sequence[str]) -> None:
    """Pack what is given, and write the page."""
    folder = Path(arguments[0])
    for text in arguments[1:]:
        name, _, results = text.partition("=")
        pack(Path(results), folder / name)
    docs = folder.parents[1]
    with replacing(docs / "which-policy.md") as temporary:
        temporary.write_text(page(folder, folder.relative_to(docs).as_posix()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
