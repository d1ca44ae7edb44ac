"""The stationary sums against the direct sum over all observations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation import Kernel, plain_estimate

rng = np.random.default_rng


@settings(max_examples=60, deadline=None)
@given(
    metric=st.sampled_from(["euclidean", "cosine", "haversine", "precomputed"]),
    n_arms=st.sampled_from([1, 5, 130]),
    n=st.sampled_from([1, 2, 700]),
    length_scale=st.sampled_from([1e-2, 1.0, 30.0]),
    noise_variance=st.sampled_from([1e-12, 1e-7, 1e-1]),
    sharpness=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_agrees_with_the_plain_sum(
    learner, make_arms, metric, n_arms, n, length_scale, noise_variance, sharpness, seed
):
    random = rng(seed)
    arms = make_arms(metric, n_arms, 2, random)
    kernel = Kernel(length_scale, None, noise_variance, sharpness)
    sums = learner(arms, kernel)
    seen, rewards = random.integers(n_arms, size=n), random.normal(size=n)
    for part in np.array_split(np.arange(n), min(n, 4)):
        sums.learn(np.zeros(len(part)), seen[part], rewards[part])
    mean, std = sums.estimate(0.0)
    distances = np.array([arms.distances(int(arm)) for arm in seen])
    expected_mean, expected_std = plain_estimate(kernel, distances, np.zeros(n), rewards)
    tolerance = 1e-9 if metric in ("euclidean", "precomputed") else 1e-6
    np.testing.assert_allclose(std, expected_std, rtol=tolerance)
    np.testing.assert_allclose(mean, expected_mean, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
def test_many_single_observations_keep_nine_digits(learner):
    """Rewards of both signs that nearly cancel, over very different precisions: the hard case for running sums."""
    random = rng(3)
    arms = Arms.grid(0, 1, 4)
    kernel = Kernel(1.0, None, 1e-7, 1)
    n = 200_000
    seen = random.integers(4, size=n)
    rewards = random.normal(size=n) * 10.0 ** random.integers(-3, 4, size=n)
    sums = learner(arms, kernel)
    zero = np.zeros(1)
    for s in range(n):
        sums.learn(zero, seen[s : s + 1], rewards[s : s + 1])
    mean, std = sums.estimate(0.0)
    for arm in range(4):
        distance = np.abs(arms.points[arm, 0] - arms.points[seen, 0])
        nu = 1 / (1e-7 + distance**2)
        total, weighted = math.fsum(nu), math.fsum(nu * rewards)
        assert std[arm] == pytest.approx(total**-0.5, rel=1e-9)
        assert mean[arm] == pytest.approx(weighted / total, rel=1e-9)


def test_an_arm_too_far_to_learn_about_keeps_the_average(learner):
    sums = learner(Arms.grid(0, 1, 2), Kernel(1e-50, None, 1e-12, 3))
    sums.learn(np.zeros(2), np.array([0, 0]), np.array([0.25, 0.75]))
    mean, std = sums.estimate(0.0)
    assert mean.tolist() == [0.5, 0.5]
    assert std[1] == np.inf
    assert std[0] < 1e-5
