"""What all tables can do: columns as numbers, times or labels."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from quickdraw_bandits.checks import Floats, Integers

Kind = Literal["numbers", "times", "labels"]
"""How a column is read: as numbers, as times (numbers or dates, in seconds since 1970), or as labels."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of labels: the distinct ones in order, as numbers if all are and as text otherwise, and their codes.

    ``labels[codes[row]]`` is the label of a row.
    """

    codes: Integers
    labels: tuple[str | float, ...]

    @property
    def numbers(self) -> Floats | None:
        """The labels as finite numbers, or None if one is not."""
        return numeric(self.labels)


class Table(ABC):
    """Named columns of equal length, from a file or a data frame.

    Parameters
    ----------
    name
        The file, or what to call the table in errors.
    columns
        The names of all columns, which need not be unique.
    first_row
        The number of the first row in errors: 1 for files, in which the header does not count; 0 for frames.
    """

    def __init__(self, name: str, columns: Sequence[str], first_row: int) -> None:
        self.name = name
        self.columns = list(columns)
        self._first_row = first_row
        self.index: str | None = None  # the column of dates that is the index of a frame of pandas
        self.dated: set[str] = set()  # columns of times that hold dates, among those read so far

    @abstractmethod
    def read(self, kinds: Mapping[str, Kind]) -> dict[str, Floats | Coded]:
        """Return columns by name: floats for numbers and times, NaN where a number is missing; ``Coded`` for labels.

        Raises ValueError for a column that is not there, for a value that cannot be read, for a missing time or label,
        and for a table without rows.
        """

    def numbers(self, found: Mapping[str, Floats | Coded], column: str, advice: str = "") -> Floats:
        """Return a column of ``read`` as floats; ValueError if one is missing, with advice on what to do."""
        values = found[column]
        assert isinstance(values, np.ndarray)
        gaps = np.isnan(values)
        if gaps.any():
            others = f" ({int(gaps.sum()):,} are missing)" if gaps.sum() > 1 else ""
            raise self.error(column, int(np.flatnonzero(gaps)[0]), f"a finite number{others}{advice}", None)
        return values

    def position(self, column: str, role: str | None = None) -> int:
        """Return where a column stands; ValueError unless there is exactly one of this name.

        ``role`` is the argument that names the column, if the error should say so.
        """
        if self.columns.count(column) == 1:
            return self.columns.index(column)
        if not self.columns:
            raise ValueError(f"{self.name} must have columns, and is empty")
        how = "no" if column not in self.columns else "more than one"
        shown = ", ".join(map(repr, self.columns[:12])) + (", ..." if len(self.columns) > 12 else "")
        cure = "" if column in self.columns else f"; name yours by {role}=..." if role else ""
        raise ValueError(f"{self.name} has {how} column {column!r}; its columns are {shown}{cure}")

    def refuse_empty(self, n_rows: int) -> None:
        """Raise ValueError for a table without rows."""
        if n_rows == 0:
            raise ValueError(f"{self.name} must hold at least one row below its header, got none")

    def error(self, column: str, row: int, expectation: str, value: object) -> ValueError:
        """Return the error for a bad value in one line; ``row`` counts from 0 here."""
        got = "nothing" if value is None or value == "" else str(value) if isinstance(value, datetime) else repr(value)
        number = row + self._first_row
        return ValueError(f"{self.name}: column {column!r}, row {number}: must be {expectation}, got {got}")

    def check_probabilities(self, column: str, values: Floats) -> None:
        """Raise ValueError unless all values are above 0 and at most 1."""
        improper = ~((values > 0) & (values <= 1))
        if improper.any():
            bad = int(np.flatnonzero(improper)[0])
            raise self.error(column, bad, "a probability above 0 and at most 1", float(values[bad]))

    def check_order(self, column: str, times: Floats) -> None:
        """Raise ValueError for times that decrease."""
        back = np.diff(times) < 0
        if back.any():
            bad = int(np.flatnonzero(back)[0]) + 1
            before, here = (self.shown_time(column, float(times[row])) for row in (bad - 1, bad))
            raise self.error(column, bad, f"no earlier than the row before ({before}), or read with sort=True", here)

    def shown_time(self, column: str, time: float) -> object:
        """Return a time of a column as errors show it: a date if the column has dates, otherwise the number."""
        if column not in self.dated:
            return int(time) if time.is_integer() else time
        return np.datetime64(round(time * 1e6), "us").item()


def numeric(labels: Sequence[object]) -> Floats | None:
    """Return labels as finite numbers, or None if one is not."""
    try:
        values: Floats = np.array(labels, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return values if np.isfinite(values).all() else None


def coded(codes: Integers, labels: Sequence[str | float]) -> Coded:
    """Return labels with codes in sorted order: as numbers if all are, as text otherwise.

    Examples
    --------
    >>> coded(np.array([0, 1, 0]), ["10", "9"])
    Coded(codes=array([1, 0, 1]), labels=('9', '10'))
    """
    values = numeric(labels)
    order = np.argsort(values if values is not None else np.array([str(label) for label in labels]), kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return Coded(rank[codes], tuple(labels[i] for i in order.tolist()))
