"""The query by which Polars reads the columns of a file: fast conversions, and the text of what they leave."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from quickdraw_bandits.tables.table import Kind

if TYPE_CHECKING:
    import polars

VALUES, DATES, TEXTS = "values ", "dates ", "texts "
"""Columns of the result are named by one of these and the position: numbers or labels, dates in microseconds,
texts that are neither."""
LAST, MORE = "last", "more"
"""Whether the last field of a row is empty, and whether there is one behind it."""

_UTC = ("+00:00", "Z", "")
_DATE = "%Y-%m-%d %H:%M:%S.%6f"
"""The layout of dates that is read fast; all others are read by Python."""


class Query:
    """What to read of a file: built once, and asked of each of its blocks.

    Parameters
    ----------
    schema
        Names and types of all columns; those of a CSV file are texts, named by position.
    kinds
        How each column is read, by position.
    decimal
        The decimal mark.
    n_columns
        The number of columns of a CSV file, whose rows may be of another length; None for Parquet.
    all_read
        Whether all values are expected to be read by fast conversions; default False. If True, there are no texts,
        which take time and memory, and ``has_read`` says whether it was so. The schema then has numbers as floats and
        labels as categories, and times as floats, or as texts if they are dates.
    """

    def __init__(
        self,
        schema: "polars.Schema",
        kinds: Mapping[int, Kind],
        decimal: str = ".",
        n_columns: int | None = None,
        *,
        all_read: bool = False,
    ) -> None:
        import polars

        self._texts: list[polars.Expr] = []
        if all_read:
            self._fields = _without_texts(schema, kinds)
        else:
            self._fields, self._texts = _with_texts(schema, kinds, decimal)
        if n_columns is not None:
            self._fields.append(polars.col(str(n_columns - 1)).is_null().alias(LAST))
            self._fields.append(polars.col(str(n_columns)).is_not_null().alias(MORE))

    def of(self, scan: "polars.LazyFrame") -> "polars.LazyFrame":
        """Return the query of a file or a block."""
        return scan.select(self._fields).with_columns(self._texts)


def has_read(frame: "polars.DataFrame") -> bool:
    """Return whether a query without texts has read all values: dates without gaps, and numbers that are finite."""
    return all(
        column.is_finite().all() if column.dtype.is_float() else not column.null_count()
        for column in frame
        if column.name.startswith(DATES) or column.dtype.is_float()
    )


def _without_texts(schema: "polars.Schema", kinds: Mapping[int, Kind]) -> "list[polars.Expr]":
    """Return the expressions for fields that are all read by fast conversions."""
    import polars

    expressions: list[polars.Expr] = []
    for k, kind in kinds.items():
        column = polars.col(schema.names()[k])
        if kind == "times" and schema.dtypes()[k] == polars.String:
            expressions.append(_microseconds(column, polars.String()).alias(f"{DATES}{k}"))
        else:
            expressions.append(column.alias(f"{VALUES}{k}"))
    return expressions


def _with_texts(
    schema: "polars.Schema", kinds: Mapping[int, Kind], decimal: str
) -> "tuple[list[polars.Expr], list[polars.Expr]]":
    """Return the expressions for all fields, and then those for the texts that were not read."""
    import polars

    names, types = schema.names(), schema.dtypes()
    expressions: list[polars.Expr] = []
    texts: list[polars.Expr] = []
    for k, kind in kinds.items():
        column, of = polars.col(names[k]), types[k]
        value, date, text = f"{VALUES}{k}", f"{DATES}{k}", f"{TEXTS}{k}"
        if kind == "labels":
            expressions.append(_label(column, of).alias(value))
            continue
        as_text = column
        if of.is_float():  # what is a number already has a text only where it is not finite
            as_text = polars.when(~column.is_finite()).then(column)
        is_date = isinstance(of, polars.Datetime) or of == polars.Date
        none = polars.lit(None, dtype=polars.Float64)
        number = none if is_date else _number(column, of, decimal)
        expressions += [number.alias(value), as_text.cast(polars.String).alias(text)]
        unread = polars.col(value).is_null()
        if kind == "times":
            expressions.append((_microseconds(column, of) if is_date or of == polars.String else none).alias(date))
            unread &= polars.col(date).is_null()
        texts.append(polars.when(unread).then(polars.col(text)).alias(text))
    return expressions, texts


def _label(column: "polars.Expr", of: "polars.DataType") -> "polars.Expr":
    """Return numbers as they are and all else as texts in categories; null for what is missing."""
    import polars

    if of.is_integer():
        return column
    if of.is_float():
        return column.fill_nan(None)
    if of == polars.Categorical:
        return column
    text = column.cast(polars.String)
    return polars.when(text != "").then(text).cast(polars.Categorical)


def _number(column: "polars.Expr", of: "polars.DataType", decimal: str) -> "polars.Expr":
    """Return finite numbers, null for all else."""
    import polars

    if of == polars.String and decimal != ".":
        dotted = column.str.contains(".", literal=True)
        column = polars.when(~dotted).then(column.str.replace(decimal, ".", literal=True))
    number = column.cast(polars.Float64, strict=False)
    return polars.when(number.is_finite()).then(number)


def _microseconds(column: "polars.Expr", of: "polars.DataType") -> "polars.Expr":
    """Return dates in microseconds since 1970; null for texts of any layout but the usual one."""
    import polars

    if of == polars.String:
        usual = column.str.slice(26).is_in(_UTC) & (column.str.len_bytes() >= 26)
        column = (
            polars.when(usual)
            .then(column.str.head(26))
            .str.strptime(polars.Datetime("us"), _DATE, strict=False, cache=False)
        )
    return column.cast(polars.Datetime("us", getattr(of, "time_zone", None))).dt.timestamp("us")
