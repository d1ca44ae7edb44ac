"""Single values as numbers and times, in Python: exact and general, for what no fast path has understood."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from math import isinf, isnan, nan

import numpy as np
from numpy.typing import NDArray

MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "#n/a"))
"""How tables write a missing number, in lower case."""

DATE = "a number or a date like 2026-07-01 12:00:00+00:00"

_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(e[+-]?\d+)?", re.IGNORECASE)

Fail = Callable[[int, str, object], ValueError]
"""Makes the error for a row, what was expected there, and what came."""


def is_missing(value: object) -> bool:
    """Return whether a value stands for a missing one: None, NaN, NaT, pandas' NA, or a text that says so."""
    if isinstance(value, str):
        return value.strip().lower() in MISSING
    return value is None or value is not value or type(value).__name__ in ("NAType", "NaTType") or value != value


def numbers_of(values: Iterable[tuple[int, object]], fail: Fail, decimal: str = ".") -> dict[int, float]:
    """Return the number of each row, NaN where it is missing; ``fail`` makes the error of a value that is none."""
    return {row: _number(value, row, fail, decimal) for row, value in values}


def times_of(values: Iterable[tuple[int, object]], fail: Fail) -> dict[int, tuple[float, bool]]:
    """Return the time of each row, and whether it is a date.

    Numbers stay as they are; dates become seconds since 1970, in UTC unless they name a zone.
    """
    return {row: _time(value, row, fail) for row, value in values}


def _number(value: object, row: int, fail: Fail, decimal: str) -> float:
    if is_missing(value):
        return nan
    number = as_number(value, decimal)
    if number is None or isinf(number):
        raise fail(row, "a finite number" + _hint(value), value)
    return number


def _hint(value: object) -> str:
    """Return what may be wrong with a text that is no number."""
    text = value.strip() if isinstance(value, str) else ""
    if _THOUSANDS.fullmatch(text):
        return " without separators of thousands (if these are decimal commas, read with decimal=',')"
    if _DECIMAL_COMMA.fullmatch(text):
        return " (with decimal commas, read with decimal=',')"
    if "," in text and as_number(text.replace(",", "")) is not None:
        return " without separators of thousands"
    if isinstance(value, datetime) or as_date(text) is not None:
        return " (name a column of times by time=...)"
    return ""


def _time(value: object, row: int, fail: Fail) -> tuple[float, bool]:
    number = as_number(value)
    time = as_date(value) if number is None else number
    if time is None or isinf(time) or isnan(time):
        raise fail(row, DATE, value)
    return time, number is None


def all_dates(is_date: NDArray[np.bool_], fail: Fail) -> bool:
    """Return whether a column has dates; ValueError if it has both numbers and dates."""
    if is_date.any() and not is_date.all():
        row = int(np.flatnonzero(is_date != is_date[0])[0])
        first, other = ("a date", "a number") if is_date[0] else ("a number", "a date")
        raise fail(row, f"{first}, as in the rows before", other)
    return bool(is_date.any())


def as_number(value: object, decimal: str = ".") -> float | None:
    """Return a number, or None for what is none.

    Examples
    --------
    >>> as_number(" 1.5"), as_number("1,5", decimal=","), as_number("1,5"), as_number("1_000")
    (1.5, 1.5, None, None)
    """
    if isinstance(value, str):
        if "_" in value or (decimal != "." and "." in value):
            return None
        value = value.strip().replace(decimal, ".")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def as_date(value: object) -> float | None:
    """Return a date in seconds since 1970, or None for what is none.

    Examples
    --------
    >>> as_date("1970-01-02"), as_date("1970-01-01T01:00:00+01:00"), as_date("soon")
    (86400.0, 0.0, None)
    """
    try:
        date = value if isinstance(value, datetime) else datetime.fromisoformat(value.strip())  # type: ignore[attr-defined]
    except (AttributeError, TypeError, ValueError):
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
