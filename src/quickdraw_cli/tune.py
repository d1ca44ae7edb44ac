"""``quickdraw tune``: grid search of a policy's parameters."""

import argparse
from functools import cache
from pathlib import Path
from typing import Any

from quickdraw_cli.options import add_environment_options, random_field, recorded_environment
from quickdraw_cli.progress import progress_bars

FIELDS = 5


def add_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "tune",
        help="find the parameters with which a policy earns most",
        description="Play a policy with every combination of the given parameters, on several random fields or on "
        "recorded rewards, and print a table, the combination that earns most first.",
        allow_abbrev=False,
    )
    parser.add_argument("policy", metavar="POLICY", help="the name of its class, for example QuickDraw")
    parser.add_argument(
        "--grid",
        nargs="+",
        required=True,
        metavar="NAME=VALUE,...",
        help="the values to try for each parameter, for example length_scale=0.1,1,10 time_scale=1,none",
    )
    parser.add_argument(
        "--fields",
        type=int,
        metavar="N",
        help=f"how many random fields to play on, of the seeds from --seed on (default {FIELDS})",
    )
    add_environment_options(parser)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many processes (default 1)")
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="also write the table to this file")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Tune and print."""
    from quickdraw_bandits.evaluation import tune
    from quickdraw_lab.files import check_folder, write_csv
    from quickdraw_lab.known_policies import find_policies

    (policy,) = find_policies([arguments.policy])
    grid = parse_grid(arguments.grid)
    environments = _environments(arguments)
    if arguments.out is not None:
        if arguments.out.is_dir():
            raise ValueError(f"--out must be a file, got the folder {arguments.out}")
        check_folder(arguments.out.parent)
    with progress_bars("runs") as open_bar:
        bar = cache(open_bar)  # opened when there is something to report: not if the input is refused
        result = tune(
            policy,
            grid,
            environments,
            arguments.warmup,
            arguments.seed,
            arguments.jobs,
            progress=lambda done, total: bar(policy.__name__)(done, total),
        )
    print(result.table())
    if arguments.out is not None:
        write_csv(arguments.out, result.rows)
        print(f"\nwritten to {arguments.out}")


def _environments(arguments: argparse.Namespace) -> Any:
    recorded = recorded_environment(arguments)
    if recorded is not None:
        if arguments.fields is not None:
            raise ValueError("--fields is for random fields and has no effect with --data; leave one of them out")
        return recorded
    from quickdraw_bandits.checks import integer

    count = integer("--fields", FIELDS if arguments.fields is None else arguments.fields, at_least=1)
    return [random_field(arguments, arguments.seed + i) for i in range(count)]


def parse_grid(items: list[str]) -> dict[str, list[Any]]:
    """Return the values by parameter from texts like ``window=50,100``.

    Examples
    --------
    >>> parse_grid(["window=50,100", "time_scale=0.5,none"])
    {'window': [50, 100], 'time_scale': [0.5, None]}
    """
    grid: dict[str, list[Any]] = {}
    for item in items:
        name, equals, values = item.partition("=")
        if not name or not equals or "" in values.split(","):
            raise ValueError(f"--grid must be NAME=VALUE,VALUE,... for each parameter, got {item!r}")
        if name in grid:
            raise ValueError(f"--grid must name each parameter once, got {name} twice")
        grid[name] = [_value(text) for text in values.split(",")]
    return grid


def _value(text: str) -> Any:
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
