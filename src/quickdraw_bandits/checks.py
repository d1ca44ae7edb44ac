"""What every boundary of the package checks, so that each says it in the same words.

A check either returns the value in the type that the code behind it works with, or raises one ``ValueError``
that names the argument, what was expected and what came.
"""

import math
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Seed = int | np.random.Generator | None


def number(name: str, value: Any) -> float:
    """Return ``value`` as a finite float."""
    try:
        # NumPy's dates of some units become floats without a word, those of others do not.
        result = math.nan if isinstance(value, str | bytes | np.datetime64 | np.timedelta64) else float(value)
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    if not math.isfinite(result):
        raise ValueError(f"{name} must be a finite number, got {value!r}{_advice_on_dates(value)}")
    return result


def _advice_on_dates(value: Any) -> str:
    """Return how a date becomes a number, to follow what came; nothing for what is no date."""
    if isinstance(value, datetime):
        return "; use .timestamp()"
    if isinstance(value, date):
        return "; use .toordinal()"
    if getattr(getattr(value, "dtype", None), "kind", "") == "M":
        return "; use (date - start) / numpy.timedelta64(1, 's')"
    return ""


def positive(name: str, value: Any) -> float:
    """Return ``value`` as a finite float above zero."""
    result = number(name, value)
    if result <= 0:
        raise ValueError(f"{name} must be above 0, got {value!r}")
    return result


SMALLEST_SCALE, LARGEST_SCALE = 1e-50, 1e50
"""Scales within these limits can be multiplied and squared together without leaving the range of float64."""


def scale(name: str, value: Any) -> float:
    """Return ``value`` as a float above zero that is neither too small nor too large to be squared."""
    result = positive(name, value)
    if not SMALLEST_SCALE <= result <= LARGEST_SCALE:
        raise ValueError(f"{name} must be from {SMALLEST_SCALE:g} to {LARGEST_SCALE:g}, got {value!r}")
    return result


def not_negative(name: str, value: Any) -> float:
    """Return ``value`` as a finite float of at least zero."""
    result = number(name, value)
    if result < 0:
        raise ValueError(f"{name} must be at least 0, got {value!r}")
    return result


def fraction(name: str, value: Any) -> float:
    """Return ``value`` as a float between zero and one, both allowed."""
    result = number(name, value)
    if not 0 <= result <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {value!r}")
    return result


def integer(name: str, value: Any, *, at_least: int, at_most: int | None = None) -> int:
    """Return ``value`` as an int within the given limits; numbers with a fraction, and booleans, are refused."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < at_least or (at_most is not None and value > at_most):
        limits = f"of at least {at_least}" if at_most is None else f"from {at_least} to {at_most}"
        raise ValueError(f"{name} must be an integer {limits}, got {value!r}")
    return int(value)


def generator(seed: Seed) -> np.random.Generator:
    """Return a random generator for ``seed``: an integer, a generator (used as it is) or None."""
    if seed is None or isinstance(seed, np.random.Generator):
        return np.random.default_rng(seed)
    return np.random.default_rng(integer("seed", seed, at_least=0))


def real_array(name: str, values: Any) -> NDArray[Any]:
    """Return a copy of ``values`` as an array of real numbers in C order: float32 as it is, all else as float64.

    Text, dates, complex numbers and masked values are refused; NumPy would turn them into numbers of some kind.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError
        array = np.array(array, dtype=np.float32 if array.dtype == np.float32 else np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must hold numbers, got {_what_is_no_number(values)}") from None
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must hold numbers, got masked values; leave them out first")
    return array


def _what_is_no_number(values: Any) -> str:
    """Return in words why ``values`` are no array of numbers: the first that is none, if one can be shown."""
    try:
        array = np.asarray(values)
    except ValueError:
        return "rows of different lengths"
    if array.dtype.kind not in "OUS":
        return f"{array.dtype}{_advice_on_dates(array)}"
    if array.ndim == 0 and not isinstance(values, str | bytes):
        return type(values).__name__
    # As objects, because NumPy turns the numbers beside a text into texts.
    bad = [value for value in np.asarray(values, dtype=object).flat if not _becomes_a_number(value)]
    return f"{bad[0]!r}{_advice_on_dates(bad[0])}" if bad else str(array.dtype)


def _becomes_a_number(value: Any) -> bool:
    """Return whether NumPy may turn ``value`` into a float; None becomes NaN."""
    try:
        float(0.0 if value is None else value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, str | bytes)


def numbers_array(name: str, values: Any) -> Floats:
    """Return a copy of ``values`` as a one-dimensional array of finite float64."""
    array: Floats = real_array(name, values).astype(np.float64, copy=False)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got the shape {array.shape}")
    if not np.isfinite(array).all():
        bad = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[bad]} at position {bad}")
    return array


def arm_positions(name: str, values: Any, n_arms: int) -> Integers:
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
    outside = (array < 0) | (array >= n_arms)
    if outside.any():
        bad = int(np.flatnonzero(outside)[0])
        raise ValueError(f"{name} must be from 0 to {n_arms - 1}, got {array[bad]} at position {bad}")
    return array.astype(np.int64, copy=False)


def observations(time: Any, arm: Any, reward: Any, n_arms: int) -> tuple[Floats, Integers, Floats]:
    """Return times, arms and rewards as arrays of equal length, from scalars or from arrays."""
    plain = type(arm) is int and isinstance(time, float) and isinstance(reward, float)
    if plain and 0 <= arm < n_arms and math.isfinite(time) and math.isfinite(reward):
        return np.array([time]), np.array([arm]), np.array([reward])  # the same as below, in a third of the time
    if _is_scalar(time) and _is_scalar(arm) and _is_scalar(reward):
        return (
            np.array([number("time", time)]),
            np.array([integer("arm", arm, at_least=0, at_most=n_arms - 1)], dtype=np.int64),
            np.array([number("reward", reward)]),
        )
    if _is_scalar(time) and _is_scalar(reward):
        raise ValueError(
            f"arm must be the position of one arm, from 0 to {n_arms - 1}, and not its coordinates, "
            f"got the shape {_shape(arm)}"
        )
    _check_no_scalars(time=time, arm=arm, reward=reward)
    times = numbers_array("time", time)
    arms = arm_positions("arm", arm, n_arms)
    rewards = numbers_array("reward", reward)
    if not len(times) == len(arms) == len(rewards):
        raise ValueError(
            f"time, arm and reward must have the same length, got {len(times)}, {len(arms)} and {len(rewards)}"
        )
    return times, arms, rewards


def box_observations(
    time: Any, arm: Any, reward: Any, checked: Callable[[str, Any, int], Floats]
) -> tuple[Floats, Floats, Floats]:
    """Return times, coordinates and rewards of equal length; ``checked`` is the box's own check of coordinates."""
    if _is_scalar(time) and _is_scalar(reward):
        return np.array([number("time", time)]), checked("arm", arm, 1), np.array([number("reward", reward)])
    _check_no_scalars(time=time, reward=reward)
    times, rewards = numbers_array("time", time), numbers_array("reward", reward)
    points = checked("arm", arm, 2) if np.size(arm) else np.empty((0, 0))
    if not len(times) == len(points) == len(rewards):
        raise ValueError(
            f"time, arm and reward must have the same length, got {len(times)}, {len(points)} and {len(rewards)}"
        )
    return times, points, rewards


def _check_no_scalars(**values: Any) -> None:
    """Raise ValueError if one of the values is a scalar, which the others are not."""
    if any(_is_scalar(value) for value in values.values()):
        *names, last = values
        kinds = [f"{name} {_kind(value)}" for name, value in values.items()]
        raise ValueError(f"{', '.join(names)} and {last} must be all scalars or all arrays, got {', '.join(kinds)}")


def _kind(value: Any) -> str:
    return f"= {value!r}" if _is_scalar(value) else f"of the shape {_shape(value)}"


def _is_scalar(value: Any) -> bool:
    return isinstance(value, float | int | np.generic) or _shape(value) == ()


def _shape(value: Any) -> tuple[int, ...]:
    try:
        return np.shape(value)
    except ValueError:  # rows of different lengths, which the check of the array will name
        return (len(value),)
