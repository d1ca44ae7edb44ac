"""``quickdraw reproduce``: the paper's figures and table."""

import argparse
from typing import TYPE_CHECKING, Any

from quickdraw_bandits.cli.evaluate import add_evaluation_options, describe, evaluate_readings, weaknesses

if TYPE_CHECKING:
    from quickdraw_bandits.datasets import Log
    from quickdraw_bandits.evaluation.off_policy.protocol import Truth

PIECES = ("TAB1", "F12")


def add_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "reproduce",
        help="compute the paper's figures and table again",
        description="Compute pieces of the paper again. TAB1 and F12 are evaluations on a log: of the Open Bandit "
        "Dataset (--data), of its public sample of 10,000 events (the default), or of one made for the purpose, whose "
        "truth is known (--generate). Writes TAB1.csv, F12.csv and F12.png, and all estimates behind them.",
        allow_abbrev=False,
    )
    parser.add_argument("pieces", nargs="+", choices=PIECES, metavar="PIECE", help=f"any of {', '.join(PIECES)}")
    parser.add_argument("--data", metavar="DIR", help="the folder of the Open Bandit Dataset, as published")
    parser.add_argument("--generate", type=int, metavar="N", help="make a log of N events in place of reading one")
    parser.add_argument(
        "--policies",
        nargs="+",
        metavar="NAME",
        help="which policies TAB1 has, by the names of their classes (default: the five of the paper)",
    )
    add_evaluation_options(parser, runs=10, out="results/reproduce")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Evaluate, print, write and draw."""
    from quickdraw_bandits.evaluation.off_policy import builder
    from quickdraw_bandits.evaluation.tables import text_table
    from quickdraw_bandits.experiments import open_bandit as experiment
    from quickdraw_bandits.experiments.evaluate import summary_rows
    from quickdraw_bandits.experiments.files import check_folder, write_csv
    from quickdraw_bandits.experiments.known_policies import PAPER, find_policies
    from quickdraw_bandits.experiments.plots.open_bandit import draw_figure_12
    from quickdraw_bandits.experiments.plots.style import require_matplotlib, save

    builders = {
        "TAB1": {policy.__name__: builder(policy) for policy in find_policies(arguments.policies or PAPER)},
        "F12": experiment.figure_12_builders(),
    }
    if "F12" in arguments.pieces:
        require_matplotlib()
    check_folder(arguments.out)
    log, truth = _log(arguments)
    print(describe(log))

    written = []
    for piece in dict.fromkeys(arguments.pieces):
        rows = evaluate_readings(arguments, log, builders[piece], truth=truth)
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
            save(draw_figure_12(table, log.source), arguments.out / "F12.png")
            written.append("F12.png")
    print(f"\nwritten to {arguments.out}: {', '.join(written)}")


def _log(arguments: argparse.Namespace) -> "tuple[Log, Truth | None]":
    """Return the log that the options name, and its truth where that is known."""
    from quickdraw_bandits.datasets import generate_log, open_bandit

    if arguments.generate is not None:
        if arguments.data is not None or arguments.sort:
            raise ValueError("--generate makes a log, and --data and --sort are for reading one; leave one of them out")
        return generate_log(arguments.generate, seed=arguments.seed)
    return open_bandit(arguments.data, sort=arguments.sort), None
