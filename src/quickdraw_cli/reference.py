"""The page that lists all commands, made from their parsers.

``python -m quickdraw_cli.reference > docs/commands.md`` writes it.
"""

import argparse
from collections.abc import Iterator

from quickdraw_cli.parser import build_parser


def reference() -> str:
    """Return the page as Markdown."""
    parser = build_parser()
    lines = [
        "# Commands",
        "",
        f"{parser.description} Every command ends with status 0 when all went well, with 1",
        "when some of its runs failed, with 2 and one line on the error output for bad input, and with 130 when it was",
        "stopped.",
        "",
    ]
    for name, command in _commands(parser).items():
        lines += [f"## quickdraw {name}", "", str(command.description), "", "| argument | meaning |", "|---|---|"]
        lines += [f"| `{argument}` | {meaning} |" for argument, meaning in _arguments(command)]
        lines.append("")
    return "\n".join(lines)


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise AssertionError("the parser has no commands")


def _arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        several = " …" if action.nargs == "+" else ""
        value = "" if action.nargs == 0 else f"{action.metavar or action.dest}{several}"
        name = f"{action.option_strings[-1]} {value}".strip() if action.option_strings else value
        yield name, (action.help or "") + ("; required" if action.option_strings and action.required else "")


if __name__ == "__main__":
    print(reference(), end="")
