"""``quickdraw compare``: a contest of policies on environments."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from quickdraw_cli.failures import FAILED, counted, report_failures
from quickdraw_cli.options import (
    add_jobs,
    add_number,
    add_out_folder,
    add_own_policies,
    add_runner_options,
    add_seed,
    import_from_working_folder,
    runner_of,
)
from quickdraw_cli.progress import progress_bars
from quickdraw_cli.table_options import add_header_option, naming_options
from quickdraw_cli.terminal import print_entry, print_table, print_text

if TYPE_CHECKING:
    from quickdraw_lab.contest.environments import EnvironmentSpec
    from quickdraw_lab.contest.plan import Plan
    from quickdraw_lab.result_tables import Row

HELP = "compare policies on environments, each tuned with the same budget"
DESCRIPTION = (
    "Tune each policy on separate environments, then compare the policies on new ones. Prints the regret per round and "
    "its difference from Quick-Draw, paired over environments. Writes this table (contest.csv), every run "
    "(contest_runs.csv), the settings tried (contest_tuning.csv), the policies that could not play "
    "(contest_left_out.csv), pictures of ranks and regrets (contest_ranks, contest_regrets, .png and .svg), and one "
    "page of all this (contest.html). Runs "
    "are stored as they finish, and repeating the command continues where it stopped."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("policies", nargs="*", metavar="POLICY", help="policies, by class name (default: all)")
    parser.add_argument(
        "--without", nargs="+", default=[], metavar="POLICY", help="policies to leave out, for example slow ones"
    )
    add_own_policies(parser, "settings to try are its attribute contest_grid, a list of dictionaries")
    parser.add_argument(
        "--on",
        nargs="+",
        metavar="ENVIRONMENT",
        help="environments, by name (default: all, see --list), optionally with other settings: "
        "base:rho_x=0.3,noise=0.2",
    )
    parser.add_argument(
        "--recorded",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="recorded rewards (.npz, .npy or .csv, one row per round, one column per arm) as an environment with "
        "this name; gaps are interpolated over time and rewards scaled to [0, 1]; the first 40 %% of the rounds "
        "are for tuning and the rest for the result, or all rounds for both with --on NAME:hindsight=1; may be "
        "given several times",
    )
    parser.add_argument(
        "--arms-in-rows", action="store_true", help="recorded files have one row per arm, one column per round"
    )
    add_header_option(parser)
    add_number(parser, "--fields", 20, "number of environments of each kind for the result")
    add_number(parser, "--tuning-fields", 5, "number of other environments of each kind for tuning")
    add_number(parser, "--budget", 9, "number of settings tried per policy; 1 for its defaults")
    add_number(parser, "--arms", 1000, "number of arms, unless the environment sets it")
    add_number(parser, "--rounds", 1000, "number of rounds, unless the environment sets it")
    add_number(parser, "--warmup", 100, "number of random rounds at the start; the same share in all environments")
    add_seed(parser)
    parser.add_argument(
        "--again",
        nargs="+",
        default=[],
        metavar="POLICY",
        help="policies whose runs are repeated, as after a change to a built-in policy; runs of a policy of your own "
        "are repeated automatically when its file changes",
    )
    add_jobs(parser)
    add_runner_options(parser)
    add_out_folder(parser, "results/contest")
    parser.add_argument("--list", action="store_true", help="list all policies and environments, and play nothing")


def run(arguments: argparse.Namespace) -> int:
    """Tune, play, write, print and draw."""
    import_from_working_folder()
    recorded = _recorded(arguments)
    if arguments.list:
        _print_list(arguments, recorded)
        return 0
    from quickdraw_bandits import __version__
    from quickdraw_bandits.plots.style import require_matplotlib
    from quickdraw_lab.contest.runs import ContestRun, play_contest_runs
    from quickdraw_lab.contest.write import write_contest
    from quickdraw_lab.files import check_folder
    from quickdraw_lab.runner.missing import failures, play_missing
    from quickdraw_lab.runner.store import open_store

    require_matplotlib()
    plan = _plan(arguments, recorded)
    again = _again(arguments, plan)
    runner = runner_of(arguments, partial(play_contest_runs, plan.test_bed))
    check_folder(arguments.out)
    common = {"version": __version__, **plan.test_bed.describe()}
    with open_store(arguments.out / "contest.jsonl", common, ContestRun) as store:
        _print_notes(plan, recorded, arguments)
        for run in [run for run in store.records if run.contestant.policy in again]:
            del store.records[run]  # in the file, the new record comes later and replaces it
        with progress_bars("runs") as open_bar:
            tuning = plan.tuning_runs()
            if any(map(store.lacks, tuning)):
                play_missing(store, tuning, runner, open_bar("tuning"))
            result = plan.result_runs(store.records)
            if any(map(store.lacks, result)):
                play_missing(store, result, runner, open_bar("result"))
        failed = failures(store, [*tuning, *result])
        summary, written = write_contest(plan, store.records, arguments.out, failed)
    _print_summary(summary)
    written += report_failures(failed, arguments.out / "contest_failures.csv")
    print()
    print_text(f"written to {arguments.out}: {', '.join(written)}")
    return FAILED if failed else 0


def _recorded(arguments: argparse.Namespace) -> "dict[str, EnvironmentSpec]":
    from quickdraw_lab.contest.environments import ENVIRONMENTS, EnvironmentSpec
    from quickdraw_lab.contest.recorded_rewards import checksum, read_recorded

    found: dict[str, EnvironmentSpec] = {}
    for text in arguments.recorded:
        name, equals, path = text.partition("=")
        if not equals or not name or not path or set(name) & set(":,"):
            raise ValueError(f"--recorded must be NAME=FILE, with no colon or comma in the name, got {text!r}")
        if name in ENVIRONMENTS or name in found:
            raise ValueError(f"--recorded must give each file a new name, and there is an environment {name!r} already")
        path = str(Path(path).resolve())
        content = checksum(path)
        with naming_options():
            read_recorded(path, content, arguments.arms_in_rows, arguments.header)
        settings = [("arms_in_rows", 1.0)] if arguments.arms_in_rows else []
        settings += [] if arguments.header is None else [("header", float(arguments.header))]
        found[name] = EnvironmentSpec("recorded", tuple(settings), path, content)
    if not found:
        for option in ["--arms-in-rows"] * arguments.arms_in_rows + ["--header"] * (arguments.header is not None):
            raise ValueError(f"{option} needs recorded rewards; give --recorded too")
    return found


def _plan(arguments: argparse.Namespace, recorded: "Mapping[str, EnvironmentSpec]") -> "Plan":
    from quickdraw_lab.contest.environments import ENVIRONMENTS, find_environment
    from quickdraw_lab.contest.plan import Plan
    from quickdraw_lab.players.built_in import find_policies, known_policies
    from quickdraw_lab.players.by_name import full_name
    from quickdraw_lab.testbed import TestBed

    test_bed = TestBed(arguments.seed, arguments.arms, arguments.rounds, arguments.warmup)
    names = [policy.__name__ for policy in find_policies(arguments.policies or known_policies())]
    without = {policy.__name__ for policy in find_policies(arguments.without)}
    environments = {text: find_environment(text, recorded) for text in arguments.on or (*ENVIRONMENTS, *recorded)}
    policies = [name for name in (*names, *map(full_name, arguments.policy)) if name not in without]
    if not policies:
        raise ValueError("--without leaves no policy")
    return Plan.of(policies, environments, test_bed, arguments.fields, arguments.tuning_fields, arguments.budget)


def _again(arguments: argparse.Namespace, plan: "Plan") -> set[str]:
    from quickdraw_lab.players.by_name import full_name

    found = {full_name(name) for name in arguments.again}
    absent = found - {entry.policy for entry in plan.entries}
    if absent:
        raise ValueError(f"--again must name policies that take part, got {', '.join(sorted(absent))}")
    return found


def _print_notes(plan: "Plan", recorded: "Mapping[str, EnvironmentSpec]", arguments: argparse.Namespace) -> None:
    from quickdraw_lab.contest.grids import has_grid

    for row in plan.left_out:
        print(f"left out: {row['policy']} on {row['environment']}: {row['reason']}", file=sys.stderr)
    for policy in dict.fromkeys(entry.policy for entry in plan.entries if not entry.oracle):
        if not has_grid(policy):
            print(f"not tuned: {policy} has no grid and plays with its defaults", file=sys.stderr)
    if not recorded and not arguments.on:
        print("left out: recorded rewards; give them with --recorded NAME=FILE", file=sys.stderr)


def _print_summary(summary: "Sequence[Row]") -> None:
    from quickdraw_lab.contest.tables import readable_row

    for environment in dict.fromkeys(row["environment"] for row in summary):
        rows = [row for row in summary if row["environment"] == environment]
        count, reference = counted(rows[0]["fields"], "field"), rows[0]["reference"]
        print()
        print_text(f"{environment}, {count}; paired differences from {reference}")
        shown = [readable_row(row) for row in rows]
        if not any(row["version"] for row in shown):  # only policies of other libraries have one
            shown = [{name: value for name, value in row.items() if name != "version"} for row in shown]
        print_table(shown)


def _print_list(arguments: argparse.Namespace, recorded: "Mapping[str, EnvironmentSpec]") -> None:
    from quickdraw_lab.contest.listing import described_environments, described_policies

    print("Policies\n")
    for name, text in described_policies(arguments.policy):
        print_entry(name, text)
    print("\nEnvironments; change settings as in base:rho_x=0.3,noise=0.2\n")
    for name, text in described_environments(recorded):
        print_entry(name, text)
    if not recorded:
        print_entry("recorded rewards", "none; give them with --recorded NAME=FILE")
