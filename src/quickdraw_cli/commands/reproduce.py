"""``quickdraw reproduce``: the paper's figures and table."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from quickdraw_cli.failures import FAILED, report_failures
from quickdraw_cli.logs import add_evaluation_options, describe, evaluate, weaknesses
from quickdraw_cli.options import (
    add_number,
    add_own_policies,
    add_policies,
    add_runner_options,
    import_from_working_folder,
    runner_of,
)
from quickdraw_cli.progress import progress_bars
from quickdraw_cli.table_options import naming_options
from quickdraw_cli.terminal import print_table, print_text
from quickdraw_lab.figures.catalogue import FIGURES, ON_A_LOG, SIMULATED

if TYPE_CHECKING:
    from quickdraw_bandits.datasets import Log
    from quickdraw_bandits.evaluation.off_policy.protocol import Build, Truth
    from quickdraw_lab.figures.field_run import FieldRun
    from quickdraw_lab.players.contestant import Contestant
    from quickdraw_lab.runner.run import Runner
    from quickdraw_lab.runner.store import Store
    from quickdraw_lab.testbed import TestBed

HELP = "compute the paper's figures and table"
DESCRIPTION = (
    "Compute figures and the table of the paper. Each writes its table (F4.csv) and picture (F4.png, F4.svg). F1-F11 "
    "and F13 are simulated; runs are stored as they finish, and repeating the command continues where it stopped. "
    "TAB1 and F12 are estimated from a log: the Open Bandit Dataset (--data), its public sample of 10,000 events "
    "(the default), or a generated log whose true values are known (--generate)."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "figures", nargs="+", choices=(*FIGURES, "all"), metavar="ID", help=f"any of {', '.join(FIGURES)}, or all"
    )
    add_number(parser, "--fields", 100, "number of random fields per setting")
    add_number(parser, "--arms", 1000, "number of arms")
    add_number(parser, "--rounds", 1000, "number of rounds")
    add_number(parser, "--warmup", 100, "number of random rounds at the start")
    add_own_policies(parser, "or the name of another built-in policy; joins F4-F7")
    add_runner_options(parser)
    parser.add_argument("--data", metavar="DIR", help="folder of the Open Bandit Dataset, as published")
    parser.add_argument("--generate", type=int, metavar="N", help="generate a log of N events instead of reading one")
    add_policies(parser, "policies in TAB1", "the five of the paper")
    add_evaluation_options(parser, runs=10, out="results")


def run(arguments: argparse.Namespace) -> int:
    """Compute, write and draw."""
    from quickdraw_bandits import __version__
    from quickdraw_bandits.plots.style import require_matplotlib
    from quickdraw_lab.figures.field_run import FieldRun
    from quickdraw_lab.files import check_folder
    from quickdraw_lab.runner.store import open_store

    figures = list(FIGURES if "all" in arguments.figures else dict.fromkeys(arguments.figures))
    simulated = [figure for figure in figures if figure in SIMULATED]
    on_a_log = [figure for figure in figures if figure in ON_A_LOG]
    require_matplotlib()
    plan = Simulations.of(arguments)
    log_plan = LogEvaluations.of(arguments, on_a_log) if on_a_log else None
    check_folder(arguments.out)
    written: list[str] = []
    failed = False
    common = {"version": __version__, **plan.test_bed.describe()}
    with open_store(arguments.out / "runs.jsonl", common, FieldRun) as store:
        if simulated:
            written, failed = _reproduce_simulated(arguments, plan, simulated, store)
        if log_plan is not None:
            written += _reproduce_on_log(arguments, log_plan)
    print()
    print_text(f"written to {arguments.out}: {', '.join(written)}")
    return FAILED if failed else 0


@dataclass(frozen=True)
class Simulations:
    """What the options say about simulations, checked before anything is written."""

    test_bed: "TestBed"
    fields: int
    own: "Sequence[Contestant]"
    runner: "Runner[FieldRun]"

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "Simulations":
        """Check the options."""
        from quickdraw_bandits.checks import integer
        from quickdraw_lab.figures.field_run import play_field_runs
        from quickdraw_lab.players.built_in import PAPER
        from quickdraw_lab.players.by_name import full_name, source_of
        from quickdraw_lab.players.contestant import Contestant
        from quickdraw_lab.testbed import TestBed

        fields = integer("fields", arguments.fields, at_least=1)
        test_bed = TestBed(arguments.seed, arguments.arms, arguments.rounds, arguments.warmup)
        runner = runner_of(arguments, partial(play_field_runs, test_bed))
        if arguments.policy:
            import_from_working_folder()
        names = dict.fromkeys(map(full_name, arguments.policy))
        own = [Contestant(name, source=source_of(name)) for name in names if name not in PAPER]
        return cls(test_bed, fields, own, runner)


def _reproduce_simulated(
    arguments: argparse.Namespace, plan: Simulations, figures: Sequence[str], store: "Store[FieldRun]"
) -> tuple[list[str], bool]:
    """Play, write and draw; return the names of the files, and whether runs failed."""
    from quickdraw_lab.figures.write import runs_behind, write_figure
    from quickdraw_lab.runner.missing import failures, play_missing

    runs = runs_behind(figures, plan.fields, plan.own)
    if any(map(store.lacks, runs)):
        with progress_bars("runs") as open_bar:
            play_missing(store, runs, plan.runner, open_bar("simulated runs"))
    written = []
    for figure in figures:
        written += write_figure(figure, arguments.out, plan.test_bed, store.records, plan.fields, plan.own)
    failed = failures(store, runs)
    return written + report_failures(failed, arguments.out / "failures.csv"), bool(failed)


@dataclass(frozen=True)
class LogEvaluations:
    """What the options say about a log, checked and read before anything is computed."""

    builders: "Mapping[str, Mapping[str, Build]]"
    log: "Log"
    truth: "Truth | None"

    @classmethod
    def of(cls, arguments: argparse.Namespace, figures: Sequence[str]) -> "LogEvaluations":
        """Check the options and read the log."""
        from quickdraw_bandits.checks import integer

        integer("runs", arguments.runs, at_least=1)
        builders = {figure: ON_A_LOG[figure].builders(arguments.policies or ()) for figure in figures}
        return cls(builders, *_read_or_generate(arguments))


def _reproduce_on_log(arguments: argparse.Namespace, plan: LogEvaluations) -> list[str]:
    """Evaluate, print, write and draw; return the names of the files."""
    from quickdraw_lab.files import write_csv
    from quickdraw_lab.log_evaluation import summary_rows
    from quickdraw_lab.pictures import save_both

    print_text(describe(plan.log))
    written = []
    for name, builders in plan.builders.items():
        figure = ON_A_LOG[name]
        rows = evaluate(arguments, plan.log, builders, truth=plan.truth)
        summary = summary_rows(rows)
        table = figure.table(summary)
        print(f"\n{name}, in percent")
        print_table(figure.shown(table))
        for line in weaknesses([row for row in summary if row["estimator"] == "ips"]):
            print_text(line)
        write_csv(arguments.out / f"{name}.csv", table)
        write_csv(arguments.out / f"{name}_estimates.csv", rows)
        written += [f"{name}.csv", f"{name}_estimates.csv"]
        if figure.draw is not None:
            written += save_both(figure.draw(table, plan.log.source), arguments.out, name)
    return written


def _read_or_generate(arguments: argparse.Namespace) -> "tuple[Log, Truth | None]":
    """Return the log that the options name, and its true values if they are known."""
    from quickdraw_bandits.datasets import generate_log, open_bandit

    if arguments.generate is not None:
        if arguments.data is not None or arguments.sort:
            raise ValueError("--generate makes a log, --data and --sort read one; leave one of them out")
        return generate_log(arguments.generate, seed=arguments.seed)
    with naming_options():
        return open_bandit(arguments.data, sort=arguments.sort), None
