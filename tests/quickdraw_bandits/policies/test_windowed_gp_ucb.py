"""What the policies on a windowed Gaussian process have in common."""

import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.policies import EventTriggeredGPUCB, SpaceTimeGPUCB, TimeVaryingGPUCB, WeightedGPUCB

POLICIES = [SpaceTimeGPUCB, TimeVaryingGPUCB, WeightedGPUCB]

each_policy = pytest.mark.parametrize("policy_class", POLICIES, ids=lambda policy: policy.__name__)


def history(n, seed=0):
    random = np.random.default_rng(seed)
    return np.arange(n) * 1e-3, random.integers(50, size=n), random.random(n)


@each_policy
def test_only_the_window_counts(policy_class):
    whole, recent = (policy_class(Arms.grid(-1, 1, 50), window=20, seed=0) for _ in range(2))
    times, arms, rewards = history(60)
    whole.update(times, arms, rewards)
    for observation in zip(times[40:], arms[40:], rewards[40:], strict=True):
        recent.update(*observation)
    np.testing.assert_allclose(whole.index(0.06), recent.index(0.06), atol=1e-12)


@each_policy
def test_the_order_of_arrival_does_not_matter(policy_class):
    in_order, shuffled = (policy_class(Arms.grid(-1, 1, 50), window=20, seed=0) for _ in range(2))
    times, arms, rewards = history(40)
    for k in range(40):
        in_order.update(times[k], arms[k], rewards[k])
    for k in np.random.default_rng(1).permutation(40):
        shuffled.update(times[k], arms[k], rewards[k])
    np.testing.assert_allclose(in_order.index(0.04), shuffled.index(0.04), atol=1e-12)


@each_policy
def test_far_from_all_it_knows_it_expects_the_prior_mean(policy_class):
    times, arms, rewards = history(10)
    for prior_mean, expected in ((0.25, 0.25), ("average", rewards.mean())):
        policy = policy_class(Arms.grid(-1, 1, 50), length_scale=1e-3, prior_mean=prior_mean, signal_variance=0.09)
        policy.update(times, arms, rewards)
        mean, std = policy.estimate(0.01)
        unseen = np.setdiff1d(np.arange(50), arms)
        np.testing.assert_allclose(mean[unseen], expected, rtol=1e-12)
        np.testing.assert_allclose(std[unseen], 0.3, rtol=1e-12)


@each_policy
def test_one_arm_played_again_and_again_at_one_time(policy_class):
    policy = policy_class(Arms.grid(-1, 1, 50), window=30, noise_variance=1e-15, seed=0)
    for _ in range(70):
        policy.update(1.0, 7, 0.5)
    mean, _ = policy.estimate(1.0)
    assert mean[7] == pytest.approx(0.5, abs=1e-6)
    assert 0 < policy.jitter <= 1e-8


@pytest.mark.parametrize("policy_class", [*POLICIES, EventTriggeredGPUCB], ids=lambda policy: policy.__name__)
@pytest.mark.parametrize("metric", ["cosine", "haversine", "precomputed"])
def test_plays_on_any_metric(policy_class, metric):
    points = np.random.default_rng(6).uniform(-1.5, 1.5, size=(100, 2))
    if metric == "precomputed":
        points = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    arms = Arms(points, metric=metric)
    policy = policy_class(arms, length_scale=0.2, prior_mean=0.0, signal_variance=1.0, seed=0)
    pay = np.exp(-20 * arms.distances(17) ** 2)
    for k in range(60):
        arm = policy.select(k * 1e-4)
        policy.update(k * 1e-4, arm, pay[arm])
    assert pay[policy.select(0.006)] > 0.9


@each_policy
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 0}, "window must be an integer of at least 1, got 0"),
        ({"window": 2.5}, "window must be an integer of at least 1, got 2.5"),
        ({"exploration": -1.0}, "exploration must be at least 0, got -1.0"),
        ({"exploration": np.nan}, "exploration must be a finite number, got nan"),
        ({"length_scale": 0.0}, "length_scale must be above 0, got 0.0"),
        ({"signal_variance": 0.0}, "signal_variance must be above 0, got 0.0"),
        ({"noise_variance": -1.0}, "noise_variance must be .* got -1.0"),
        ({"prior_mean": "median"}, "prior_mean must be a number or 'average', got 'median'"),
        ({"prior_mean": np.inf}, "prior_mean must be a finite number, got inf"),
        ({"prior_mean": None}, "prior_mean must be a finite number, got None"),
    ],
)
def test_bad_settings_are_refused(policy_class, options, message):
    with pytest.raises(ValueError, match=message):
        policy_class(Arms.grid(0, 1, 4), **options)
