"""The parser of the whole command line; building it imports nothing heavy."""

import argparse
from typing import NoReturn

from quickdraw_bandits import __version__
from quickdraw_bandits.cli import evaluate, play, report, reproduce, tune


class OneLineParser(argparse.ArgumentParser):
    """Answers bad input with one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and leave with status 2."""
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with all commands."""
    parser = OneLineParser(
        prog="quickdraw",
        description="Bandits for rewards that drift and choices that are extremely many.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"quickdraw {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in (play, tune, evaluate, reproduce, report):
        command.add_command(commands)
    return parser
