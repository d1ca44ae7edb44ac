"""What all policies on Gaussian processes share."""

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.policies.gaussian_process_ucb import GaussianProcessUCB, average

POLICIES = [
    each
    for each in (getattr(qd.policies, name) for name in qd.policies.__all__)
    if issubclass(each, GaussianProcessUCB)
]

each_policy = pytest.mark.parametrize("policy_class", POLICIES, ids=lambda policy: policy.__name__)


@each_policy
def test_plays_the_arm_of_the_largest_mean_plus_standard_deviations(policy_class):
    policy = policy_class(qd.Arms.grid(-1, 1, 50), exploration=1.3, seed=0)
    random = np.random.default_rng(0)
    policy.update(np.arange(30) * 1e-3, random.integers(50, size=30), random.random(30))
    mean, std = policy.estimate(0.03)
    assert std.min() >= 0
    np.testing.assert_allclose(policy.index(0.03), mean + 1.3 * std, rtol=1e-15)
    assert policy.select(0.03) == np.argmax(mean + 1.3 * std)


@each_policy
def test_the_first_choice_is_uniform(policy_class):
    first = [policy_class(qd.Arms.grid(0, 1, 4), seed=seed).select(0.0) for seed in range(400)]
    # 100 each with a standard deviation of 8.7; four of them allowed.
    assert np.abs(np.bincount(first, minlength=4) - 100).max() < 35


@each_policy
def test_the_time_of_an_estimate_is_checked(policy_class):
    with pytest.raises(ValueError, match="time must be a finite number, got nan"):
        policy_class(qd.Arms.grid(0, 1, 4)).estimate(np.nan)


def test_the_average_of_equal_rewards_is_exact():
    assert np.full(3, 0.1).mean() != 0.1  # by rounding
    assert average(np.full(3, 0.1)) == 0.1
    assert average(np.array([1.0, 2.0, 6.0])) == 3.0


@pytest.mark.parametrize("name", ["GPUCB", "SlidingGPUCB"])
def test_rewards_that_cannot_be_squared_are_refused_when_they_come(name):
    policy = getattr(qd.policies, name)(qd.Arms.grid(0, 1, 10), seed=0)
    policy.update(np.arange(5.0), np.arange(5), 1e149 * np.arange(5))
    with pytest.raises(ValueError, match=r"reward must be from -1e\+150 to 1e\+150, to be squared, got 1e\+200 at"):
        policy.update([5.0, 6.0], [1, 2], [0.0, 1e200])
    assert policy.n_observations == 5
    assert 0 <= policy.select(5.0) < 10
