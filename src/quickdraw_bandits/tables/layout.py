"""How a CSV file is laid out: its separator, its first row, and the number of fields in every row."""

import csv
import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import SEEK_CUR, BufferedReader, TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TextIO, cast

SEPARATORS = ("\t", ";", "|", ",", " ")
"""Separators that are recognised, in this order: the comma late, as it may be a decimal comma, and the space last."""

SAMPLE = 50
"""Lines from which the separator is found."""

BLOCK = 8 * 2**20
"""Bytes that are read at a time: enough for two threads of Polars, and little beside the columns of a long table."""

_MARK = b"\xef\xbb\xbf"
"""The mark of UTF-8 with which some programs begin a file."""

UNREADABLE = (UnicodeDecodeError, csv.Error, gzip.BadGzipFile, EOFError, zlib.error)


@dataclass(frozen=True)
class Layout:
    """The layout of a CSV file.

    Attributes
    ----------
    separator
        One character.
    first
        The fields of the first row that is not blank; empty if there is none.
    lines_before, lines_through
        The number of lines before the first row, and through its end: a quoted field may have several lines.
    """

    separator: str
    first: tuple[str, ...]
    lines_before: int
    lines_through: int


def layout_of(path: Path, separator: str | None = None) -> Layout:
    """Return the layout of a file; the separator is found if it is None."""
    if separator is not None and (not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n'):
        raise ValueError(f"separator must be one character or None, got {separator!r}")
    with _open(path) as file:
        try:
            lines = list(islice(file, SAMPLE))
        except UNREADABLE as error:
            raise unreadable(path, error) from None
    if any(line.endswith("\r") for line in lines):
        raise ValueError(f"{path} must end its lines by a line feed, got carriage returns alone; save it as CSV again")
    separator = separator or _separator(lines)
    before = 0
    reader = csv.reader(lines, delimiter=separator)
    for row in reader:
        if not _is_blank(row):
            return Layout(separator, tuple(row), before, reader.line_num)
        before = reader.line_num
    return Layout(separator, (), before, before)


def blocks_of(path: Path, layout: Layout, header: bool) -> Iterator[bytes]:
    """Yield the text below the header in blocks of whole rows, so that memory is bounded for files of any size."""
    with _open_bytes(path) as file:
        try:
            for _ in range(layout.lines_through if header else layout.lines_before):
                file.readline()
            # Polars spends time on every column of a block, so that wide tables need long blocks.
            size = BLOCK * (1 + len(layout.first) // 1000)
            while rows := _whole_rows(file, size):
                while b'"' in rows and rows.count(b'"') % 2 and (more := file.readline()):  # a quoted field goes on
                    rows += more
                yield rows.removeprefix(_MARK)
        except UNREADABLE as error:
            raise unreadable(path, error) from None


def _whole_rows(file: BinaryIO, size: int) -> bytes:
    """Return at least ``size`` bytes, through the end of a line."""
    if not isinstance(file, BufferedReader):  # compressed: going back would decompress all from the beginning
        return file.read(size) + file.readline()
    # The end of the line is found first, and all is read at once: joining two parts takes longer than reading them.
    start = file.tell()
    file.seek(size, SEEK_CUR)
    file.readline()
    end = file.tell()
    file.seek(start)
    return file.read(end - start)


def check_widths(path: Path, layout: Layout, header: bool) -> list[int]:
    """Return the rows that are blank lines, counted from 0 below the header.

    Raises ValueError for a row with fewer or more fields than the first row of the file.
    """
    blank: list[int] = []
    for row, fields in enumerate(_rows(path, layout, header)):
        if _is_blank(fields):
            blank.append(row)
        elif len(fields) != len(layout.first) and not (len(fields) == len(layout.first) + 1 and not fields[-1]):
            which = "the header" if header else "the first row"
            raise ValueError(
                f"{path}: row {row + 1} must have {len(layout.first)} fields as {which} has, got {len(fields)}; "
                f"fields are separated by {name_of(layout.separator)}"
            )
    return blank


def name_of(separator: str) -> str:
    """Return the name of a separator."""
    names = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "spaces"}
    return names.get(separator, repr(separator))


def unreadable(path: Path, error: Exception) -> ValueError:
    """Return the error for a file that is no CSV table."""
    reason = str(error).split("\n", 1)[0] or type(error).__name__
    advice = "; save it as CSV UTF-8" if isinstance(error, UnicodeError) else ""
    return ValueError(f"{path} must be a CSV table in UTF-8, plain or gzip, and cannot be read: {reason}{advice}")


def _rows(path: Path, layout: Layout, header: bool) -> Iterator[list[str]]:
    skipped = layout.lines_through if header else layout.lines_before
    with _open(path) as file:
        try:
            yield from csv.reader(islice(file, skipped, None), delimiter=layout.separator)
        except UNREADABLE as error:
            raise unreadable(path, error) from None


def _open(path: Path) -> TextIO:
    if not path.is_file():
        raise ValueError(f"{path} must be a file, and there is none")
    with path.open("rb") as file:
        start = file.read(2)
    if start in (b"\xff\xfe", b"\xfe\xff"):
        raise ValueError(f"{path} must be a CSV table in UTF-8, got UTF-16; save it as CSV UTF-8")
    return TextIOWrapper(_open_bytes(path), encoding="utf-8-sig", newline="")


def _open_bytes(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path)) if compressed else path.open("rb")


def _is_blank(row: Sequence[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


def _separator(lines: Sequence[str]) -> str:
    """Return the first separator that splits all lines into the same number of fields, or else the most fields."""
    most, best = 1, ","
    for separator in SEPARATORS:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=separator) if not _is_blank(row)]
        except csv.Error:
            continue
        if widths and widths[0] > 1 and len(set(widths)) == 1:
            return separator
        if widths and widths[0] > most and separator != " ":
            most, best = widths[0], separator
    return best
