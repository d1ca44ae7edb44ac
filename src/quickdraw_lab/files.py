"""Writing results: a file is either complete or not there at all."""

import csv
import gzip
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` to write to; replace ``path`` with it if nothing was raised."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix, delete=False) as file:
        temporary = Path(file.name)
    try:
        yield temporary
        # Temporary files are private; results get the permissions of other new files.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def is_complete(path: Path) -> bool:
    """Return False for the temporary file that a killed process left behind: its name begins with a dot."""
    return not path.name.startswith(".")


def write_csv(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Write flat records; the names of the first one are the columns."""
    iterator = iter(rows)
    first = next(iterator)
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(first), lineterminator="\n")
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(iterator)


def check_folder(path: Path) -> None:
    """Create the folder and check that it can be written to, before any long computation starts."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path):
            pass
    except OSError as error:
        # Name the folder rather than the temporary file.
        raise OSError(error.errno, error.strerror, str(path)) from None


def compress(table: Path, folder: Path) -> None:
    """Write a table to a folder as ``.csv.gz``; the same table always gives the same bytes."""
    (folder / f"{table.name}.gz").write_bytes(gzip.compress(table.read_bytes(), 9, mtime=0))
