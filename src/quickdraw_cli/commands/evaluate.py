"""``quickdraw evaluate``: off-policy estimates from a log."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quickdraw_cli.logs import add_evaluation_options, describe, evaluate, weaknesses
from quickdraw_cli.options import add_hidden_alias, add_policies
from quickdraw_cli.table_options import add_layout_options, naming_options
from quickdraw_cli.terminal import print_table, print_text, terminal_width

if TYPE_CHECKING:
    from quickdraw_bandits.datasets import Log
    from quickdraw_lab.result_tables import Row

HELP = "estimate from a log what policies would have earned"
DESCRIPTION = (
    "Estimate from a log what policies would have earned. Prints six estimates per policy with confidence intervals, "
    "and writes them (estimates.csv). Groups of events are played separately, in time order; a policy starts again "
    "without observations after every N rounds (--restart-every N)."
)
WIDE = 80
"""Columns of a terminal from which on there is room for standard errors."""
DEFAULT_POLICIES = ("AdaptiveQuickDraw", "QuickDraw", "SlidingEpsilonGreedy", "Random")
STORE_POLICIES = ("AdaptiveQuickDraw", "QuickDraw", "Restless", "Random")
"""The default with ``--store``."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "log", type=Path, metavar="LOG", nargs="?", help="the log: a table, text (CSV), also .gz, or .parquet"
    )
    parser.add_argument(
        "--store",
        metavar="URL",
        help="take the log of an experiment of the service from its store; shows the best fixed arm as well",
    )
    parser.add_argument("--experiment", metavar="NAME", help="the experiment, with --store")
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
    default = f"{' '.join(DEFAULT_POLICIES)}; with --store, Restless in place of SlidingEpsilonGreedy"
    add_policies(parser, "policies to evaluate", default)
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
    from quickdraw_bandits.evaluation.off_policy import Interval, builder
    from quickdraw_lab.files import check_folder, write_csv
    from quickdraw_lab.log_evaluation import summary_rows
    from quickdraw_lab.players.built_in import find_policies

    policies = find_policies(arguments.policies or (DEFAULT_POLICIES if arguments.store is None else STORE_POLICIES))
    confidence = Interval("bootstrap" if arguments.bootstrap else "asymptotic", arguments.level, seed=arguments.seed)
    check_folder(arguments.out)
    log = _read(arguments)
    print_text(describe(log))
    if arguments.store is not None:
        _print_baselines(log, arguments.out)
    builders = {policy.__name__: builder(policy) for policy in policies}
    rows = evaluate(arguments, log, builders, arguments.restart_every, confidence)
    summary = summary_rows(rows)
    print_table(_shown(summary, terminal_width()), sections=("policy", "learn from"))
    weak = weaknesses(summary)
    if weak:
        print()
    for line in weak:
        print_text(line)
    write_csv(arguments.out / "estimates.csv", rows)
    print()
    print_text(f"written to {arguments.out}: estimates.csv")
    return 0


def _print_baselines(log: "Log", out: Path) -> None:
    """Print and write what the experiment earned, and what random arms and one fixed arm would have earned."""
    import warnings

    from quickdraw_bandits.evaluation.off_policy import WeakEvidenceWarning
    from quickdraw_lab.files import write_csv
    from quickdraw_service.evaluation import FEWEST, baselines

    if len(log.arm) < FEWEST:
        print_text(f"Fewer than {FEWEST} decisions have a reward: too few to look for the best fixed arm.")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeakEvidenceWarning)
        found = baselines(log.arm, log.reward, log.propensity, log.arms)
    rows: list[dict[str, object]] = [
        {
            "who": each.name if each.arm is None else f"{each.name} ({_name(log, each.arm)})",
            "value": each.value,
            "low": each.low,
            "high": each.high,
            "weak": "yes" if each.weakness else "",
        }
        for each in found
    ]
    print_table(rows)
    print()
    write_csv(out / "baselines.csv", rows)


def _name(log: "Log", arm: int) -> str:
    return str(log.arm_names[arm]) if log.arm_names else f"arm {arm}"


def _shown(summary: "Sequence[Row]", width: int | None) -> list[dict[str, object]]:
    """Return the estimates as they are printed; in a narrow terminal shorter, and weak ones only below the table."""
    narrow = width is not None and width < WIDE
    names = ["policy", "learn_from", "estimator", "value", *(() if narrow else ("standard_error",)), "low", "high"]
    rows = []
    for row in summary:
        shown: dict[str, object] = {name.replace("_", " "): row[name] for name in names} | {"ess": f"{row['ess']:.0f}"}
        if narrow:
            shown["estimator"] = str(row["estimator"]).replace("self-normalised", "self-norm.")
        else:
            shown["weak"] = "yes" if row["weakness"] else ""
        rows.append(shown)
    return rows


def _read(arguments: argparse.Namespace) -> "Log":
    """Return the log, from a table or from a store of the service."""
    from quickdraw_bandits.datasets import read_log

    if (arguments.log is None) == (arguments.store is None) or (arguments.store is None) != (
        arguments.experiment is None
    ):
        raise ValueError("give either a LOG, or --store with --experiment")
    if arguments.store is not None:
        from quickdraw_service.logs import read_experiment

        return read_experiment(arguments.store, arguments.experiment)
    columns = ("time", "arm", "reward", "propensity", "group", "coordinate", "fill", "sort", "separator", "decimal")
    with naming_options():
        return read_log(arguments.log, **{name: getattr(arguments, name) for name in columns})
