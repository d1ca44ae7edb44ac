"""The store of observations of the adaptive policy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickdraw_bandits.policies.adaptive.pool import RECENT, SPARE, Pool, limits


def entry(time, arm, reward):
    return np.array([time]), np.array([arm]), np.array([reward])


def test_entries_are_in_the_order_of_time_and_the_latest_are_kept():
    pool = Pool(3)
    for time in (1.0, 4.0, 2.0, 3.0):
        pool.append(*entry(time, int(time), 10 * time))
    assert pool.times.tolist() == [2.0, 3.0, 4.0]
    assert pool.arms.tolist() == [2, 3, 4]
    assert pool.rewards.tolist() == [20.0, 30.0, 40.0]
    assert pool.counts.tolist() == [1.0, 1.0, 1.0]


def remembered(times, arms, size):
    """Return which entries are kept, by a plain count of the later entries of the same arm."""
    rank = sorted(range(len(times)), key=lambda k: (times[k], k))
    place = {k: position for position, k in enumerate(rank)}
    costs = {
        k: (max(times) - times[k]) * (1 + sum(arms[j] == arms[k] and place[j] > place[k] for j in range(len(times))))
        for k in range(len(times))
    }
    return sorted(sorted(rank, key=lambda k: (costs[k], -place[k]))[:size], key=place.get)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 4)), min_size=1, max_size=60),
    st.integers(1, 20),
)
def test_a_pool_that_remembers_drops_what_is_old_and_was_seen_since(entries, size):
    times, arms = [float(time) for time, _ in entries], [arm for _, arm in entries]
    pool = Pool(size)
    pool.remembers = True
    pool.append(np.array(times), np.array(arms), np.arange(len(times), dtype=float))
    expected = remembered(times, arms, size)
    assert pool.times.tolist() == [times[k] for k in expected]
    assert pool.arms.tolist() == [arms[k] for k in expected]
    assert pool.rewards.tolist() == [float(k) for k in expected]


@pytest.mark.parametrize("remembers", [True, False])
def test_an_arm_that_is_played_for_long_does_not_make_a_pool_forget_the_others(remembers):
    pool = Pool(100)
    pool.remembers = remembers
    for time in range(1000):
        pool.append(*entry(float(time), time if time < 50 else 99, time / 1000))
        assert len(pool.times) <= 100 + remembers * SPARE
        assert (np.diff(pool.times) > 0).all()
        assert pool.times[-1] == time
    known = set(pool.arms.tolist())
    assert known == (set(range(50)) | {99} if remembers else {99})
    np.testing.assert_array_equal(pool.rewards, pool.times / 1000)


def test_a_stay_is_told_by_count_means_and_squares():
    random = np.random.default_rng(0)
    times, rewards = np.sort(random.random(9)), random.normal(size=9)
    pool = Pool(600)
    pool.append(*entry(-1.0, 3, 5.0))
    pool.append(*entry(times[0], 4, rewards[0]))
    for time, reward in zip(times[1:], rewards[1:], strict=True):
        pool.join(time, 4, reward)
    assert pool.counts.tolist() == [1.0, 9.0]
    assert pool.times[1] == pytest.approx(times.mean())
    assert pool.rewards[1] == pytest.approx(rewards.mean())
    assert pool.spreads[1] == pytest.approx(np.sum((rewards - rewards.mean()) ** 2))
    assert (pool.rewards[0], pool.spreads[0]) == (5.0, 0.0)


@pytest.mark.parametrize(("time", "arm"), [(2.0, 5), (0.5, 4)])
def test_what_is_of_another_arm_or_late_is_an_entry_of_its_own(time, arm):
    pool = Pool(600)
    pool.append(*entry(1.0, 4, 0.0))
    pool.join(time, arm, 1.0)
    assert sorted(pool.times.tolist()) == sorted([1.0, time])
    assert pool.counts.tolist() == [1.0, 1.0]


def test_the_latest_pulls_are_kept_one_by_one():
    """The step of the clock is the time between pulls, and not between entries."""
    pool = Pool(600)
    pool.append(*entry(0.0, 4, 0.0))
    for k in range(1, 200):
        pool.join(float(k), 4, 0.0)
    assert len(pool.times) == 1
    np.testing.assert_array_equal(pool.pulls, np.arange(200.0 - RECENT, 200.0))


@pytest.mark.parametrize("outlier", [1e6, -1e6, 1e300])
def test_an_outlier_is_beyond_the_limits_and_ordinary_rewards_are_not(outlier):
    for rewards in (np.random.default_rng(0).normal(size=600), np.random.default_rng(1).exponential(size=200)):
        low, high = limits(np.append(rewards, outlier), np.ones(len(rewards) + 1))
        assert low < rewards.min() <= rewards.max() < high
        assert not low <= outlier <= high


def test_limits_move_with_the_units_of_the_rewards():
    rewards = np.append(np.random.default_rng(0).normal(size=100), 1e6)
    ones = np.ones(101)
    np.testing.assert_allclose(limits(3 * rewards + 5, ones), 3 * np.array(limits(rewards, ones)) + 5)


@pytest.mark.parametrize("rewards", [np.repeat([0.0, 1.0], [599, 1]), np.zeros(600), np.append(np.arange(5.0), 1e6)])
def test_rare_clicks_and_few_rewards_all_count(rewards):
    assert limits(rewards, np.ones(len(rewards))) == (-np.inf, np.inf)


def test_a_new_level_of_rewards_soon_counts():
    """More than one reward in a hundred is no outlier."""
    low, high = limits(np.append(np.random.default_rng(0).normal(size=593), np.full(7, 1000.0)), np.ones(600))
    assert low < 1000.0 < high


def test_one_click_is_no_outlier_beside_means_of_many():
    rewards = np.concatenate([np.random.default_rng(0).binomial(50, 0.01, size=400) / 50, [1.0]])
    low, high = limits(rewards, np.append(np.full(400, 50.0), 1.0))
    assert low < 0.0
    assert high > 1.0


def test_rewards_that_differ_by_rounding_make_no_outliers():
    pool = Pool(600)
    for k in range(60):
        pool.append(*entry(float(k), 0, 0.3 if k % 2 else 0.1 + 0.2))
    pool.append(*entry(60.0, 1, 5.0))
    assert pool.limits == (-np.inf, np.inf)
    assert len(pool.standardised()[0]) == 61


@pytest.mark.parametrize("size", [1e-300, 0.3, 1e300])
def test_the_unit_of_rewards_that_are_alike_is_their_size(size):
    pool = Pool(600)
    for k in range(3):
        pool.append(*entry(float(k), k, -size))
    *_, centre, unit = pool.standardised()
    assert (centre, unit) == (-size, size)
