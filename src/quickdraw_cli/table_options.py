"""Options for tables in files, and errors in their words."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

_WORDS = {
    "read with sort=True": "give --sort",
    "read with decimal=','": "give --decimal ,",
    "read with fill=0": "give --fill 0",
    "fill='linear', 'previous' or a number fills gaps": "--fill linear, previous or a number fills gaps",
    "header=True or header=False": "--header or --no-header",
    **{f"name yours by {role}=...": f"name yours with --{role}" for role in ("time", "arm", "reward", "propensity")},
    "time=...": "--time-column",
}
"""What readers advise a caller to do, and the same for the command line."""


def add_layout_options(parser: argparse.ArgumentParser) -> None:
    """Add how the text of a table is laid out."""
    parser.add_argument(
        "--separator",
        type=_separator,
        metavar="CHAR",
        help="character between fields of a text file, or the word tab (default: found)",
    )
    parser.add_argument(
        "--decimal", choices=(".", ","), default=".", metavar="MARK", help="decimal mark of a text file (default .)"
    )


def add_header_option(parser: argparse.ArgumentParser) -> None:
    """Add whether a text file of rewards begins with the names of the arms."""
    parser.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether the first row of a text file names the arms (default: found)",
    )


def add_reward_table_options(parser: argparse.ArgumentParser) -> None:
    """Add how a table of recorded rewards is read."""
    parser.add_argument(
        "--time-column", metavar="COLUMN", help="column of times, numbers or dates, in --data; scaled to [0, 1]"
    )
    parser.add_argument(
        "--arm-column", metavar="COLUMN", help="column of arms, if --data has one row for each time and arm"
    )
    parser.add_argument(
        "--reward-column", metavar="COLUMN", help="column of rewards, if --data has one row for each time and arm"
    )
    add_header_option(parser)
    parser.add_argument(
        "--fill",
        type=_fill,
        metavar="HOW",
        help="fill gaps in --data: linear (interpolate over the rounds), previous (repeat the reward before) or a "
        "number",
    )
    add_layout_options(parser)


def given_table_options(arguments: argparse.Namespace) -> list[str]:
    """Return the options about tables that were given."""
    names = ("time_column", "arm_column", "reward_column", "header", "fill", "separator")
    given = [f"--{name.replace('_', '-')}" for name in names if getattr(arguments, name) is not None]
    return given + ["--decimal"] * (arguments.decimal != ".")


@contextmanager
def naming_options() -> Iterator[None]:
    """Replace the arguments of the library by the options of the command in errors of readers."""
    try:
        yield
    except ValueError as error:
        text = str(error)
        for advice, option in _WORDS.items():
            text = text.replace(advice, option)
        raise ValueError(text) from None


def _separator(text: str) -> str:
    return {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)


def _fill(text: str) -> float | Literal["linear", "previous"]:
    if text == "linear":
        return "linear"
    if text == "previous":
        return "previous"
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be linear, previous or a number, got {text!r}") from None
