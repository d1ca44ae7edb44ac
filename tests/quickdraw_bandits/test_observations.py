"""The store of observations: growing, and sliding."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.observations import FIRST_CAPACITY, Observations, Pending, Window

GRID = Arms.grid(0, 1, 11)


def test_one_by_one_is_as_all_at_once_beyond_the_first_capacity():
    random = np.random.default_rng(0)
    n = 3 * FIRST_CAPACITY
    times, arms, rewards = random.random(n), random.integers(11, size=n), random.normal(size=n)
    at_once, singly = Observations(GRID), Observations(GRID)
    at_once.append(times, arms, rewards)
    for s in range(n):
        singly.append(times[s : s + 1], arms[s : s + 1], rewards[s : s + 1])
    for seen in (at_once, singly):
        assert seen.n == len(seen) == n
        np.testing.assert_array_equal(seen.times[:n], times)
        np.testing.assert_array_equal(seen.arms[:n], arms)
        np.testing.assert_array_equal(seen.rewards[:n], rewards)
        np.testing.assert_array_equal(seen.coordinates[:, :n], GRID.points[arms].T)
        assert (seen.least_reward, seen.largest_reward) == (rewards.min(), rewards.max())
        assert seen.mean_reward == pytest.approx(rewards.mean())


def test_arms_of_a_box_are_coordinates():
    seen = Observations(Box([0.0, 0.0], [1.0, 1.0]))
    seen.append(np.zeros(1), np.array([[0.1, 0.2]]), np.zeros(1))
    seen.append(np.zeros(2), np.array([[0.3, 0.4], [0.5, 0.6]]), np.zeros(2))
    np.testing.assert_array_equal(seen.coordinates[:, :3], [[0.1, 0.3, 0.5], [0.2, 0.4, 0.6]])
    assert seen.arms[:3].tolist() == [0, 0, 0]


def test_precomputed_distances_have_no_coordinates():
    seen = Observations(Arms(np.array([[0.0, 1.0], [1.0, 0.0]]), metric="precomputed"))
    seen.append(np.zeros(1), np.array([1]), np.ones(1))
    assert seen.coordinates.shape[0] == 0
    assert seen.arms[0] == 1


@settings(max_examples=30)
@given(st.integers(1, 6), st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 4))
def test_a_window_holds_the_latest_by_time_and_then_by_arrival(size, times, batch):
    window = Window(size)
    arrivals = np.arange(len(times))
    for begin in range(0, len(times), batch):
        some = slice(begin, begin + batch)
        window.append(np.array(times[some], dtype=float), arrivals[some], np.array(times[some], dtype=float))
    expected = sorted(arrivals, key=lambda k: (times[k], k))[-size:]
    if batch >= len(times) or times == sorted(times):
        assert window.arms.tolist() == expected
    assert len(window) == min(size, len(times))
    assert (np.diff(window.times) >= 0).all()
    assert window.times.tolist() == sorted(times)[-size:]


@given(
    st.lists(st.tuples(st.sampled_from(["add", "add", "remove", "look", "copy"]), st.integers(0, 2), st.integers(0, 2)))
)
def test_pending_pulls_come_in_the_order_of_their_announcement_however_often_they_are_looked_at(steps):
    plain: list[tuple[float, int]] = []
    pending = Pending()
    for what, time, arm in [*steps, ("look", 0, 0)]:
        key = float(time), arm
        if what == "add":
            plain.append(key)
            pending.add(*key)
        elif what == "remove":
            assert pending.remove(*key) is (key in plain)
            if key in plain:
                del plain[len(plain) - 1 - plain[::-1].index(key)]  # the latest
        elif what == "copy":
            pending = copy.deepcopy(pending)
        else:
            expected = plain
            times, arms = pending.arrays()
            assert list(zip(times.tolist(), arms.tolist(), strict=True)) == expected
            assert len(pending) == len(expected)
