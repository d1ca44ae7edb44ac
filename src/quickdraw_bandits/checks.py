"""Checks of input, in the same words everywhere.

A check returns the value in the type that the code behind it works with, or raises one ``ValueError`` that names the
argument, what was expected and what was given.
"""

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Seed = int | np.random.Generator | None
"""An integer, a generator (used as it is), or None for a random stream that differs every time."""


def number(name: str, value: object) -> float:
    """Return ``value`` as a finite float."""
    try:
        # NumPy's dates of some units silently become floats, those of others do not; True would become 1.
        is_no_number = isinstance(value, str | bytes | bool | np.bool_ | np.datetime64 | np.timedelta64)
        result = math.nan if is_no_number else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    if not math.isfinite(result):
        raise ValueError(f"{name} must be a finite number, got {value!r}{_advice_on_dates(value)}")
    return result


def _advice_on_dates(value: object) -> str:
    """Return how to turn a date into a number, to end a message; nothing for other values."""
    if isinstance(value, datetime):
        return "; use .timestamp()"
    if isinstance(value, date):
        return "; use .toordinal()"
    if getattr(getattr(value, "dtype", None), "kind", "") == "M":
        return "; use (date - start) / numpy.timedelta64(1, 's')"
    return ""


def positive(name: str, value: object) -> float:
    """Return ``value`` as a finite float above zero."""
    result = number(name, value)
    if result <= 0:
        raise ValueError(f"{name} must be above 0, got {value!r}")
    return result


SMALLEST_SCALE, LARGEST_SCALE = 1e-50, 1e50
"""Products and squares of a few scales within these limits stay in the range of float64."""
LATEST = 1e300
"""Times are from -LATEST to LATEST, so that the difference of two is a number."""


def scale(name: str, value: object) -> float:
    """Return ``value`` as a float from ``SMALLEST_SCALE`` to ``LARGEST_SCALE``."""
    result = positive(name, value)
    if not SMALLEST_SCALE <= result <= LARGEST_SCALE:
        raise ValueError(f"{name} must be from {SMALLEST_SCALE:g} to {LARGEST_SCALE:g}, got {value!r}")
    return result


def not_negative(name: str, value: object) -> float:
    """Return ``value`` as a finite float of at least zero."""
    result = number(name, value)
    if result < 0:
        raise ValueError(f"{name} must be at least 0, got {value!r}")
    return result


def fraction(name: str, value: object) -> float:
    """Return ``value`` as a float from zero to one, both included."""
    result = number(name, value)
    if not 0 <= result <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {value!r}")
    return result


def integer(name: str, value: object, *, at_least: int, at_most: int | None = None) -> int:
    """Return ``value`` as an int within the given limits; floats and booleans are refused."""
    if not _is_integer(value) or value < at_least or (at_most is not None and value > at_most):
        limits = f"of at least {at_least}" if at_most is None else f"from {at_least} to {at_most}"
        raise ValueError(f"{name} must be an integer {limits}, got {value!r}")
    return int(value)


def _is_integer(value: object) -> TypeGuard[int | np.integer]:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def generator(seed: Seed) -> np.random.Generator:
    """Return a random generator for ``seed``."""
    if seed is None or isinstance(seed, np.random.Generator):
        return np.random.default_rng(seed)
    return np.random.default_rng(integer("seed", seed, at_least=0))


def real_array(name: str, values: object, spare: float = 0.0) -> NDArray[np.float32] | Floats:
    """Return a copy of ``values`` in C order, as float32 if they are float32 and as float64 otherwise.

    With ``spare``, it is the beginning of an array that is longer by this share; what is not used takes no memory.
    Text, dates, complex numbers and masked values, which NumPy would convert, are refused.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError
        if array.dtype.kind == "O" and not all(map(_becomes_a_number, array.flat)):
            raise TypeError
        number = np.float32 if array.dtype == np.float32 else np.float64
        if spare and array.ndim:
            longer = np.empty((int((1 + spare) * len(array)), *array.shape[1:]), dtype=number)
            longer[: len(array)] = array
            array = longer[: len(array)]
        else:
            array = np.array(array, dtype=number, order="C")
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must hold numbers, got {_what_is_no_number(values)}") from None
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must hold numbers, got masked values; leave them out first")
    return array


def _what_is_no_number(values: object) -> str:
    """Return why ``values`` are not numbers: the first value that is none, if one can be shown."""
    try:
        array = np.asarray(values)
    except ValueError:
        return "rows of different lengths"
    if array.dtype.kind not in "OUS":
        return f"{array.dtype}{_advice_on_dates(array)}"
    if array.ndim == 0 and not isinstance(values, str | bytes):
        return type(values).__name__
    # As objects, because NumPy turns numbers next to text into text.
    bad = [value for value in np.asarray(values, dtype=object).flat if not _becomes_a_number(value)]
    return f"{bad[0]!r}{_advice_on_dates(bad[0])}" if bad else str(array.dtype)


def _becomes_a_number(value: object) -> bool:
    """Return whether NumPy may turn ``value`` into a float; None becomes NaN."""
    try:
        float(0.0 if value is None or value is np.ma.masked else value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, str | bytes | np.datetime64 | np.timedelta64)


def numbers_array(name: str, values: object) -> Floats:
    """Return a copy of ``values`` as a one-dimensional array of finite float64."""
    array: Floats = real_array(name, values).astype(np.float64, copy=False)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got the shape {array.shape}")
    refuse_first(name, array, ~np.isfinite(array), "be finite")
    return array


def refuse_first(name: str, values: NDArray[np.generic], bad: NDArray[np.bool_], expectation: str) -> None:
    """Raise ValueError for the first value marked as ``bad``, if any: "``name`` must ``expectation``, got ..."."""
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise ValueError(f"{name} must {expectation}, got {values[first]} at position {first}")


def arm_positions(name: str, values: object, n_arms: int) -> Integers:
    """Return a copy of ``values`` as a one-dimensional array of positions in an arm set of ``n_arms``."""
    try:
        array = np.array(values, order="C")
    except ValueError:
        raise ValueError(f"{name} must hold integer positions of arms, got rows of different lengths") from None
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must hold integer positions of arms, got masked values; leave them out first")
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, got the shape {array.shape}; an arm is a position, not coordinates"
        )
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} must hold integer positions of arms, got the type {array.dtype}")
    refuse_first(name, array, (array < 0) | (array >= n_arms), f"be from 0 to {n_arms - 1}")
    return array.astype(np.int64, copy=False)


def observations(time: object, arm: object, reward: object, n_arms: int) -> tuple[Floats, Integers, Floats]:
    """Return times, arms and rewards as arrays of equal length, from scalars or from arrays."""
    floats = type(time) is float and -LATEST <= time <= LATEST and type(reward) is float and math.isfinite(reward)
    if floats and type(arm) is int and 0 <= arm < n_arms:
        return np.array([time]), np.array([arm]), np.array([reward])  # as below, in a third of the time
    if _is_scalar(time) and _is_scalar(arm) and _is_scalar(reward):
        return (
            np.array([moment(time)]),
            np.array([integer("arm", arm, at_least=0, at_most=n_arms - 1)], dtype=np.int64),
            np.array([number("reward", reward)]),
        )
    if _is_scalar(time) and _is_scalar(reward):
        raise ValueError(
            f"arm must be the position of one arm, from 0 to {n_arms - 1}, not its coordinates, "
            f"got the shape {_shape(arm)}"
        )
    _check_no_scalars(time=time, arm=arm, reward=reward)
    times = _moments(time)
    arms = arm_positions("arm", arm, n_arms)
    rewards = numbers_array("reward", reward)
    _check_lengths(time=times, arm=arms, reward=rewards)
    return times, arms, rewards


def pulls(time: object, arm: object, n_arms: int) -> tuple[Floats, Integers]:
    """Return times and arms as arrays of equal length, from scalars or from arrays."""
    if _is_scalar(time):
        return observations(time, arm, 0.0, n_arms)[:2]
    _check_no_scalars(time=time, arm=arm)
    times, arms = _moments(time), arm_positions("arm", arm, n_arms)
    _check_lengths(time=times, arm=arms)
    return times, arms


def box_observations(
    time: object, arm: object, reward: object, checked: Callable[[str, object, int], Floats]
) -> tuple[Floats, Floats, Floats]:
    """Return times, coordinates and rewards of equal length; ``checked`` is ``Box.checked``."""
    if _is_scalar(time) and _is_scalar(reward):
        return np.array([moment(time)]), checked("arm", arm, 1), np.array([number("reward", reward)])
    _check_no_scalars(time=time, reward=reward)
    times, rewards = _moments(time), numbers_array("reward", reward)
    points = checked("arm", arm, 2) if _shape(arm) != (0,) else np.empty((0, 0))
    _check_lengths(time=times, arm=points, reward=rewards)
    return times, points, rewards


def box_pulls(time: object, arm: object, checked: Callable[[str, object, int], Floats]) -> tuple[Floats, Floats]:
    """Return times and coordinates of equal length; ``checked`` is ``Box.checked``."""
    if _is_scalar(time):
        return box_observations(time, arm, 0.0, checked)[:2]
    times = _moments(time)
    points = checked("arm", arm, 2) if _shape(arm) != (0,) else np.empty((0, 0))
    _check_lengths(time=times, arm=points)
    return times, points


def moment(time: object) -> float:
    """Return a time as a float from ``-LATEST`` to ``LATEST``."""
    if type(time) is float and -LATEST <= time <= LATEST:  # the usual case
        return time
    found = number("time", time)
    if abs(found) > LATEST:
        raise ValueError(f"time must be from {-LATEST:g} to {LATEST:g}, got {time!r}")
    return found


def _moments(times: object) -> Floats:
    array = numbers_array("time", times)
    if np.asarray(times).dtype == np.bool_:  # refused as single times are
        raise ValueError("time must hold numbers, got bool")
    refuse_first("time", array, np.abs(array) > LATEST, f"be from {-LATEST:g} to {LATEST:g}")
    return array


def _check_lengths(**columns: Integers | Floats) -> None:
    """Raise ValueError if the columns are not of the same length."""
    lengths = [len(column) for column in columns.values()]
    if len(set(lengths)) > 1:
        raise ValueError(f"{_listed(list(columns))} must have the same length, got {_listed(lengths)}")


def _listed(values: Sequence[object]) -> str:
    *first, last = map(str, values)
    return f"{', '.join(first)} and {last}"


def _check_no_scalars(**values: object) -> None:
    """Raise ValueError if one of the values is a scalar."""
    if any(_is_scalar(value) for value in values.values()):
        kinds = [f"{name} {_kind(value)}" for name, value in values.items()]
        raise ValueError(f"{_listed(list(values))} must be all scalars or all arrays, got {', '.join(kinds)}")


def _kind(value: object) -> str:
    return f"= {value!r}" if _is_scalar(value) else f"of the shape {_shape(value)}"


def _is_scalar(value: object) -> bool:
    return isinstance(value, float | int | np.generic) or _shape(value) == ()


def _shape(value: object) -> tuple[int, ...]:
    try:
        return np.asarray(value).shape
    except ValueError:  # rows of different lengths, which the check of the array will name
        return (len(value),)  # type: ignore[arg-type]
