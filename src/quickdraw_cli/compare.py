"""``quickdraw compare``: a contest of policies on environments."""

import argparse
import math
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quickdraw_cli.options import add_engine_options, engine_of
from quickdraw_cli.progress import progress_bars

if TYPE_CHECKING:
    from quickdraw_lab.contest.arenas import Arena
    from quickdraw_lab.contest.plan import Plan

FAILED = 1


def add_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "compare",
        help="a fair contest: policies on environments, each tuned by the same budget",
        description="Play policies on environments, each with the parameters that did best there on environments that "
        "then do not count; prints a table of regret per round with its difference to Quick-Draw, paired over "
        "environments, and writes it (contest.csv) with every run (contest_runs.csv), what was tried "
        "(contest_tuning.csv), who could not play (contest_left_out.csv), ranks (contest_ranks.png, .svg) and regrets "
        "(contest_regrets.png, .svg). Runs are stored as they finish, and the same command goes on where it was "
        "stopped.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "policies", nargs="*", metavar="POLICY", help="which policies, by the names of their classes (default: all)"
    )
    parser.add_argument(
        "--without", nargs="+", default=[], metavar="POLICY", help="leave these out, for example those that take long"
    )
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="MODULE:CLASS",
        help="a class of your own with select and update, built as Class(arms, seed=...); the settings to try are its "
        "attribute contest_grid, a list of dictionaries; may be given several times",
    )
    parser.add_argument(
        "--on",
        nargs="+",
        metavar="ENVIRONMENT",
        help="which environments, by name (default: all, see --list), with settings of your own if you like: "
        "base:rho_x=0.3,noise=0.2",
    )
    parser.add_argument(
        "--recorded",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="recorded rewards (.npz, .npy or .csv, one row to a round and one column to an arm), as an environment of "
        "this name; gaps are filled along time, all is scaled to [0, 1]; the first two fifths of the rounds are for "
        "tuning, the rest for the result, or all for both with --on NAME:hindsight=1; may be given several times",
    )
    parser.add_argument(
        "--arms-in-rows", action="store_true", help="recorded files have one row to an arm and one column to a round"
    )
    for option, default, what in (
        ("fields", 20, "how many environments of each kind count"),
        ("tuning-fields", 5, "on how many others settings are tried"),
        ("budget", 9, "how many settings of each policy are tried; 1 for its defaults"),
        ("arms", 1000, "how many arms, where an environment does not say"),
        ("rounds", 1000, "how many rounds, where an environment does not say"),
        ("warmup", 100, "how many of these rounds are random at first; the same share in all environments"),
        ("seed", 0, "all randomness comes from it"),
    ):
        parser.add_argument(f"--{option}", type=int, default=default, metavar="N", help=f"{what} (default {default})")
    parser.add_argument(
        "--again",
        nargs="+",
        default=[],
        metavar="POLICY",
        help="play all runs of these again, as after a change to a policy of this package; those from elsewhere are "
        "played again by themselves when their file changes",
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="how many processes (default: one to a core)")
    add_engine_options(parser)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results/contest"),
        metavar="DIR",
        help="folder to write to (default results/contest)",
    )
    parser.add_argument("--list", action="store_true", help="show all policies and environments, and play nothing")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play, choose, play again; write, print and draw."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # a policy of one's own lies there more often than not
    recorded = _recorded(arguments)
    if arguments.list:
        _print_list(arguments, recorded)
        return 0
    from quickdraw_bandits import __version__
    from quickdraw_bandits.checks import integer
    from quickdraw_lab.contest.runs import ContestRun, play_contest
    from quickdraw_lab.contest.write import write_contest
    from quickdraw_lab.files import check_folder
    from quickdraw_lab.plots.style import require_matplotlib
    from quickdraw_lab.runner import complete, failures
    from quickdraw_lab.store import open_store

    require_matplotlib()
    jobs = (os.cpu_count() or 1) if arguments.jobs is None else integer("jobs", arguments.jobs, at_least=1)
    plan = _plan(arguments, recorded)
    again = _again(arguments, plan)
    engine = engine_of(arguments, partial(play_contest, plan.bed), jobs)
    check_folder(arguments.out)
    common = {"version": __version__, **plan.bed.describe()}
    with open_store(arguments.out / "contest.jsonl", common, ContestRun) as store:
        _say_who_stays_out(plan, recorded, arguments)
        for run in [run for run in store.records if run.contestant.policy in again]:
            del store.records[run]  # on disk, what is played now comes later and takes its place
        with progress_bars("runs") as open_bar:
            tuning = plan.tuning_runs()
            if any(map(store.lacks, tuning)):
                complete(store, tuning, engine, open_bar("tuning"))
            result = plan.result_runs(store.records)
            if any(map(store.lacks, result)):
                complete(store, result, engine, open_bar("result"))
        summary, written = write_contest(plan, store.records, arguments.out)
        failed = failures(store, [*tuning, *result])
    _print_summary(summary)
    if failed:
        _report(failed, arguments.out, written)
    else:
        (arguments.out / "contest_failures.csv").unlink(missing_ok=True)
    print(f"\nwritten to {arguments.out}: {', '.join(written)}")
    return FAILED if failed else 0


def _recorded(arguments: argparse.Namespace) -> "dict[str, Arena]":
    from quickdraw_lab.contest.arenas import ARENAS, Arena
    from quickdraw_lab.contest.records import checksum, read_record

    found = {}
    for text in arguments.recorded:
        name, equals, path = text.partition("=")
        if not equals or not name or not path or set(name) & set(":,"):
            raise ValueError(f"--recorded must be NAME=FILE, the name without colon or comma, got {text!r}")
        if name in ARENAS or name in found:
            raise ValueError(f"--recorded must give each file a name that no other environment has, got {name!r}")
        path = str(Path(path).resolve())
        content = checksum(path)
        read_record(path, content, arguments.arms_in_rows)
        settings = (("arms_in_rows", 1.0),) if arguments.arms_in_rows else ()
        found[name] = Arena("recorded", settings, path, content)
    if arguments.arms_in_rows and not found:
        raise ValueError("--arms-in-rows is for recorded rewards; give --recorded as well")
    return found


def _plan(arguments: argparse.Namespace, recorded: "Mapping[str, Arena]") -> "Plan":
    from quickdraw_lab.bed import Bed
    from quickdraw_lab.contest.arenas import ARENAS, find_arena
    from quickdraw_lab.contest.plan import Plan
    from quickdraw_lab.known_policies import find_policies, known_policies
    from quickdraw_lab.own_policies import full_name

    bed = Bed(arguments.seed, arguments.arms, arguments.rounds, arguments.warmup)
    names = [policy.__name__ for policy in find_policies(arguments.policies or known_policies())]
    without = {policy.__name__ for policy in find_policies(arguments.without)}
    arenas = {text: find_arena(text, recorded) for text in arguments.on or (*ARENAS, *recorded)}
    policies = [name for name in (*names, *map(full_name, arguments.policy)) if name not in without]
    if not policies:
        raise ValueError("--without leaves no policy")
    return Plan.of(policies, arenas, bed, arguments.fields, arguments.tuning_fields, arguments.budget)


def _again(arguments: argparse.Namespace, plan: "Plan") -> set[str]:
    from quickdraw_lab.own_policies import full_name

    found = {full_name(name) for name in arguments.again}
    strangers = found - {entry.policy for entry in plan.entries}
    if strangers:
        raise ValueError(f"--again is for policies that take part, and {', '.join(sorted(strangers))} does not")
    return found


def _say_who_stays_out(plan: "Plan", recorded: "Mapping[str, Arena]", arguments: argparse.Namespace) -> None:
    from quickdraw_lab.contest.grids import has_grid

    for row in plan.left_out:
        print(f"left out: {row['policy']} on {row['environment']}: {row['reason']}", file=sys.stderr)
    for policy in dict.fromkeys(entry.policy for entry in plan.entries):
        if not has_grid(policy) and not any(entry.yardstick for entry in plan.entries if entry.policy == policy):
            print(f"not tuned: {policy} has no grid, and plays with its defaults", file=sys.stderr)
    if not recorded and not arguments.on:
        print("left out: recorded rewards, as no file is given with --recorded NAME=FILE", file=sys.stderr)


def _print_summary(summary: Sequence[Mapping[str, Any]]) -> None:
    from quickdraw_bandits.evaluation.tables import text_table

    for environment in dict.fromkeys(row["environment"] for row in summary):
        rows = [row for row in summary if row["environment"] == environment]
        print(f"\n{environment}, {_counted(rows[0]['fields'], 'field')}; differences to {rows[0]['reference']}, paired")
        print(text_table([_readable(row) for row in rows]))


def _readable(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "policy": row["policy"] + (" (attainable)" if row["role"] == "attainable" else ""),
        "regret per round": row["regret_per_round"],
        "difference": row["difference"],
        "95 % interval": "-"
        if math.isnan(row["difference_low"])
        else f"[{row['difference_low']:+.4f}, {row['difference_high']:+.4f}]",
        "verdict": row["verdict"],
        "ms per choice": 1e3 * row["seconds_per_choice"],
        "parameters": row["parameters"],
        "version": row["version"],
    }


def _print_list(arguments: argparse.Namespace, recorded: "Mapping[str, Arena]") -> None:
    from quickdraw_lab.contest.listing import arena_lines, policy_lines

    print("Policies\n")
    for line in policy_lines(arguments.policy):
        print(line)
    print("\nEnvironments; settings are changed as in base:rho_x=0.3,noise=0.2\n")
    for line in arena_lines(recorded):
        print(line)
    if not recorded:
        print("recorded rewards: none given; --recorded NAME=FILE")


def _report(failed: list[dict[str, Any]], out: Path, written: list[str]) -> None:
    from quickdraw_lab.files import write_csv

    write_csv(out / "contest_failures.csv", failed)
    written.append("contest_failures.csv")
    first = failed[0]
    print(
        f"{_counted(len(failed), 'run')} failed, the first of them of {first['policy']}: {first['message']}",
        file=sys.stderr,
    )


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
