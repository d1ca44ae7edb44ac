"""Tables in files, read by Polars.

Polars reads CSV and Parquet several times faster than Python can, converts in the same pass, and keeps no more than the
columns that are asked for. Text that its fast conversions do not take goes through ``convert``, value by value.
"""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.extras import missing_extra
from quickdraw_bandits.tables import convert
from quickdraw_bandits.tables.blocks import BlockReader
from quickdraw_bandits.tables.expressions import DATES, LAST, MORE, TEXTS, VALUES, Query
from quickdraw_bandits.tables.layout import Layout, blocks_of, check_widths, layout_of, unreadable
from quickdraw_bandits.tables.table import Coded, Kind, Table, coded

if TYPE_CHECKING:
    import polars

PARQUET = (".parquet", ".pq")


class FileTable(Table):
    r"""A CSV file, plain or gzip, or a Parquet file, as a table. Rows count from 1 below the header in errors.

    Parameters
    ----------
    path
        The file. Names that end in ``.parquet`` or ``.pq`` are Parquet, all others CSV in UTF-8.
    separator
        The character between fields of a CSV file. None (default) finds it: tab, semicolon, bar, comma or space.
    decimal
        ``"."`` (default) or ``","``: the decimal mark of numbers in a CSV file.
    header
        Whether the first row of a CSV file names the columns; default True. Without a header, columns are named by
        their number: ``"1"``, ``"2"`` and so on.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "sales.csv"
    >>> _ = path.write_text("day;paid\n2026-07-01;0,5\n2026-07-02;\n")
    >>> FileTable(path, decimal=",").read({"day": "times", "paid": "numbers"})
    {'day': array([1.7828640e+09, 1.7829504e+09]), 'paid': array([0.5, nan])}
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        separator: str | None = None,
        decimal: Literal[".", ","] = ".",
        header: bool = True,
    ) -> None:
        if decimal not in (".", ","):
            raise ValueError(f"decimal must be '.' or ',', got {decimal!r}")
        self.path = Path(path)
        self._decimal, self._header = decimal, header
        self._layout: Layout | None = None
        if not self.path.is_file():
            raise ValueError(f"{self.path} must be a file, and there is none")
        if find_spec("polars") is None:
            raise missing_extra("tables in files", "polars", "tables")
        if self.path.suffix.lower() in PARQUET:
            columns = self._parquet_columns()
        else:
            self._layout = layout_of(self.path, separator)
            first = self._layout.first
            columns = [name.strip() for name in first] if header else [str(k + 1) for k in range(len(first))]
        super().__init__(str(self.path), columns, first_row=1)

    @property
    def layout(self) -> Layout | None:
        """The layout of a CSV file; None for Parquet."""
        return self._layout

    def read(self, kinds: Mapping[str, Kind]) -> dict[str, Floats | Coded]:
        """Return columns, as ``Table`` says."""
        positions = {name: self.position(name) for name in kinds}
        frame = self._collect({positions[name]: kind for name, kind in kinds.items()})
        self.refuse_empty(len(frame))
        readers: dict[Kind, Callable[[polars.DataFrame, int], Floats | Coded]] = {
            "numbers": self._numbers,
            "times": self._times,
            "labels": self._labels,
        }
        return {name: readers[kind](frame, positions[name]) for name, kind in kinds.items()}

    def _collect(self, kinds: Mapping[int, Kind]) -> "polars.DataFrame":
        """Return the values, dates and unread texts of columns by position, without the blank lines of the file."""
        import polars

        if self._layout is None:
            try:
                scan = self._scan_parquet()
                return Query(scan.collect_schema(), kinds).of(scan).collect(engine="streaming")
            except (polars.exceptions.PolarsError, OSError) as error:
                raise _no_parquet(self.path, error) from None
        if not self.columns:
            raise ValueError(f"{self.path} must have columns, and is empty")
        reader = BlockReader(self._layout, kinds, self._decimal, len(self.columns))
        try:
            blocks = list(reader.read_all(blocks_of(self.path, self._layout, self._header)))
        except polars.exceptions.PolarsError as error:
            raise unreadable(self.path, error) from None
        self.refuse_empty(len(blocks))
        # Only blocks with odd values have texts. Columns become whole one at a time, when they are read.
        frame = polars.concat(blocks, how="diagonal", rechunk=False)
        if frame[MORE].any() or frame[LAST].any():
            # A row too long, too short, or one whose last field is empty: only a look at the lines can tell.
            blank = check_widths(self.path, self._layout, self._header)
            if blank:
                kept = np.ones(len(frame), dtype=np.bool_)
                kept[blank] = False
                frame = frame.filter(polars.Series(kept))
        return frame

    def _scan_parquet(self) -> "polars.LazyFrame":
        import polars

        return polars.scan_parquet(self.path, glob=False)

    def _parquet_columns(self) -> list[str]:
        import polars

        try:
            return self._scan_parquet().collect_schema().names()
        except (polars.exceptions.PolarsError, OSError) as error:
            raise _no_parquet(self.path, error) from None

    def _numbers(self, frame: "polars.DataFrame", position: int) -> Floats:
        values = _floats(frame, f"{VALUES}{position}")
        unread = convert.numbers_of(_unread(frame, position), self._fail(position), self._decimal)
        values[list(unread.keys())] = list(unread.values())
        return values

    def _times(self, frame: "polars.DataFrame", position: int) -> Floats:
        numbers = _floats(frame, f"{VALUES}{position}")
        dates = _floats(frame, f"{DATES}{position}") / 1e6  # not by Polars, which rounds otherwise
        fail = self._fail(position)
        values = np.where(np.isnan(dates), numbers, dates)
        is_date = ~np.isnan(dates)
        for row, (seconds, from_date) in convert.times_of(_unread(frame, position), fail).items():
            values[row], is_date[row] = seconds, from_date
        if np.isnan(values).any():
            raise fail(int(np.flatnonzero(np.isnan(values))[0]), convert.DATE, None)
        if convert.all_dates(is_date, fail):
            self.dated.add(self.columns[position])
        return values

    def _labels(self, frame: "polars.DataFrame", position: int) -> Coded:
        import polars

        column = frame[f"{VALUES}{position}"]
        if column.null_count():
            raise self._fail(position)(int(column.is_null().arg_max() or 0), "a label", None)
        distinct = column.unique()
        if column.dtype != polars.Categorical:
            values = distinct.sort().to_numpy()
            return coded(np.searchsorted(values, column.to_numpy()), values.tolist())
        labels = distinct.cast(polars.String).to_list()
        if "" in labels:  # quoted, and so not null
            raise self._fail(position)(int((column.cast(polars.String) == "").arg_max() or 0), "a label", None)
        numbers = distinct.to_physical().to_numpy()
        rank = np.zeros(int(numbers.max()) + 1, dtype=np.int64)
        rank[numbers] = np.arange(len(numbers))
        return coded(rank[column.to_physical().to_numpy()], labels)

    def _fail(self, position: int) -> convert.Fail:
        return lambda row, expectation, value: self.error(self.columns[position], row, expectation, value)


def _floats(frame: "polars.DataFrame", name: str) -> Floats:
    """Return a column as floats, NaN where it is null or where there is no such column."""
    if name not in frame.columns:
        return np.full(len(frame), np.nan)
    return frame[name].to_numpy().astype(np.float64)


def _unread(frame: "polars.DataFrame", position: int) -> list[tuple[int, object]]:
    """Return row and text of the fields that no fast conversion has taken."""
    if f"{TEXTS}{position}" not in frame.columns:
        return []
    texts = frame[f"{TEXTS}{position}"]
    rows = texts.is_not_null().arg_true()
    return list(zip(rows.to_list(), texts.gather(rows).to_list(), strict=True))


def _no_parquet(path: Path, error: Exception) -> ValueError:
    reason = str(error).split("\n", 1)[0]
    return ValueError(f"{path} must be a Parquet table, and cannot be read: {reason}")
