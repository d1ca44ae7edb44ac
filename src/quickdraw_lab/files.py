"""Writing results so that a file is there whole or not at all."""

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import Any


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary name beside ``path`` to write to, and move it into place when all went well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix, delete=False) as file:
        temporary = Path(file.name)
    try:
        yield temporary
        # Temporary files are private; results are as readable as other new files.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def is_whole(path: Path) -> bool:
    """Tell a file from the temporary one that a killed process left behind: its name begins with a dot."""
    return not path.name.startswith(".")


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write flat records, all with the names of the first one."""
    iterator = iter(rows)
    first = next(iterator)
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(first), lineterminator="\n")
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(iterator)


def check_folder(path: Path) -> None:
    """Make the folder and make sure that files can be written there, before any long work for them begins."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path):
            pass
    except OSError as error:
        # The name of the folder, rather than of the file that was tried.
        raise OSError(error.errno, error.strerror, str(path)) from None
