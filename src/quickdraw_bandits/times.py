"""Times as policies take them: numbers, or datetimes.

Inside the library a time is a float. Datetimes become seconds since 1970-01-01 UTC; a datetime without a time zone, and
every ``numpy.datetime64``, is taken to be in UTC. They count to the microsecond; nanoseconds are cut off.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quickdraw_bandits.arrays import plain_array
from quickdraw_bandits.checks import Floats, moment, number

Time = float | datetime | np.datetime64
"""One time: a number, a ``datetime`` (of pandas as well) or a ``numpy.datetime64``."""
Times = ArrayLike | datetime
"""One time or many: arrays of numbers or of ``datetime64``, lists of either kind, and columns of data frames."""
TimeArray = NDArray[np.float64 | np.datetime64]
"""Times as a policy returns them, in the kind that it was given."""
Span = float | timedelta | np.timedelta64
"""A length of time: a number, or with datetimes a ``timedelta``."""
Kind = Literal["numbers", "datetimes"]

NUMBERS = (float, np.float64)
"""Types of most times: entries of a list, and of an array."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FARTHEST_DAY = 100_000_000
"""So many days, 270,000 years, fit into 64 bits as microseconds."""
_DAYS = {"Y": 365.2425, "M": 30.436875, "W": 7.0, "D": 1.0, "h": 1 / 24, "m": 1 / 1440, "s": 1 / 86400, "ms": 1 / 864e5}
"""The length of NumPy's units in days; shorter ones reach less far than that."""


class Clock:
    """Which kind of times a policy has been given; the first decides, and the other kind is refused from then on.

    Examples
    --------
    >>> clock = Clock()
    >>> clock.seconds(datetime(1970, 1, 2))
    86400.0
    >>> clock.accept(datetime(1970, 1, 2))
    >>> clock.seconds(5.0)
    Traceback (most recent call last):
    ValueError: time must be a datetime, like earlier times and time scales, got 5.0
    """

    def __init__(self) -> None:
        self.kind: Kind | None = None

    def seconds(self, value: Any) -> float:
        """Return one time as a float, or raise ValueError; remembers nothing."""
        return moment(self.numbers(value))

    def numbers(self, values: Any) -> Any:
        """Return one time or many as numbers: what is a number as it is, unchecked, and datetimes in seconds."""
        if type(values) in NUMBERS and self.kind != "datetimes":  # the usual case
            return float(values)
        found = kind_of(values)
        if self.kind is not None and found != self.kind and not _is_empty(values):
            expected = "a datetime" if self.kind == "datetimes" else "a number"
            advice = "" if self.kind == "datetimes" else "; with datetimes, give every length of time as a timedelta"
            raise ValueError(
                f"time must be {expected}, like earlier times and time scales, got {_shown(values)}{advice}"
            )
        values = plain_array(values)
        if found == "numbers":
            _refuse_dates(values)
            return values
        if isinstance(values, datetime | np.datetime64):
            return _instant("time", values, 0)
        return instants("time", values)

    def span(self, name: str, value: Any) -> float:
        """Return a length of time as a float; a ``timedelta`` says that times are datetimes, in seconds."""
        if isinstance(value, timedelta):
            self.kind = "datetimes"
            return value.total_seconds()
        if isinstance(value, np.timedelta64):
            self.kind = "datetimes"
            unit, count = np.datetime_data(value.dtype)
            days = float(value.astype(np.int64)) * count * _DAYS.get(unit, 0.0)
            if not np.isnat(value) and (unit in ("Y", "M", "generic") or abs(days) > _FARTHEST_DAY):
                expected = f"a length of up to {_FARTHEST_DAY:,} days in weeks or a shorter unit"
                raise ValueError(f"{name} must be {expected}, got {value!r}")
            return float(value / np.timedelta64(1, "us")) / 1e6
        self.kind = "numbers"
        return number(name, value)

    def accept(self, value: Any) -> None:
        """Remember the kind of ``value``, which was checked."""
        if self.kind is None:
            self.kind = kind_of(value)

    def original(self, seconds: Floats) -> TimeArray:
        """Return times of the library in the kind that the policy was given: floats, or ``datetime64``."""
        if self.kind != "datetimes":
            return seconds
        return np.rint(seconds * 1e6).astype(np.int64).astype("datetime64[us]")

    def original_span(self, seconds: float) -> Span:
        """Return a length of time in the kind that the policy was given."""
        if self.kind != "datetimes":
            return seconds
        return timedelta(seconds=min(seconds, timedelta.max.total_seconds() / 2))


def kind_of(value: Any) -> Kind:
    """Tell whether a time, or each of several, is a number or a datetime; what is neither counts as a number."""
    if type(value) is float or type(value) is int:
        return "numbers"
    if isinstance(value, datetime | np.datetime64):
        return "datetimes"
    value = plain_array(value)
    if getattr(getattr(value, "dtype", None), "kind", "") == "M":
        return "datetimes"
    if isinstance(value, list | tuple) and len(value):
        return kind_of(value[0])
    if getattr(value, "dtype", None) is not None and len(getattr(value, "shape", ())) == 1 and len(value):
        return "datetimes" if isinstance(value[0], datetime | np.datetime64) else "numbers"  # an array of objects
    return "numbers"


def _is_empty(values: Any) -> bool:
    """Return whether there are no times at all, which are of either kind."""
    return hasattr(values, "__len__") and np.ndim(values) == 1 and len(values) == 0


def _refuse_dates(values: Any) -> None:
    """Raise ValueError for dates among numbers, and for lengths of time: NumPy would make numbers of some of them."""
    if not isinstance(values, list | tuple | np.ndarray):
        return
    try:
        kind = np.asarray(values).dtype.kind
    except ValueError:  # rows of different lengths, which are refused elsewhere
        return
    for position, value in enumerate(np.ravel(np.asarray(values, dtype=object)) if kind in "Om" else ()):
        if isinstance(value, datetime | np.datetime64 | timedelta | np.timedelta64):
            raise ValueError(f"time must be numbers or datetimes, not both, got {_shown(value)} at position {position}")


def instants(name: str, values: Any) -> Floats:
    """Return datetimes as seconds since 1970 in UTC, or raise ValueError."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must hold datetimes, got rows of different lengths") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got the shape {array.shape}")
    if array.dtype.kind == "M":
        if np.isnat(array).any():
            raise ValueError(
                f"{name} must be a datetime, got NaT at position {int(np.flatnonzero(np.isnat(array))[0])}"
            )
        unit, count = np.datetime_data(array.dtype)
        far = np.abs(array.astype(np.int64) * (count * _DAYS.get(unit, 0.0))) > _FARTHEST_DAY
        if far.any():  # where NumPy would wrap around without a word
            first = int(np.flatnonzero(far)[0])
            expected = f"within {_FARTHEST_DAY:,} days of 1970"
            raise ValueError(f"{name} must be {expected}, got {_shown(array[first])} at position {first}")
        # To the microsecond, as Python's datetimes: a float has no room for more, and policies give these back.
        return np.asarray(array.astype("datetime64[us]").astype(np.int64) / 1e6, dtype=np.float64)
    return np.array([_instant(name, value, k) for k, value in enumerate(array)])


def _instant(name: str, value: Any, position: int) -> float:
    if isinstance(value, np.datetime64):
        return float(instants(name, np.array([value]))[0])
    if not isinstance(value, datetime) or value != value:  # pandas' NaT is a datetime that differs from itself
        advice = "; use a datetime" if isinstance(value, date) and not isinstance(value, datetime) else ""
        raise ValueError(f"{name} must be a datetime, got {_shown(value)} at position {position}{advice}")
    if getattr(value, "nanosecond", 0):  # of pandas, cut off as those of NumPy are
        value = value.to_pydatetime(warn=False)  # type: ignore[attr-defined]
    aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return float((aware - _EPOCH).total_seconds())


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
