"""Reading arrays of rewards from files."""

import csv
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[np.generic]]

MISSING = ("", "na", "n/a", "null", "none")
"""How tables write a missing number; a row of these is not a header."""

SEPARATORS = {";": "semicolons", "\t": "tabs"}
"""Separators other than commas, with their names."""

FILL = "fill such values or drop the rounds or arms that have them"
"""What to do about rewards that are not finite."""

_ARCHIVE = (KeyError, MemoryError, RuntimeError, zipfile.BadZipFile, zlib.error)
_UNREADABLE = (OSError, ValueError, EOFError, csv.Error, *_ARCHIVE)


def read_rewards(path: str | Path) -> Arrays:
    """Return the arrays in a file: ``rewards``, and ``times`` and ``points`` if the file has them.

    Raises
    ------
    ValueError
        If the file is missing, of an unknown kind or cannot be read; it names the file.
    """
    path = Path(path)
    readers = {".npy": _read_npy, ".npz": _read_npz, ".csv": _read_csv}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ValueError(f"{path}: the file must be one of {', '.join(readers)}")
    try:
        return reader(path)
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file") from None
    except _UNREADABLE as error:
        raise ValueError(f"{path}: cannot be read as {path.suffix.lower()}: {error}") from None


def _read_npy(path: Path) -> Arrays:
    with path.open("rb") as file:
        return {"rewards": np.lib.format.read_array(file, allow_pickle=False)}


def _read_npz(path: Path) -> Arrays:
    with zipfile.ZipFile(path):
        pass  # raises for a file that is not an archive, for which numpy's error would be misleading
    with np.load(path, allow_pickle=False) as archive:
        names = archive.files
        if "rewards" in names:
            return {name: archive[name] for name in ("rewards", "times", "points") if name in names}
        if len(names) == 1:
            return {"rewards": archive[names[0]]}
        raise ValueError(f"it must hold one array, or one named 'rewards', got {', '.join(names) or 'none'}")


def _read_csv(path: Path) -> Arrays:
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file)
        rows = [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
    if rows and not any(map(_is_number, rows[0][1])) and not all(map(_is_missing, rows[0][1])):
        del rows[0]  # a header
    if not rows:
        raise ValueError("it has no rows of numbers")
    width = len(rows[0][1])
    rewards = np.empty((len(rows), width))
    for i, (line, row) in enumerate(rows):
        if len(row) != width:
            _check_separator(line, row)
            raise ValueError(f"line {line} has {len(row)} columns where the first row of numbers has {width}")
        try:
            rewards[i] = [float(cell) for cell in row]
        except ValueError:
            _check_separator(line, row)
            bad = next(j for j, cell in enumerate(row) if not _is_number(cell))
            raise ValueError(f"line {line}, column {bad + 1} must be a number, got {row[bad]!r}") from None
        if not np.isfinite(rewards[i]).all():  # checked here, where the line is known; lines and columns count from 1
            bad = int(np.flatnonzero(~np.isfinite(rewards[i]))[0])
            raise ValueError(f"line {line}, column {bad + 1} must be finite, got {row[bad]!r}; {FILL}")
    return {"rewards": rewards}


def _check_separator(line: int, row: Sequence[str]) -> None:
    """Raise ValueError if a row that does not hold numbers contains another separator."""
    for separator, name in SEPARATORS.items():
        if any(separator in cell.strip() for cell in row):
            raise ValueError(f"line {line}: columns must be separated by commas, got {name}") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_missing(cell: str) -> bool:
    return cell.strip().lower() in MISSING
