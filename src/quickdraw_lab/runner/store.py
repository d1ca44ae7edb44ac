"""Finished runs on disk, one line each, written as soon as the run finishes.

The first line is a header with what all runs have in common: the test bed and the version of the library. Every line is
a checksum followed by JSON. A line cut short by a crash fails its checksum; it is skipped and its run is repeated.
"""

import contextlib
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Generic

from quickdraw_lab.runner.run import R, Record


class Store(Generic[R]):
    """The runs of one results folder. Open one with ``open_store``.

    Attributes
    ----------
    records
        What was measured, by run, or the error of a run that failed.
    """

    def __init__(self, file: BinaryIO, kind: type[R], records: dict[R, Record]) -> None:
        self._file = file
        self._kind = kind
        self.records = records

    def add(self, record: Record) -> None:
        """Write the record of a run. Once this returns, the record survives the end of the process."""
        self._file.write(_line(record))
        self._file.flush()
        self.records[self._kind.from_json(record["run"])] = record

    def lacks(self, run: R) -> bool:
        """Return whether a run is still to be played. A run that failed is tried again."""
        return "error" in self.records.get(run, {"error": "not played"})


@contextmanager
def open_store(path: Path, common: Mapping[str, object], kind: type[R]) -> Iterator[Store[R]]:
    """Open or create the store at ``path``, locked for this process.

    Parameters
    ----------
    path
        The file.
    common
        What all runs have in common. A store with another header is refused and left unchanged.
    kind
        The class of its runs.
    """
    header = _line(dict(common))
    with path.open("a+b") as file:
        # Lock before reading: two processes that start together must not both find it empty.
        _lock(file, path)
        file.seek(0)
        content = file.read()
        if len(content) < len(header) and header.startswith(content):
            # New, or its process was killed while writing the header.
            file.truncate(0)
            file.write(header)
            file.flush()
            content = header
        first, *others = content.splitlines(keepends=True)
        _check_common(path, _value(first), common)
        if not content.endswith(b"\n"):
            # The last line was cut short: end it, so that the next record starts on a line of its own.
            file.write(b"\n")
        values = [value for value in map(_value, others) if value is not None]
        yield Store(file, kind, {kind.from_json(value["run"]): value for value in values})


def _line(value: Mapping[str, object]) -> bytes:
    text = json.dumps(value, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _value(line: bytes) -> Any:
    """Return the value of a line, or None if the line is damaged."""
    checksum, _, text = line.partition(b" ")
    if not text.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(text[:-1]):
        return None
    return json.loads(text)


def _check_common(path: Path, found: Any, expected: Mapping[str, object]) -> None:
    if found is None:
        raise ValueError(f"{path} is not a store of runs; choose another --out")
    for name in dict.fromkeys([*expected, *found]):
        if found.get(name) != expected.get(name):
            raise ValueError(
                f"{path.parent} holds results with {name} {found.get(name)}, not {expected.get(name)}; "
                "choose another --out"
            )


def _lock(file: BinaryIO, path: Path) -> None:
    """Lock the store until this process ends."""
    with contextlib.suppress(ImportError):  # not on Windows
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ValueError(f"{path.parent} is in use by another process") from error
