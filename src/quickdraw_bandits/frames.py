"""Results as data frames of Polars, pandas or Arrow.

A result derives from ``Tabular`` and names its columns; ``frame`` makes a frame of any columns.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.extras import missing_extra

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Backend = Literal["polars", "pandas", "pyarrow"]
"""Which library makes the frame."""

Column = NDArray[np.generic] | Sequence[object]
"""One value per row."""

_PLAIN = (bool, np.bool_), (int, float, np.integer, np.floating), (str,), (datetime,), (timedelta,)
"""Kinds of values that can share a column."""


def frame(columns: Mapping[str, Column], backend: Backend = "polars") -> object:
    """Return columns of equal length as a data frame.

    Parameters
    ----------
    columns
        The values of each column: an array, or a list. A list of values that no column can hold together, or that are
        neither numbers, texts nor dates, becomes their text. None becomes a missing value.
    backend
        ``"polars"`` (default), ``"pandas"`` or ``"pyarrow"``, which must be installed. The default is a fixed one, so
        that the type of a result does not depend on what else is installed; it is Polars because this package reads
        tables with it.

    Examples
    --------
    >>> frame({"arm": [3, 5], "reward": [0.5, None]}).shape
    (2, 2)
    >>> frame({"arm": [3, 5], "reward": [0.5, None]}, backend="pandas")["reward"].isna().tolist()
    [False, True]
    """
    if backend not in get_args(Backend):
        raise ValueError(f"backend must be one of {', '.join(get_args(Backend))}, got {backend!r}")
    values = {name: column if isinstance(column, np.ndarray) else _alike(column) for name, column in columns.items()}
    try:
        if backend == "polars":
            import polars

            return polars.DataFrame(values, strict=False)
        if backend == "pandas":
            import pandas

            return pandas.DataFrame(values)
        import pyarrow

        return pyarrow.table(values)
    except ImportError:
        if backend == "pandas":
            raise ImportError('frames of pandas need pandas: pip install pandas, or use backend="polars"') from None
        extra: Literal["tables", "parquet"] = "tables" if backend == "polars" else "parquet"
        raise missing_extra(f"frames of {backend}", backend, extra) from None


def columns_of_rows(rows: Iterable[Mapping[str, object]]) -> dict[str, list[object]]:
    """Return flat records as columns; a record that lacks a name has None there.

    Examples
    --------
    >>> columns_of_rows([{"a": 1}, {"a": 2, "b": "x"}])
    {'a': [1, 2], 'b': [None, 'x']}
    """
    rows = list(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


class Tabular(ABC):
    """A result that can be turned into a data frame."""

    @abstractmethod
    def columns(self) -> dict[str, Column]:
        """Return the values of each column: arrays or lists of equal length."""

    @overload
    def to_frame(self, backend: Literal["polars"] = "polars") -> "polars.DataFrame": ...

    @overload
    def to_frame(self, backend: Literal["pandas"]) -> "pandas.DataFrame": ...

    @overload
    def to_frame(self, backend: Literal["pyarrow"]) -> "pyarrow.Table": ...

    def to_frame(self, backend: Backend = "polars") -> object:
        """Return the result as a data frame.

        Parameters
        ----------
        backend
            ``"polars"`` (default, the extra ``tables``), ``"pandas"`` or ``"pyarrow"``. The default does not depend on
            what is installed, so that the type of the result is always the same.
        """
        return frame(self.columns(), backend)


def _alike(values: Sequence[object]) -> list[object]:
    """Return values that one column can hold: as they are, or as their text if they are of different kinds."""
    present = [value for value in values if value is not None]
    if any(all(isinstance(value, kinds) for value in present) for kinds in _PLAIN):
        return [value.item() if isinstance(value, np.generic) else value for value in values]
    return [value if value is None or isinstance(value, str) else str(value) for value in values]
