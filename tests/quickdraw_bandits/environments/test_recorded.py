import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.environments import Recorded

ARMS = qd.Arms([0.0, 1.0, 5.0])
REWARDS = np.array([[0.1, 0.2, 0.3], [3.0, 2.0, -1.0]])


def test_keeps_rewards_raw_and_its_own():
    given = REWARDS.copy()
    env = Recorded(given, ARMS)
    given[0, 0] = 99.0
    np.testing.assert_array_equal(env.mean, REWARDS)
    assert env.arms is ARMS
    np.testing.assert_array_equal(env.times, [0.0, 0.5])


def test_takes_any_kind_of_numbers():
    np.testing.assert_array_equal(Recorded([[0, 1, 1]], ARMS).mean, [[0.0, 1.0, 1.0]])
    np.testing.assert_array_equal(Recorded(np.array([[True, False, True]]), ARMS).mean, [[1.0, 0.0, 1.0]])
    assert Recorded(REWARDS.astype(np.float32), ARMS).mean.dtype == np.float64


def test_keeps_times():
    times = np.array([3.5, 10.0])
    env = Recorded(REWARDS, ARMS, times=times)
    times[0] = 99.0
    np.testing.assert_array_equal(env.times, [3.5, 10.0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_names_the_first_value_that_is_not_finite(bad):
    rewards = np.zeros((6, 3))
    rewards[4, 0] = rewards[2, 1] = bad
    with pytest.raises(
        ValueError, match=f"rewards must be finite, got {bad} at row 2, column 1 \\(from 0\\); fill such values or"
    ):
        Recorded(rewards, ARMS)


@pytest.mark.parametrize(
    ("rewards", "message"),
    [
        ([0.1, 0.2, 0.3], r"shape \(rounds, arms\) with at least one of each, got \(3,\)"),
        (np.zeros((0, 3)), r"got \(0, 3\)"),
        (np.zeros((2, 2, 3)), r"got \(2, 2, 3\)"),
        ([["a", "b", "c"]], "rewards must hold numbers"),
        ([[1, 2, 3], [1, 2]], "rewards must hold numbers"),
        (None, "rewards must have the shape"),
        ([[1j, 2, 3]], "rewards must hold numbers"),
        (np.zeros((2, 4)), "got 3 arms and 4 columns"),
    ],
)
def test_refuses_bad_rewards(rewards, message):
    with pytest.raises(ValueError, match=message):
        Recorded(rewards, ARMS)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([0.0], "times must have one entry per round, 2 in all, got 1"),
        ([0.0, np.nan], "times must be finite"),
        ([1.0, 1.0], "times must increase, got 1.0 followed by 1.0 at position 1"),
        ([2.0, 1.0], "times must increase"),
        ([[0.0, 1.0]], "times must be one-dimensional"),
        (["a", "b"], "times must hold numbers"),
    ],
)
def test_refuses_bad_times(times, message):
    with pytest.raises(ValueError, match=message):
        Recorded(REWARDS, ARMS, times=times)


@pytest.mark.parametrize("arms", [[0.0, 1.0, 2.0], qd.Box(0.0, 1.0)])
def test_refuses_other_things_in_place_of_arms(arms):
    with pytest.raises(ValueError, match=f"arms must be an Arms set, got {type(arms).__name__}"):
        Recorded(REWARDS, arms)


def test_load_takes_times_and_points_from_the_file(tmp_path):
    np.savez(tmp_path / "data.npz", rewards=REWARDS, times=[1.0, 4.0], points=[[0, 0], [3, 4], [0, 1]])
    env = Recorded.load(tmp_path / "data.npz", noise=0.5, seed=3)
    np.testing.assert_array_equal(env.mean, REWARDS)
    np.testing.assert_array_equal(env.times, [1.0, 4.0])
    np.testing.assert_array_equal(env.arms.points, [[0, 0], [3, 4], [0, 1]])
    assert (env.noise, env.seed) == (0.5, 3)


def test_load_puts_arms_in_a_row_unless_told(tmp_path):
    np.save(tmp_path / "data.npy", REWARDS)
    np.testing.assert_array_equal(Recorded.load(tmp_path / "data.npy").arms.points[:, 0], [-1, 0, 1])
    assert Recorded.load(tmp_path / "data.npy", ARMS).arms is ARMS


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"rewards": [[1.0, np.nan]]}, "at row 0, column 1"),
        ({"rewards": [1.0, 2.0]}, r"shape \(rounds, arms\)"),
        ({"rewards": [[1.0, 2.0]], "times": [0.0, 1.0]}, "times must have one entry per round, 1 in all, got 2"),
        ({"rewards": [[1.0, 2.0]], "points": [0.0, 1.0, 2.0]}, "got 3 arms and 2 columns"),
        ({"rewards": [[1.0, 2.0]], "points": [0.0, np.inf]}, "points must be finite"),
    ],
)
def test_load_names_the_file(tmp_path, arrays, message):
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(ValueError, match=rf"bad\.npz: .*{message}"):
        Recorded.load(tmp_path / "bad.npz")
