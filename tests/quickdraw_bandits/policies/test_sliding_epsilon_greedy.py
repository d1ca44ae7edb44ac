"""Epsilon-greedy on a window, and chance itself."""

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


def test_explores_with_probability_epsilon():
    policy = qd.policies.SlidingEpsilonGreedy(qd.Arms.grid(-1, 1, 1000), epsilon=0.3, seed=0)
    policy.update(0.0, 7, 1.0)
    others = sum(policy.select(1.0) != 7 for _ in range(4000))
    # 4000 draws at 0.3: standard deviation 29; five of them allowed, and one in a thousand explorations hits arm 7.
    assert abs(others - 1199) < 145


def test_random_plays_every_arm_as_often():
    policy = qd.policies.Random(qd.Arms.grid(-1, 1, 5), seed=0)
    counts = np.bincount([policy.select(0.0) for _ in range(5000)], minlength=5)
    # 5000 draws at 1/5: standard deviation 28; five of them allowed.
    assert np.abs(counts - 1000).max() < 142
