"""Tables in the terminal, as wide as it is."""

import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence

from quickdraw_bandits.evaluation.tables import text_table


def terminal_width() -> int | None:
    """Return the number of columns of the terminal; None if the output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def print_table(rows: Sequence[Mapping[str, object]]) -> None:
    """Print flat records as a table that fits the terminal."""
    print(text_table(rows, terminal_width()))


def print_entry(name: str, text: str) -> None:
    """Print a name, and its description indented below it, in lines of at most 100 characters."""
    width = min(100, terminal_width() or 100)
    print(name)
    print(textwrap.fill(text, width, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False))
