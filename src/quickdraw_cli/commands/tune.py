"""``quickdraw tune``: grid search of a policy's parameters."""

import argparse
from collections.abc import Mapping
from functools import cache
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from quickdraw_cli.options import add_environment_options, add_number, random_field, recorded_environment
from quickdraw_cli.progress import progress_bars
from quickdraw_cli.terminal import print_table, print_text

if TYPE_CHECKING:
    from quickdraw_bandits.environments import Environment

Value = bool | int | float | str | None
FIELDS = 5


HELP = "find the parameters with which a policy earns most"
DESCRIPTION = (
    "Play a policy with every combination of the given parameters, on several random fields or on recorded rewards. "
    "Prints a table, sorted by reward."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("policy", metavar="POLICY", help="class name of the policy, for example QuickDraw")
    parser.add_argument(
        "--grid",
        nargs="+",
        required=True,
        metavar="NAME=VALUE,...",
        help="values to try for each parameter, for example length_scale=0.1,1,10 time_scale=1,none",
    )
    parser.add_argument(
        "--fields",
        type=int,
        metavar="N",
        help=f"number of random fields to play on, with consecutive seeds from --seed (default {FIELDS})",
    )
    add_environment_options(parser)
    add_number(parser, "--jobs", 1, "number of processes")
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="also write the table to this file")


def run(arguments: argparse.Namespace) -> int:
    """Tune and print."""
    from quickdraw_bandits.evaluation import tune
    from quickdraw_lab.files import check_folder, write_csv
    from quickdraw_lab.players.built_in import find_policies

    (policy,) = find_policies([arguments.policy])
    grid = parse_grid(arguments.grid)
    environments = _environments(arguments)
    if arguments.out is not None:
        if arguments.out.is_dir():
            raise ValueError(f"--out must be a file, got the folder {arguments.out}")
        check_folder(arguments.out.parent)
    with progress_bars("runs") as open_bar:
        bar = cache(open_bar)  # opened at the first report, so not at all if the input is refused
        result = tune(
            policy,
            grid,
            environments,
            arguments.warmup,
            arguments.seed,
            arguments.jobs,
            progress=lambda done, total: bar(policy.__name__)(done, total),
        )
    print_table([_shown(row, grid) for row in result.rows], keys=len(grid))
    if arguments.out is not None:
        write_csv(arguments.out, result.rows)
        print()
        print_text(f"written to {arguments.out}")
    return 0


def _shown(row: Mapping[str, object], grid: Mapping[str, object]) -> dict[str, object]:
    """Return the row of a setting as it is printed, without the standard error if there is one environment."""
    results = {name: float(str(value)) for name, value in row.items() if name not in grid}
    if isnan(results["standard_error"]):
        del results["standard_error"]
    results["ms_per_choice"] = 1e3 * results.pop("seconds_per_choice")
    setting = {name: row[name] for name in grid}
    return setting | {name.replace("_", " "): value for name, value in results.items()}


def _environments(arguments: argparse.Namespace) -> "Environment | list[Environment]":
    recorded = recorded_environment(arguments)
    if recorded is not None:
        if arguments.fields is not None:
            raise ValueError("--fields needs random fields and has no effect with --data; leave one of them out")
        return recorded
    from quickdraw_bandits.checks import integer

    count = integer("--fields", FIELDS if arguments.fields is None else arguments.fields, at_least=1)
    return [random_field(arguments, arguments.seed + i) for i in range(count)]


def parse_grid(items: list[str]) -> dict[str, list[Value]]:
    """Return the values of each parameter from texts like ``window=50,100``.

    Examples
    --------
    >>> parse_grid(["window=50,100", "time_scale=0.5,none"])
    {'window': [50, 100], 'time_scale': [0.5, None]}
    """
    grid: dict[str, list[Value]] = {}
    for item in items:
        name, equals, values = item.partition("=")
        if not name or not equals or "" in values.split(","):
            raise ValueError(f"--grid must be NAME=VALUE,VALUE,... for each parameter, got {item!r}")
        if name in grid:
            raise ValueError(f"--grid must name each parameter once, got {name} twice")
        grid[name] = [_value(text) for text in values.split(",")]
    return grid


def _value(text: str) -> Value:
    words: dict[str, Value] = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
