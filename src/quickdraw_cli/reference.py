"""The page of all commands in the documentation.

``python -m quickdraw_cli.reference > docs/commands.md`` writes it from the parsers.
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
        "Every command exits with status 0 on success, 1 if some of its runs failed, 2 for bad input (with one line on",
        "the error output) and 130 if it was interrupted.",
        "",
    ]
    for name, command in parser.parsers.items():
        lines += [f"## quickdraw {name}", "", str(command.description), "", "| argument | meaning |", "|---|---|"]
        lines += [f"| `{argument}` | {meaning} |" for argument, meaning in _arguments(command)]
        lines.append("")
    return "\n".join(lines)


def _arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction) or action.help == argparse.SUPPRESS:
            continue
        several = " …" if action.nargs == "+" else ""
        value = "" if action.nargs == 0 else f"{action.metavar or action.dest}{several}"
        options = action.option_strings[-1:]
        if isinstance(action, argparse.BooleanOptionalAction):
            options, value = list(action.option_strings), ""
        name = f"{', '.join(options)} {value}".strip()
        yield (
            name,
            (action.help or "").replace("%%", "%")
            + ("; required" if action.option_strings and action.required else ""),
        )


if __name__ == "__main__":
    print(reference(), end="")
