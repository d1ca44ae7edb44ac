"""The parser of the whole command line. Building it imports nothing heavy."""

import argparse
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import NoReturn, Protocol

from quickdraw_bandits import __version__
from quickdraw_cli.commands import bench, compare, demo, evaluate, play, report, reproduce, tune, warm_up


class Command(Protocol):
    """What the module of a command provides."""

    HELP: str
    DESCRIPTION: str

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments of the command."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command and return its exit status."""


COMMANDS: Mapping[str, Command] = {
    "demo": demo,
    "play": play,
    "tune": tune,
    "compare": compare,
    "evaluate": evaluate,
    "reproduce": reproduce,
    "report": report,
    "bench": bench,
    "warm-up": warm_up,
}


class OneLineParser(argparse.ArgumentParser):
    """Reports bad input in one line."""

    parsers: Mapping[str, argparse.ArgumentParser]
    """The parsers of the commands."""

    def parse_args(  # type: ignore[override]  # no other namespace is needed
        self, args: Iterable[str] | None = None, namespace: None = None
    ) -> argparse.Namespace:
        """Refuse unknown options on behalf of the command, and suggest the most similar one."""
        parsed, unknown = self.parse_known_args(None if args is None else list(args), namespace)
        if unknown:
            parser = self.parsers[parsed.command]
            known = [option for action in parser._actions for option in action.option_strings]
            near = get_close_matches(unknown[0].split("=")[0], known, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            parser.error(f"unknown argument {unknown[0]}{meant}")
        return parsed

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and exit with status 2."""
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def build_parser() -> OneLineParser:
    """Return the parser with all commands."""
    parser = OneLineParser(
        prog="quickdraw",
        description="Bandits for drifting rewards and very many arms.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"quickdraw {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        command = commands.add_parser(name, help=module.HELP, description=module.DESCRIPTION, allow_abbrev=False)
        module.add_options(command)
        command.set_defaults(run=module.run)
    parser.parsers = commands.choices
    return parser
