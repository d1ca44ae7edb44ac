"""``quickdraw evaluate``: off-policy estimates from a log."""

import argparse
from pathlib import Path

from quickdraw_cli.logs import add_evaluation_options, describe, evaluate, weaknesses
from quickdraw_cli.options import add_hidden_alias, add_policies
from quickdraw_cli.tables import add_layout_options, naming_options
from quickdraw_cli.terminal import print_table

HELP = "estimate from a log what policies would have earned"
DESCRIPTION = (
    "Estimate from a log what policies would have earned. Prints six estimates per policy with confidence intervals, "
    "and writes them (estimates.csv). Groups of events are played separately, in time order; a policy starts again "
    "without observations every so many rounds (--restart-every)."
)
DEFAULT_POLICIES = ("AdaptiveQuickDraw", "QuickDraw", "SlidingEpsilonGreedy", "Random")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("log", type=Path, metavar="LOG", help="the log: a table, text (CSV), also .gz, or .parquet")
    for column, meaning in (
        ("time", "times, numbers or dates"),
        ("arm", "chosen arms"),
        ("reward", "rewards"),
        ("propensity", "probabilities of the chosen arms"),
    ):
        parser.add_argument(
            f"--{column}", default=column, metavar="COLUMN", help=f"column of {meaning} (default {column})"
        )
    parser.add_argument("--group", metavar="COLUMN", help="column of groups, which are played separately")
    parser.add_argument(
        "--coordinate",
        metavar="COLUMN",
        help="column that places an arm on a line (default: the arm if it is a number, otherwise all arms are equally "
        "far apart)",
    )
    parser.add_argument("--fill", type=float, metavar="X", help="reward where the log has none (default: refuse gaps)")
    add_layout_options(parser)
    add_policies(parser, "policies to evaluate", " ".join(DEFAULT_POLICIES))
    restart = parser.add_argument(
        "--restart-every",
        type=int,
        default=1000,
        metavar="N",
        help="number of rounds after which a policy starts again (default 1000)",
    )
    add_hidden_alias(parser, "--interval", restart)
    add_evaluation_options(parser, runs=1, out="results/evaluate")
    parser.add_argument(
        "--level", type=float, default=0.95, metavar="X", help="level of the confidence intervals (default 0.95)"
    )
    parser.add_argument("--bootstrap", action="store_true", help="compute confidence intervals by bootstrap")


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, print and write."""
    from quickdraw_bandits.datasets import read_log
    from quickdraw_bandits.evaluation.off_policy import Interval, builder
    from quickdraw_lab.files import check_folder, write_csv
    from quickdraw_lab.log_evaluation import summary_rows
    from quickdraw_lab.policies.built_in import find_policies

    policies = find_policies(arguments.policies or DEFAULT_POLICIES)
    confidence = Interval("bootstrap" if arguments.bootstrap else "asymptotic", arguments.level, seed=arguments.seed)
    check_folder(arguments.out)
    columns = ("time", "arm", "reward", "propensity", "group", "coordinate", "fill", "sort", "separator", "decimal")
    with naming_options():
        log = read_log(arguments.log, **{name: getattr(arguments, name) for name in columns})
    print(describe(log))
    builders = {policy.__name__: builder(policy) for policy in policies}
    rows = evaluate(arguments, log, builders, arguments.restart_every, confidence)
    summary = summary_rows(rows)
    shown = ("policy", "learn_from", "estimator", "value", "standard_error", "low", "high", "ess")
    print_table(
        [
            {name.replace("_", " "): row[name] for name in shown} | {"weak": "yes" if row["weakness"] else ""}
            for row in summary
        ]
    )
    for line in weaknesses(summary):
        print(line)
    write_csv(arguments.out / "estimates.csv", rows)
    print(f"\nwritten to {arguments.out}: estimates.csv")
    return 0
