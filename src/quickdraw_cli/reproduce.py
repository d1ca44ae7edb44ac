"""``quickdraw reproduce``: the paper's figures and table."""

import argparse
from typing import Any

from quickdraw_cli import reproduce_log, reproduce_simulated
from quickdraw_cli.evaluate import add_evaluation_options

PIECES = (*(f"F{number}" for number in range(1, 14)), "TAB1")
FAILED = 1


def add_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "reproduce",
        help="compute the paper's figures and table again",
        description="Compute pieces of the paper again: each writes its table (F4.csv) and figure (F4.png, F4.svg). "
        "F1-F11 and F13 are simulated; their runs are stored as they finish, and the same command goes on where it "
        "was stopped. TAB1 and F12 are evaluations on a log: of the Open Bandit Dataset (--data), of its public sample "
        "of 10,000 events (the default), or of one made for the purpose, whose truth is known (--generate).",
        allow_abbrev=False,
    )
    parser.add_argument(
        "pieces", nargs="+", choices=(*PIECES, "all"), metavar="ID", help=f"any of {', '.join(PIECES)}, or all"
    )
    reproduce_simulated.add_simulated_options(parser)
    reproduce_log.add_log_options(parser)
    add_evaluation_options(parser, runs=10, out="results")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compute, write and draw."""
    from quickdraw_bandits import __version__
    from quickdraw_lab.files import check_folder
    from quickdraw_lab.plots.style import require_matplotlib
    from quickdraw_lab.runs import Run
    from quickdraw_lab.store import open_store

    pieces = PIECES if "all" in arguments.pieces else tuple(dict.fromkeys(arguments.pieces))
    simulated = [piece for piece in pieces if piece in reproduce_simulated.PIECES]
    on_a_log = [piece for piece in pieces if piece in reproduce_log.PIECES]
    require_matplotlib()
    plan = reproduce_simulated.Plan.of(arguments)
    log_plan = reproduce_log.LogPlan.of(arguments) if on_a_log else None
    check_folder(arguments.out)
    written: list[str] = []
    failed = 0
    with open_store(arguments.out / "runs.jsonl", {"version": __version__, **plan.bed.describe()}, Run) as store:
        if simulated:
            written, failed = reproduce_simulated.reproduce_simulated(plan, simulated, arguments.out, store)
        if log_plan is not None:
            written += reproduce_log.reproduce_log(arguments, log_plan, on_a_log)
    print(f"\nwritten to {arguments.out}: {', '.join(written)}")
    return FAILED if failed else 0
