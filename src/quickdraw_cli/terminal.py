"""Tables in the terminal, as wide as it is."""

import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence

from quickdraw_bandits.evaluation.text_table import text_table


def terminal_width() -> int | None:
    """Return the number of columns of the terminal; None if the output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def print_table(rows: Sequence[Mapping[str, object]], sections: Sequence[str] = (), keys: int = 1) -> None:
    """Print flat records as a table that fits the terminal; ``sections`` and ``keys`` as for ``text_table``."""
    print(text_table(rows, terminal_width(), sections, keys))


def print_text(text: str) -> None:
    """Print a line of words, in a terminal in as many lines as it needs."""
    width = terminal_width()
    if width is not None:
        text = textwrap.fill(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    print(text)


def print_entry(name: str, text: str) -> None:
    """Print a name, and its description indented below it, in lines of at most 100 characters."""
    width = min(100, terminal_width() or 100)
    print(name)
    print(textwrap.fill(text, width, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False))
