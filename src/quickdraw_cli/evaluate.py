"""``quickdraw evaluate``: what policies would have earned, from the log of another."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quickdraw_cli.progress import Report, progress_bars

if TYPE_CHECKING:
    from quickdraw_bandits.datasets import Log
    from quickdraw_bandits.evaluation.off_policy.protocol import Build


def add_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "evaluate",
        help="say from a log what policies would have earned",
        description="Say from a log what policies would have earned: prints six estimates for each policy with their "
        "intervals, and writes them (estimates.csv). Groups of events are played on their own, in time order, with a "
        "policy that knows nothing at the start of each interval of rounds.",
        allow_abbrev=False,
    )
    parser.add_argument("log", type=Path, metavar="LOG", help="the log: a .csv, .csv.gz or .parquet table")
    for column, meaning in (
        ("time", "numbers or dates"),
        ("arm", "what was chosen"),
        ("reward", "what it paid"),
        ("propensity", "the probability with which it was chosen"),
    ):
        parser.add_argument(
            f"--{column}", default=column, metavar="COLUMN", help=f"the column with {meaning} (default {column})"
        )
    parser.add_argument("--group", metavar="COLUMN", help="the column whose values are played on their own")
    parser.add_argument(
        "--coordinate",
        metavar="COLUMN",
        help="the column that places an arm on a line (default: the arm's own number, or all equally far apart)",
    )
    parser.add_argument(
        "--policies",
        nargs="+",
        default=["Random", "SlidingEpsilonGreedy", "QuickDraw"],
        metavar="NAME",
        help="which policies, by the names of their classes (default Random SlidingEpsilonGreedy QuickDraw)",
    )
    parser.add_argument(
        "--interval", type=int, default=1000, metavar="N", help="how many rounds a policy lasts (default 1000)"
    )
    add_evaluation_options(parser, runs=1, out="results/evaluate")
    parser.add_argument("--level", type=float, default=0.95, metavar="X", help="level of the intervals (default 0.95)")
    parser.add_argument("--bootstrap", action="store_true", help="make intervals by bootstrap")
    parser.set_defaults(run=run)


def add_evaluation_options(parser: argparse.ArgumentParser, runs: int, out: str) -> None:
    """Add what all evaluations on logs share."""
    parser.add_argument(
        "--sort", action="store_true", help="put rows in time order instead of refusing those not in it"
    )
    parser.add_argument("--runs", type=int, default=runs, metavar="N", help=f"how many runs (default {runs})")
    parser.add_argument(
        "--learn-from",
        choices=("logged", "matched", "both"),
        default="both",
        metavar="WHICH",
        help="what a policy learns from: logged (every event, after it has chosen for it), matched (only events whose "
        "logged arm is the one that it chose) or both, one after the other (default both)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="all randomness comes from it (default 0)")
    parser.add_argument("--jobs", type=int, metavar="N", help="how many processes (default: one to a core)")
    parser.add_argument(
        "--out", type=Path, default=Path(out), metavar="DIR", help=f"folder to write to (default {out})"
    )


@contextmanager
def naming_options() -> Iterator[None]:
    """Have the errors of readers name the option of the command in place of the argument of the library."""
    try:
        yield
    except ValueError as error:
        raise ValueError(str(error).replace("read with sort=True", "give --sort")) from None


def evaluate_readings(
    arguments: argparse.Namespace, log: "Log", builders: "Mapping[str, Build]", **settings: Any
) -> list[dict[str, Any]]:
    """Return the records of an evaluation in each reading that was asked for, and show how far it is."""
    from quickdraw_bandits.evaluation.workers import cores
    from quickdraw_lab.evaluate import evaluate_rows

    jobs = cores() if arguments.jobs is None else arguments.jobs
    rows: list[dict[str, Any]] = []
    with progress_bars("events") as open_bar:
        for reading in ("logged", "matched") if arguments.learn_from == "both" else (arguments.learn_from,):

            def open_named_bar(name: str, reading: str = reading) -> Report:
                return open_bar(f"{name}, {reading}")

            rows += evaluate_rows(
                log,
                builders,
                learn_from=reading,
                runs=arguments.runs,
                seed=arguments.seed,
                jobs=jobs,
                progress=open_named_bar,
                **settings,
            )
    return rows


def describe(log: "Log") -> str:
    """Return in a line what a log holds, and what its reader left out."""
    left_out = ", ".join(f"{what} ({count})" if count > 1 else what for what, count in log.left_out.items())
    return f"{log.source}: {log!r}" + (f"; not read: {left_out}" if left_out else "")


def run(arguments: argparse.Namespace) -> None:
    """Evaluate, print and write."""
    from quickdraw_bandits.datasets import read_log
    from quickdraw_bandits.evaluation.off_policy import Interval, builder
    from quickdraw_bandits.evaluation.tables import text_table
    from quickdraw_lab.evaluate import summary_rows
    from quickdraw_lab.files import check_folder, write_csv
    from quickdraw_lab.known_policies import find_policies

    builders = {policy.__name__: builder(policy) for policy in find_policies(arguments.policies)}
    interval = Interval("bootstrap" if arguments.bootstrap else "asymptotic", arguments.level, seed=arguments.seed)
    check_folder(arguments.out)
    with naming_options():
        log = read_log(
            arguments.log,
            time=arguments.time,
            arm=arguments.arm,
            reward=arguments.reward,
            propensity=arguments.propensity,
            group=arguments.group,
            coordinate=arguments.coordinate,
            sort=arguments.sort,
        )
    print(describe(log))
    rows = evaluate_readings(arguments, log, builders, rounds=arguments.interval, interval=interval)
    summary = summary_rows(rows)
    print(text_table([_readable(row) for row in summary]))
    for line in weaknesses(summary):
        print(line)
    write_csv(arguments.out / "estimates.csv", rows)
    print(f"\nwritten to {arguments.out}: estimates.csv")


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    names = ("policy", "learn_from", "estimator", "value", "standard_error", "low", "high", "ess")
    return {name.replace("_", " "): row[name] for name in names} | {"weak": "yes" if row["weakness"] else ""}


def weaknesses(summary: Sequence[dict[str, Any]]) -> list[str]:
    """Return one line for each estimate not to be relied on, with the reason."""
    return [
        f"weak: {row['policy']}, {row['learn_from']}, {row['estimator']}: {row['weakness']}"
        for row in summary
        if row["weakness"]
    ]
