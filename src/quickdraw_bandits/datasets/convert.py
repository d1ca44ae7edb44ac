"""Conversion of table fields to numbers, times and labels; errors name file, column and row."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.datasets.tables import Fields, blocks


@dataclass(frozen=True)
class Place:
    """Position of a block of fields in a file; rows are counted from 1 without the header."""

    path: Path
    column: str
    first_row: int

    def error(self, offset: int, expectation: str, value: object) -> ValueError:
        """Return the error for the field ``offset`` rows into the block."""
        return ValueError(
            f"{self.path}: column {self.column!r}, row {self.first_row + offset}: must be {expectation}, got {value!r}"
        )


def numbers(fields: Fields, place: Place) -> Floats:
    """Return fields as finite numbers."""
    try:
        values = np.array(fields, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.array([_number_or_nan(value) for value in fields])
    if not np.isfinite(values).all():
        bad = int(np.flatnonzero(~np.isfinite(values))[0])
        raise place.error(bad, "a finite number", fields[bad])
    return values


def probabilities(fields: Fields, place: Place) -> Floats:
    """Return fields as probabilities above 0."""
    values = numbers(fields, place)
    improper = (values <= 0) | (values > 1)
    if improper.any():
        bad = int(np.flatnonzero(improper)[0])
        raise place.error(bad, "a probability above 0 and at most 1", fields[bad])
    return values


def times(fields: Fields, place: Place) -> Floats:
    """Return fields as times: numbers unchanged, dates as seconds since 1970, in UTC unless they name a zone."""
    try:
        return np.array(fields, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    values = np.empty(len(fields))
    for offset, value in enumerate(fields):
        try:
            date = value if isinstance(value, datetime) else datetime.fromisoformat(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise place.error(offset, "a number or a date like 2019-11-24 00:03:24+00:00", value) from None
        values[offset] = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    return values


@dataclass
class Labels:
    """Numbers distinct labels in order of appearance."""

    codes: dict[Hashable, int] = field(default_factory=dict)

    def __call__(self, fields: Fields, place: Place) -> Integers:
        """Return the number of each label."""
        codes = self.codes
        for label in dict.fromkeys(fields):
            # NaN is the only value that differs from itself.
            if label is None or label == "" or label != label:
                bad = next(offset for offset, value in enumerate(fields) if value is label)
                raise place.error(bad, "a label", label)
            codes.setdefault(label, len(codes))
        return np.fromiter(map(codes.__getitem__, fields), dtype=np.int64, count=len(fields))


Column = NDArray[Any]
"""Floats or integers, depending on the converter."""
Converter = Callable[[Fields, Place], Column]


def read_columns(path: Path, converters: Mapping[str, Converter]) -> dict[str, Column]:
    """Return the named columns of a table, each converted."""
    parts: dict[str, list[Column]] = {name: [] for name in converters}
    row = 1
    for block in blocks(path, list(converters)):
        for name, convert in converters.items():
            parts[name].append(convert(block[name], Place(path, name, row)))
        row += len(block[name])
    if row == 1:
        raise ValueError(f"{path} must hold at least one row below its header, got none")
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}


def check_order(values: Floats, path: Path, column: str) -> None:
    """Raise ValueError for times that are not finite or that decrease."""
    if not np.isfinite(values).all():
        bad = int(np.flatnonzero(~np.isfinite(values))[0])
        raise Place(path, column, 1).error(bad, "a finite time", float(values[bad]))
    back = np.diff(values) < 0
    if back.any():
        bad = int(np.flatnonzero(back)[0]) + 1
        raise Place(path, column, 1).error(
            bad, f"no earlier than the row before ({values[bad - 1]}), or read with sort=True", float(values[bad])
        )


def _number_or_nan(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return float("nan")
