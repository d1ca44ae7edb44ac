"""Checks of input: what they return, and the one error in which they say what is wrong."""

import re
from datetime import date, datetime, timedelta

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.checks import box_observations, integer, number, observations, real_array

ARMS = qd.Arms.grid(-1, 1, 5)
LINE, PLANE = qd.Box(0.0, 1.0), qd.Box([0.0, 0.0], [1.0, 1.0])
TOGETHER = "time, arm and reward must be all scalars or all arrays, got "
MASKED = np.ma.array([1, 2], mask=[0, 1])


def starts_with(message):
    return "^" + re.escape(message)


@pytest.mark.parametrize(
    ("observation", "message"),
    [
        ((np.nan, 1, 0.5), "time must be a finite number, got nan"),
        ((np.inf, 1, 0.5), "time must be a finite number, got inf"),
        (("1.0", 1, 0.5), "time must be a finite number, got '1.0'"),
        ((None, 1, 0.5), "time must be a finite number, got None"),
        ((True, 1, 0.5), "time must be a finite number, got True"),
        ((1.0, 5, 0.5), "arm must be an integer from 0 to 4, got 5"),
        ((1.0, -1, 0.5), "arm must be an integer from 0 to 4, got -1"),
        ((1.0, 1.5, 0.5), "arm must be an integer from 0 to 4, got 1.5"),
        ((1.0, None, 0.5), "arm must be an integer from 0 to 4, got None"),
        ((1.0, True, 0.5), "arm must be an integer from 0 to 4, got True"),
        ((1.0, 1, np.nan), "reward must be a finite number, got nan"),
        ((1.0, 1, "much"), "reward must be a finite number, got 'much'"),
        (([1.0, np.nan], [1, 2], [0.1, 0.2]), "time must be finite, got nan at position 1"),
        (([1.0, 2.0], [1, 5], [0.1, 0.2]), "arm must be from 0 to 4, got 5 at position 1"),
        (([1.0, 2.0], [1.0, 2.0], [0.1, 0.2]), "arm must hold integer positions of arms, got the type float64"),
        (([1.0, 2.0], [[1], [1, 2]], [0.1, 0.2]), "arm must hold integer positions of arms, got rows of different"),
        (([1.0, 2.0], MASKED, [0.1, 0.2]), "arm must hold integer positions of arms, got masked values"),
        (([1.0, 2.0], [1, 2], [0.1, np.inf]), "reward must be finite, got inf at position 1"),
        (([1.0, 2.0], [1, 2], [0.1, 0.2j]), "reward must hold numbers, got complex128"),
        (([1.0, 2.0], [1, 2], MASKED), "reward must hold numbers, got masked values"),
        (([1.0, 2.0], [1, 2], [[0.1], [0.1, 0.2]]), "reward must hold numbers, got rows of different lengths"),
        (([1.0, 2.0], [1, 2], [0.1]), "time, arm and reward must have the same length, got 2, 2 and 1"),
        (([[1.0]], [1], [0.1]), "time must be one-dimensional, got the shape (1, 1)"),
        ((1.0, 3, [0.5]), TOGETHER + "time = 1.0, arm = 3, reward of the shape (1,)"),
        (([1.0], 3, [0.5]), TOGETHER + "time of the shape (1,), arm = 3, reward of the shape (1,)"),
        ((np.zeros((2, 3)), [3], 0.5), TOGETHER + "time of the shape (2, 3), arm of the shape (1,), reward = 0.5"),
        (([1.0, [2.0]], [3, 4], 0.5), TOGETHER + "time of the shape (2,), arm of the shape (2,), reward = 0.5"),
        (([1.0, [2.0]], [3, 4], [0.5, 0.5]), "time must hold numbers, got rows of different lengths"),
        ((["1"], [3], [0.5]), "time must hold numbers, got '1'"),
        (
            (0.0, ARMS.points[3], 0.5),
            "arm must be the position of one arm, from 0 to 4, not its coordinates, got the shape (1,)",
        ),
        (
            ([0.0, 1.0], ARMS.points[3:], [0.5, 0.5]),
            "arm must be one-dimensional, got the shape (2, 1); an arm is a position, not coordinates",
        ),
    ],
)
def test_observations_of_arms_that_are_refused(observation, message):
    with pytest.raises(ValueError, match=starts_with(message)):
        observations(*observation, len(ARMS))


@pytest.mark.parametrize(
    ("box", "observation", "message"),
    [
        (LINE, (1.0, 0.3, [0.5]), "time and reward must be all scalars or all arrays, got time = 1.0, reward of the"),
        (PLANE, ([1.0], [[0.1, 0.1]], 0.5), "time and reward must be all scalars or all arrays, got time of the shape"),
        (PLANE, ([1.0], [0.1, 0.1], [0.5]), "arm must have the shape (n, 2), got (2,)"),
        (PLANE, ([1.0, 2.0], [[0.1, 0.1], [0.1]], [0.5, 0.5]), "arm must hold coordinates, got [[0.1, 0.1], [0.1]]"),
        (PLANE, ([1.0, 2.0], [[0.1, 0.1]], [0.5, 0.5]), "time, arm and reward must have the same length, got 2, 1 and"),
    ],
)
def test_observations_in_a_box_that_are_refused(box, observation, message):
    with pytest.raises(ValueError, match=starts_with(message)):
        box_observations(*observation, box.checked)


NEW_YEAR = datetime(2026, 1, 1)
SINCE = "use (date - start) / numpy.timedelta64(1, 's')"


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (NEW_YEAR, "; use .timestamp()"),
        (date(2026, 1, 1), "; use .toordinal()"),
        (timedelta(1), ""),
        (np.datetime64("2026-01-01"), f"; {SINCE}"),
        (np.datetime64(1, "ns"), f"; {SINCE}"),
        (np.timedelta64(1, "ns"), ""),
    ],
)
def test_a_date_is_refused_with_advice(value, advice):
    with pytest.raises(ValueError, match=starts_with(f"time must be a finite number, got {value!r}{advice}") + "$"):
        number("time", value)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["red"], "'red'"),
        ("red", "'red'"),
        ([1.0, None, np.inf, "red"], "'red'"),
        ([[1, 2], [b"red", 3]], "b'red'"),
        (np.array([1.0, "red"], dtype=object), "'red'"),
        ([[1.0], [2.0, 3.0]], "rows of different lengths"),
        ([1j, 2.0], "complex128"),
        ([0.0, NEW_YEAR], "datetime.datetime(2026, 1, 1, 0, 0); use .timestamp()"),
        (np.array([NEW_YEAR], dtype="datetime64[s]"), f"datetime64[s]; {SINCE}"),
        ({1: 2}, "dict"),
        ([{1: 2}], "{1: 2}"),
    ],
)
def test_the_first_value_that_is_no_number_is_shown(values, what):
    with pytest.raises(ValueError, match=starts_with(f"points must hold numbers, got {what}") + "$"):
        real_array("points", values)


def test_integers_of_any_kind_are_taken_within_their_limits():
    assert [integer("n", value, at_least=0, at_most=2) for value in (0, np.uint8(1), np.int64(2))] == [0, 1, 2]
    for bad in (3, -1, np.int64(3), 1.0, True, "1"):
        with pytest.raises(ValueError, match=starts_with(f"n must be an integer from 0 to 2, got {bad!r}")):
            integer("n", bad, at_least=0, at_most=2)
    with pytest.raises(ValueError, match="n must be an integer of at least 5, got 4"):
        integer("n", 4, at_least=5)
