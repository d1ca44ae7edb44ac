"""TAB1 and F12 for ``quickdraw reproduce``: evaluations on a log."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quickdraw_cli.evaluate import describe, evaluate_readings, naming_options, weaknesses

if TYPE_CHECKING:
    from quickdraw_bandits.datasets import Log
    from quickdraw_bandits.evaluation.off_policy.protocol import Build, Truth

PIECES = ("F12", "TAB1")


def add_log_options(parser: argparse.ArgumentParser) -> None:
    """Add what says which log is evaluated."""
    parser.add_argument("--data", metavar="DIR", help="the folder of the Open Bandit Dataset, as published")
    parser.add_argument("--generate", type=int, metavar="N", help="make a log of N events in place of reading one")
    parser.add_argument(
        "--policies",
        nargs="+",
        metavar="NAME",
        help="which policies TAB1 has, by the names of their classes (default: the five of the paper)",
    )


@dataclass(frozen=True)
class LogPlan:
    """What the options ask for, checked and read before anything else is computed."""

    builders: "Mapping[str, Mapping[str, Build]]"
    log: "Log"
    truth: "Truth | None"

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "LogPlan":
        """Check the options and read the log."""
        from quickdraw_bandits.checks import integer
        from quickdraw_bandits.evaluation.off_policy import builder
        from quickdraw_lab.known_policies import PAPER, find_policies
        from quickdraw_lab.open_bandit import figure_12_builders

        integer("runs", arguments.runs, at_least=1)
        builders = {
            "TAB1": {policy.__name__: builder(policy) for policy in find_policies(arguments.policies or PAPER)},
            "F12": figure_12_builders(),
        }
        return cls(builders, *read_or_make(arguments))


def reproduce_log(arguments: argparse.Namespace, plan: LogPlan, pieces: Sequence[str]) -> list[str]:
    """Evaluate, print, write and draw; return the names of the files."""
    from quickdraw_bandits.evaluation.tables import text_table
    from quickdraw_lab import open_bandit as experiment
    from quickdraw_lab.evaluate import summary_rows
    from quickdraw_lab.files import write_csv
    from quickdraw_lab.plots.open_bandit import draw_figure_12
    from quickdraw_lab.plots.style import save

    print(describe(plan.log))

    written = []
    for piece in pieces:
        rows = evaluate_readings(arguments, plan.log, plan.builders[piece], truth=plan.truth)
        summary = summary_rows(rows)
        table = experiment.table_1(summary) if piece == "TAB1" else experiment.figure_12(summary)
        print(f"\n{piece}, in percent")
        print(text_table(experiment.beside_printed(table) if piece == "TAB1" else table))
        for line in weaknesses([row for row in summary if row["estimator"] == "ips"]):
            print(line)
        write_csv(arguments.out / f"{piece}.csv", table)
        write_csv(arguments.out / f"{piece}_estimates.csv", rows)
        written += [f"{piece}.csv", f"{piece}_estimates.csv"]
        if piece == "F12":
            figure = draw_figure_12(table, plan.log.source)
            for name in ("F12.png", "F12.svg"):
                save(figure, arguments.out / name)
                written.append(name)
    return written


def read_or_make(arguments: argparse.Namespace) -> "tuple[Log, Truth | None]":
    """Return the log that the options name, and its truth where that is known."""
    from quickdraw_bandits.datasets import generate_log, open_bandit

    if arguments.generate is not None:
        if arguments.data is not None or arguments.sort:
            raise ValueError("--generate makes a log, and --data and --sort are for reading one; leave one of them out")
        return generate_log(arguments.generate, seed=arguments.seed)
    with naming_options():
        return open_bandit(arguments.data, sort=arguments.sort), None
