"""Epsilon-greedy on a window."""

import numpy as np

import quickdraw_bandits as qd


def test_plays_the_highest_pay_seen_in_the_window():
    policy = qd.policies.SlidingEpsilonGreedy(qd.Arms.grid(-1, 1, 6), window=3, epsilon=0.0)
    policy.update([0.0, 1.0, 2.0, 3.0], [5, 1, 2, 3], [0.99, 0.2, 0.7, 0.4])
    assert policy.select(4.0) == 2
    policy.update([4.0, 5.0], [4, 4], [0.1, 0.1])
    assert policy.select(6.0) == 3


def test_the_window_goes_by_the_time_of_the_pull():
    policy = qd.policies.SlidingEpsilonGreedy(qd.Arms.grid(-1, 1, 6), window=2, epsilon=0.0)
    policy.update([3.0, 2.0], [1, 2], [0.3, 0.4])
    policy.update(1.0, 5, 0.9)  # late, and older than the two in the window
    assert policy.select(4.0) == 2


def test_an_arm_that_has_the_highest_reward_twice_is_drawn_twice_as_often():
    policy = qd.policies.SlidingEpsilonGreedy(qd.Arms.grid(-1, 1, 5), window=6, epsilon=0.25)
    policy.update([0, 1, 2, 3, 4, 5], [4, 1, 2, 1, 3, 3], [0.2, 1.0, 1.0, 1.0, 0.0, 0.5])
    explore = 0.25 / 5
    expected = [explore, explore + 0.75 * 2 / 3, explore + 0.75 / 3, explore, explore]
    np.testing.assert_allclose(policy.probabilities(6.0), expected, rtol=0, atol=1e-15)
