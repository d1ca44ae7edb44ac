"""The parser of the whole command line; building it imports nothing heavy."""

import argparse
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, NoReturn

from quickdraw_bandits import __version__
from quickdraw_cli import bench, compare, evaluate, play, report, reproduce, tune


class OneLineParser(argparse.ArgumentParser):
    """Answers bad input with one line."""

    _commands: Mapping[str, argparse.ArgumentParser]

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown options in the name of the command that got them, and say which one was perhaps meant."""
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            parser = self._commands[parsed.command]
            known = [option for action in parser._actions for option in action.option_strings]
            near = get_close_matches(unknown[0].split("=")[0], known, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            parser.error(f"unknown argument {unknown[0]}{meant}")
        return parsed

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
    for command in (play, tune, compare, evaluate, reproduce, report, bench):
        command.add_command(commands)
    parser._commands = commands.choices
    return parser
