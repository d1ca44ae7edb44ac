"""Evaluations on logs, as the commands ``evaluate`` and ``reproduce`` share them."""

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from quickdraw_cli.options import add_jobs, add_number, add_out_folder, add_seed, jobs_of
from quickdraw_cli.progress import Report, progress_bars

if TYPE_CHECKING:
    from quickdraw_bandits.datasets import Log
    from quickdraw_bandits.evaluation.off_policy import Interval
    from quickdraw_bandits.evaluation.off_policy.protocol import Build, Truth
    from quickdraw_lab.result_tables import Row


def add_evaluation_options(parser: argparse.ArgumentParser, runs: int, out: str) -> None:
    """Add the options of all evaluations on logs."""
    parser.add_argument("--sort", action="store_true", help="sort rows by time instead of refusing unsorted ones")
    add_number(parser, "--runs", runs, "number of runs")
    parser.add_argument(
        "--learn-from",
        choices=("logged", "matched", "both"),
        default="both",
        metavar="WHICH",
        help="what a policy learns from: logged (every event, after its own choice), matched (events whose logged arm "
        "is its own choice) or both, one after the other (default both)",
    )
    add_seed(parser)
    add_jobs(parser)
    add_out_folder(parser, out)


def evaluate(
    arguments: argparse.Namespace,
    log: "Log",
    builders: "Mapping[str, Build]",
    restart_every: int = 1000,
    confidence: "Interval | None" = None,
    truth: "Truth | None" = None,
) -> "list[Row]":
    """Evaluate policies in each learning mode, and show the progress."""
    from quickdraw_bandits.evaluation.off_policy import play_logs
    from quickdraw_lab.log_evaluation import estimate_rows

    rows: list[Row] = []
    with progress_bars("events") as open_bar:
        for mode in ("logged", "matched") if arguments.learn_from == "both" else (arguments.learn_from,):

            def open_named_bar(name: str, mode: str = mode) -> Report:
                return open_bar(f"{name}, {mode}")

            plays = play_logs(
                log,
                builders,
                runs=arguments.runs,
                learn_from=mode,
                interval=restart_every,
                truth=truth,
                seed=arguments.seed,
                jobs=jobs_of(arguments),
                progress=open_named_bar,
            )
            rows += estimate_rows(plays, mode, confidence)
    return rows


def describe(log: "Log") -> str:
    """Return a line about a log, with what its reader left out."""
    left_out = ", ".join(f"{what} ({count})" if count > 1 else what for what, count in log.left_out.items())
    return f"{log.source}: {log!r}" + (f"; not read: {left_out}" if left_out else "")


def weaknesses(summary: "Sequence[Row]") -> list[str]:
    """Return one line per unreliable estimate, with the reason."""
    return [
        f"weak: {row['policy']}, {row['learn_from']}, {row['estimator']}: {row['weakness']}"
        for row in summary
        if row["weakness"]
    ]
