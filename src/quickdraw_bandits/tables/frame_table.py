"""Data frames as tables: pandas, Polars, Arrow, anything that Polars can take over, and dictionaries of arrays."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arrays import plain_array
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.extras import missing_extra
from quickdraw_bandits.tables import convert
from quickdraw_bandits.tables.table import Coded, Kind, Table, coded
from quickdraw_bandits.times import instants


class _WithColumns(Protocol):
    def __getitem__(self, name: Any, /) -> Any: ...

    @property
    def columns(self) -> Any: ...


class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Frame = _WithColumns | _ArrowStream | Mapping[str, Sequence[object] | NDArray[np.generic]]
"""A frame of pandas or Polars, a table of Arrow, any object with an Arrow stream, or a dictionary of columns."""

INDEX = "index"
"""Name of an index of dates that has none."""


class FrameTable(Table):
    """A data frame as a table. Rows count from 0 in errors.

    Examples
    --------
    >>> table = FrameTable({"when": ["2026-07-01", "2026-07-02"], "paid": [0.5, None]})
    >>> table.read({"when": "times", "paid": "numbers"})
    {'when': array([1.7828640e+09, 1.7829504e+09]), 'paid': array([0.5, nan])}
    """

    def __init__(self, frame: Frame) -> None:
        self._values = _columns(frame)
        super().__init__("frame", [column for column, _ in self._values], first_row=0)
        if len(self.columns) > len(getattr(frame, "columns", self.columns)):
            self.index = self.columns[0]
        lengths = {column: len(values) for column, values in self._values}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns of frame must have the same length, got {lengths}")

    def read(self, kinds: Mapping[str, Kind]) -> dict[str, Floats | Coded]:
        """Return columns, as ``Table`` says."""
        found = {column: self._values[self.position(column)][1] for column in kinds}
        readers: dict[Kind, Callable[[str, NDArray[Any]], Floats | Coded]] = {
            "numbers": self._numbers,
            "times": self._times,
            "labels": self._labels,
        }
        for values in found.values():
            self.refuse_empty(len(values))
        return {column: readers[kind](column, found[column]) for column, kind in kinds.items()}

    def _numbers(self, column: str, values: NDArray[Any]) -> Floats:
        if values.dtype.kind in "biuf":
            numbers = values.astype(np.float64)
            if np.isinf(numbers).any():
                bad = int(np.flatnonzero(np.isinf(numbers))[0])
                raise self.error(column, bad, "a finite number", float(numbers[bad]))
            return numbers
        found = convert.numbers_of(enumerate(values.tolist()), self._fail(column))
        return np.array(list(found.values()))

    def _times(self, column: str, values: NDArray[Any]) -> Floats:
        if values.dtype.kind == "M":
            missing = np.isnat(values)
            if missing.any():
                raise self.error(column, int(np.flatnonzero(missing)[0]), convert.DATE, None)
            self.dated.add(column)
            return instants(column, values)
        fail = self._fail(column)
        found = list(convert.times_of(enumerate(values.tolist()), fail).values())
        if convert.all_dates(np.array([is_date for _, is_date in found]), fail):
            self.dated.add(column)
        return np.array([time for time, _ in found])

    def _labels(self, column: str, values: NDArray[Any]) -> Coded:
        codes: dict[str | float, int] = {}
        found = values.tolist()
        for label in dict.fromkeys(found):
            if label == "" or (not isinstance(label, str) and convert.is_missing(label)):
                bad = next(row for row, value in enumerate(found) if value is label)
                raise self.error(column, bad, "a label", None)
            codes[label] = len(codes)
        rows = np.fromiter(map(codes.__getitem__, found), dtype=np.int64, count=len(found))
        return coded(rows, [label if isinstance(label, float | int) else str(label) for label in codes])

    def _fail(self, column: str) -> convert.Fail:
        return lambda row, expectation, value: self.error(column, row, expectation, value)


def _columns(frame: Any) -> list[tuple[str, NDArray[Any]]]:
    """Return the columns of a frame as arrays."""
    if hasattr(frame, "collect_schema") and hasattr(frame, "collect"):
        raise ValueError(f"frame must be a data frame, got a {type(frame).__name__}; call its method collect first")
    names: Any = (
        list(frame) if isinstance(frame, Mapping) else getattr(frame, "column_names", getattr(frame, "columns", None))
    )
    if isinstance(frame, str | bytes) or (names is None and not hasattr(frame, "__arrow_c_stream__")):
        raise ValueError(
            "frame must be a data frame of pandas, Polars or Arrow, or a dictionary of columns, got "
            f"{type(frame).__name__}"
        )
    by_position = getattr(frame, "iloc", None)
    if by_position is not None:  # pandas, where names may be repeated and need not be texts
        found = [(str(column), np.asarray(plain_array(by_position[:, k]))) for k, column in enumerate(names)]
        index = frame.index
        if getattr(index.dtype, "kind", "") == "M" and str(index.name or INDEX) not in dict(found):
            found.insert(0, (str(index.name or INDEX), np.asarray(plain_array(index))))
        return found
    if names is None or not hasattr(frame, "__getitem__"):
        try:
            import polars
        except ImportError:
            raise missing_extra(f"frames of the type {type(frame).__name__}", "polars", "tables") from None
        frame = polars.DataFrame(frame)
        names = frame.columns
    return [(str(column), _array(frame[column])) for column in names]


def _array(values: Any) -> NDArray[Any]:
    array = plain_array(values)
    if isinstance(array, np.ndarray):
        return array
    values = list(array)
    # As objects unless all are numbers: NumPy would turn numbers next to texts into texts.
    alike = all(isinstance(value, int | float) for value in values)
    return np.array(values) if alike else np.array([*values, None], dtype=object)[:-1]
