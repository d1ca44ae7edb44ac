"""Add policies to a published contest, without playing the others again.

First play the new policies alone, with the command in the contest's ``about.json`` but for their names. Then
``python -m quickdraw_lab.contest.join docs/results/contest main=RESULTS`` adds their runs and the settings that they
tried to the tables in docs/results/contest/main, computes differences and ranks again, draws the pictures and writes
docs/which-policy.md. Environments are made from the seed and their number, so that runs pair with those of the others.
A time of a choice compares with the others only if the machine was the same and as busy; ``about.json`` says who was
added and when.
"""

import json
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from quickdraw_bandits import __version__
from quickdraw_bandits.plots.style import style_of
from quickdraw_lab.contest import publish, replay
from quickdraw_lab.files import compress, write_csv
from quickdraw_lab.result_tables import Row, Tables


def joined(old: Sequence[Row], new: Sequence[Row]) -> list[Row]:
    """Return rows with those of other policies added to each environment, or raise ValueError.

    Examples
    --------
    >>> old = [{"environment": "base", "policy": "Random"}, {"environment": "hill", "policy": "Random"}]
    >>> [tuple(row.values()) for row in joined(old, [{"environment": "base", "policy": "Mine"}])]
    [('base', 'Random'), ('base', 'Mine'), ('hill', 'Random')]
    """
    environments = list(dict.fromkeys(row["environment"] for row in old))
    for row in new:
        if row["environment"] not in environments:
            raise ValueError(f"the contest has no environment {row['environment']!r}; it has {', '.join(environments)}")
    both = {row["policy"] for row in old} & {row["policy"] for row in new}
    if both:
        raise ValueError(f"{min(both)} is in the contest already; remove its rows, or play it again with replay")
    return [row for name in environments for rows in (old, new) for row in rows if row["environment"] == name]


def join(folder: Path, results: Path) -> None:
    """Add the policies of a results folder to the tables of a contest."""
    if not (results / "contest.csv").exists():
        raise ValueError(f"{results} has no results of quickdraw compare: there is no contest.csv")
    old, new = Tables(folder), Tables(results)
    references = {row["environment"]: row["reference"] for row in old.rows("contest")}
    summary = joined(
        old.rows("contest"),
        [{**row, "reference": references.get(row["environment"], "")} for row in new.rows("contest")],
    )
    runs = joined(old.rows("contest_runs"), new.rows("contest_runs"))
    fields = {(row["environment"], row["fields"]) for row in old.rows("contest")}
    for row in new.rows("contest"):
        if (row["environment"], row["fields"]) not in fields:
            raise ValueError(f"{row['policy']} played {row['fields']} environments {row['environment']}, unlike others")
    tuning = joined(old.rows("contest_tuning"), new.rows("contest_tuning"))
    write_csv(folder / "contest.csv", summary)
    replay.write_tables(folder, runs)
    with TemporaryDirectory() as name:
        plain = Path(name) / "contest_tuning.csv"
        write_csv(plain, tuning)
        compress(plain, folder)
    about = folder / "about.json"
    facts = json.loads(about.read_text(encoding="utf-8"))
    labels = ", ".join(style_of(policy).label for policy in dict.fromkeys(row["policy"] for row in new.rows("contest")))
    facts["added later"] = f"{labels}, on {date.today()} with version {__version__}, by the same command"
    about.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    """Join, draw and write the page."""
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return
    folder = Path(arguments[0])
    for name, results in publish.named_results(arguments[1:]):
        if not (folder / name / "about.json").exists():
            raise ValueError(f"arguments must name contests in {folder}, got {name!r}")
        join(folder / name, results)
    publish.main([str(folder)])


if __name__ == "__main__":
    main(sys.argv[1:])
