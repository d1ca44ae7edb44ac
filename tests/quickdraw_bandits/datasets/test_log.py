import numpy as np
import pytest

from quickdraw_bandits import Arms
from quickdraw_bandits.datasets import Log
from quickdraw_bandits.datasets.log import arms_on_a_line

GOOD = {
    "time": [0.0, 1.0, 1.0, 5.0],
    "arm": [0, 1, 2, 1],
    "reward": [0.0, 1.0, -2.0, 0.5],
    "propensity": [0.5, 0.25, 1.0, 1e-6],
    "group": [1, 0, 1, 1],
    "arms": Arms.grid(-1, 1, 3),
}


def test_columns_become_arrays_and_names_are_filled_in():
    log = Log(**GOOD)
    assert len(log) == 4
    assert log.arm.dtype == np.int64
    assert log.arm_names == ("0", "1", "2")
    assert log.group_names == ("0", "1")
    assert repr(log) == "Log(4 events, 3 arms, 2 groups, mean reward -0.125)"


def test_rows_by_group_keep_the_order_of_time_and_lose_nothing():
    log = Log(**GOOD, group_names=("a", "b", "never seen"))
    assert [list(rows) for rows in log.rows_by_group()] == [[1], [0, 2, 3], []]


def test_time_is_scaled_over_the_whole_span():
    np.testing.assert_array_equal(Log(**GOOD).scaled_time(), [0.0, 0.2, 0.2, 1.0])
    instant = Log(**GOOD | {"time": [7.0] * 4})
    np.testing.assert_array_equal(instant.scaled_time(), np.zeros(4))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": [0, 2, 1, 3]}, "time must never decrease, got 1.0 at position 2"),
        ({"time": [0, np.nan, 1, 3]}, "time must be finite, got nan at position 1"),
        ({"propensity": [0.5, 0.0, 1, 1]}, "propensity must be above 0 and at most 1, got 0.0 at position 1"),
        ({"propensity": [0.5, 0.5, 1.5, 1]}, "propensity must be above 0 and at most 1, got 1.5 at position 2"),
        ({"arm": [0, 1, 3, 0]}, "arm must be from 0 to 2, got 3 at position 2"),
        ({"reward": [0.0, 1.0]}, "must have the same length of at least 1, got .*'reward': 2"),
        ({"reward": [0, 0, np.inf, 0]}, "reward must be finite, got inf at position 2"),
        ({"group": [0, -1, 0, 0]}, "group must be from 0 to 0, got -1 at position 1"),
        ({"arms": 3}, "arms must be an Arms set, got int"),
        ({"arm_names": ("a",)}, "arm_names must name all 3 arms, got 1 names"),
        ({name: [] for name in ("time", "arm", "reward", "propensity", "group")}, "at least 1"),
    ],
)
def test_bad_columns_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Log(**GOOD | change)


def test_arms_that_share_a_coordinate_stay_different():
    arms = arms_on_a_line(np.array([2.0, 2.0, 6.0]))
    np.testing.assert_array_equal(arms.points[:, 0], [-1, -1, 1])
    assert len(arms_on_a_line(np.array([3.0, 3.0]))) == 2
