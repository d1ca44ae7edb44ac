"""Finished runs on disk: one line each, written as it finishes.

The file begins with a line that says what its runs have in common: the test bed and the version of this package. A
line is a checksum and a JSON value. A line that was being written when the machine stopped is found by its checksum
and left out, and its run is done again.
"""

import contextlib
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Generic

from quickdraw_lab.any_run import R, Record


class Store(Generic[R]):
    """The runs of one results folder; made by ``open_store``.

    Attributes
    ----------
    records
        What was measured, by run; an error in place of it where a run failed.
    """

    def __init__(self, file: BinaryIO, kind: type[R], records: dict[R, Record]) -> None:
        self._file = file
        self._kind = kind
        self.records = records

    def add(self, record: Record) -> None:
        """Write the record of a run; when this returns, the end of this process cannot lose it."""
        self._file.write(_line(record))
        self._file.flush()
        self.records[self._kind.from_json(record["run"])] = record

    def lacks(self, run: R) -> bool:
        """Tell whether a run is still to be done; one that failed is tried again."""
        return "error" in self.records.get(run, {"error": "not played"})


@contextmanager
def open_store(path: Path, common: Mapping[str, Any], kind: type[R]) -> Iterator[Store[R]]:
    """Open the store of runs of one kind at ``path``, or begin one, for this process alone.

    One that was begun with anything else in ``common`` is refused, and left as it is.
    """
    header = _line(dict(common))
    with path.open("a+b") as file:
        # Locked before it is looked at: two processes that begin at once must not both find it empty.
        _lock(file, path)
        file.seek(0)
        content = file.read()
        if len(content) < len(header) and header.startswith(content):
            # New, or its process was killed as it began.
            file.truncate(0)
            file.write(header)
            file.flush()
            content = header
        first, *others = content.splitlines(keepends=True)
        _check_common(path, _value(first), common)
        if not content.endswith(b"\n"):
            # Half a line stays, and is not read; what follows must not be written behind it.
            file.write(b"\n")
        values = [value for value in map(_value, others) if value is not None]
        yield Store(file, kind, {kind.from_json(value["run"]): value for value in values})


def _line(value: Any) -> bytes:
    text = json.dumps(value, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _value(line: bytes) -> Any:
    """Return what a line holds, or None if it is not whole."""
    checksum, _, text = line.partition(b" ")
    if not text.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(text[:-1]):
        return None
    return json.loads(text)


def _check_common(path: Path, found: Any, expected: Mapping[str, Any]) -> None:
    if found is None:
        raise ValueError(f"{path} must be a store of runs, and its first line is not that of one; choose another --out")
    for name in dict.fromkeys([*expected, *found]):
        if found.get(name) != expected.get(name):
            raise ValueError(
                f"{path.parent} holds results of {name} {found.get(name)}, and {name} {expected.get(name)} was asked "
                "for; choose another --out"
            )


def _lock(file: BinaryIO, path: Path) -> None:
    """Keep other processes from the store until this one ends, however it does."""
    with contextlib.suppress(ImportError):  # Windows has no such locks
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ValueError(f"{path.parent} is in use by another process") from error
