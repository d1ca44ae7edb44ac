import re
from datetime import date, datetime, timedelta

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.checks import number, real_array

ARMS = qd.Arms.grid(-1, 1, 5)
LINE, PLANE = qd.Box(0.0, 1.0), qd.Box([0.0, 0.0], [1.0, 1.0])
TOGETHER = "time, arm and reward must be all scalars or all arrays, got "


@pytest.mark.parametrize(
    ("arms", "observation", "message"),
    [
        (ARMS, (1.0, 3, [0.5]), TOGETHER + "time = 1.0, arm = 3, reward of the shape (1,)"),
        (ARMS, ([1.0], 3, [0.5]), TOGETHER + "time of the shape (1,), arm = 3, reward of the shape (1,)"),
        (
            ARMS,
            (np.zeros((2, 3)), [3], 0.5),
            TOGETHER + "time of the shape (2, 3), arm of the shape (1,), reward = 0.5",
        ),
        (ARMS, ([1.0, [2.0]], [3, 4], 0.5), TOGETHER + "time of the shape (2,), arm of the shape (2,), reward = 0.5"),
        (ARMS, ([1.0, [2.0]], [3, 4], [0.5, 0.5]), "time must hold numbers, got rows of different lengths"),
        (ARMS, (["1"], [3], [0.5]), "time must hold numbers, got '1'"),
        (
            ARMS,
            (0.0, ARMS.points[3], 0.5),
            "arm must be the position of one arm, from 0 to 4, and not its coordinates, got the shape (1,)",
        ),
        (
            ARMS,
            ([0.0, 1.0], ARMS.points[3:], [0.5, 0.5]),
            "arm must be one-dimensional, got the shape (2, 1); an arm is a position, not coordinates",
        ),
        (LINE, (1.0, 0.3, [0.5]), "time and reward must be all scalars or all arrays, got time = 1.0, reward of the"),
        (
            PLANE,
            ([1.0], [[0.1, 0.1]], 0.5),
            "time and reward must be all scalars or all arrays, got time of the shape (1",
        ),
        (PLANE, ([1.0], [0.1, 0.1], [0.5]), "arm must have the shape (n, 2), got (2,)"),
    ],
)
def test_says_which_observations_do_not_go_together(arms, observation, message):
    policy = qd.QuickDraw(arms)
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        policy.update(*observation)
    assert policy.n_observations == 0


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
def test_says_how_a_date_becomes_a_number(value, advice):
    with pytest.raises(ValueError, match="^" + re.escape(f"time must be a finite number, got {value!r}{advice}") + "$"):
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
def test_says_what_is_no_number(values, what):
    with pytest.raises(ValueError, match="^" + re.escape(f"points must hold numbers, got {what}") + "$"):
        real_array("points", values)
