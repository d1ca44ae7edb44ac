"""F1-F11 and F13 for ``quickdraw reproduce``: simulated experiments."""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from quickdraw_cli.options import add_engine_options, engine_of
from quickdraw_cli.progress import progress_bars

if TYPE_CHECKING:
    from quickdraw_lab.bed import Bed
    from quickdraw_lab.runner import Engine
    from quickdraw_lab.runs import Contestant, Run
    from quickdraw_lab.store import Store

PIECES = ("F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F13")


def add_simulated_options(parser: argparse.ArgumentParser) -> None:
    """Add what describes the test bed and where it runs."""
    parser.add_argument(
        "--fields", type=int, default=100, metavar="N", help="how many random fields to a setting (default 100)"
    )
    for option, default, what in (("arms", 1000, "arms"), ("rounds", 1000, "rounds"), ("warmup", 100, "random rounds")):
        parser.add_argument(
            f"--{option}", type=int, default=default, metavar="N", help=f"how many {what} (default {default})"
        )
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="MODULE:CLASS",
        help="a class of your own with select and update, built as Class(arms, seed=...), or the name of another "
        "policy of the package; it joins F4-F7; may be given several times",
    )
    add_engine_options(parser)


@dataclass(frozen=True)
class Plan:
    """What the options ask for, checked before anything is written."""

    bed: "Bed"
    fields: int
    own: "Sequence[Contestant]"
    engine: "Engine[Run]"

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "Plan":
        """Check the options."""
        from quickdraw_bandits.checks import integer
        from quickdraw_bandits.evaluation.workers import cores
        from quickdraw_lab.bed import Bed
        from quickdraw_lab.known_policies import PAPER
        from quickdraw_lab.own_policies import full_name, source_of
        from quickdraw_lab.runs import Contestant, play_task

        fields = integer("fields", arguments.fields, at_least=1)
        jobs = cores() if arguments.jobs is None else integer("jobs", arguments.jobs, at_least=1)
        bed = Bed(arguments.seed, arguments.arms, arguments.rounds, arguments.warmup)
        if arguments.policy and os.getcwd() not in sys.path:
            # A policy of one's own lies there more often than not. Last, so that no file there hides a library.
            sys.path.append(os.getcwd())
        names = dict.fromkeys(map(full_name, arguments.policy))
        own = [Contestant(name, source=source_of(name)) for name in names if name not in PAPER]
        return cls(bed, fields, own, engine_of(arguments, partial(play_task, bed), jobs))


def reproduce_simulated(plan: Plan, pieces: Sequence[str], out: Path, store: "Store[Run]") -> tuple[list[str], int]:
    """Play, write and draw; return the names of the files, and how many runs failed."""
    from quickdraw_lab.runner import complete, failures
    from quickdraw_lab.simulated import sweeps_behind, write_piece
    from quickdraw_lab.sweeps import runs_of

    runs = runs_of(sweeps_behind(pieces), plan.fields, plan.own)
    if any(map(store.lacks, runs)):
        with progress_bars("runs") as open_bar:
            complete(store, runs, plan.engine, open_bar("simulated runs"))

    failed = failures(store, runs)
    written = []
    for piece in pieces:
        written += write_piece(piece, out, plan.bed, store.records, plan.fields, plan.own)
    _report_failures(out, failed, written)
    return written, len(failed)


def _report_failures(out: Path, failed: list[dict[str, object]], written: list[str]) -> None:
    from quickdraw_lab.files import write_csv

    path = out / "failures.csv"
    if not failed:
        path.unlink(missing_ok=True)
        return
    write_csv(path, failed)
    written.append(path.name)
    first = failed[0]
    print(
        f"{len(failed)} runs failed, the first of them {first['policy']} on field {first['field']}: {first['message']}",
        file=sys.stderr,
    )
