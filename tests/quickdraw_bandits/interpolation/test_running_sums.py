"""The stationary sums against the direct sum over all observations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation import Kernel, plain_estimate
from quickdraw_bandits.interpolation.running_sums import RunningSums

rng = np.random.default_rng


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["euclidean", "cosine", "precomputed"]),
    st.sampled_from([1, 5, 130]),
    st.sampled_from([1, 2, 700]),
    st.sampled_from([1e-2, 1.0, 30.0]),
    st.sampled_from([1e-12, 1e-7, 1e-1]),
    st.integers(1, 3),
    st.integers(0, 2**32 - 1),
)
def test_agrees_with_the_plain_sum(metric, n_arms, n, length_scale, noise_variance, sharpness, seed):
    random = rng(seed)
    points = random.normal(size=(n_arms, 2))
    if metric == "precomputed":
        points = np.abs(points[:, :1] - points[:, 0])
    arms = Arms(points, metric=metric)
    kernel = Kernel(length_scale, None, noise_variance, sharpness)
    sums = RunningSums(arms, kernel)
    seen, rewards = random.integers(n_arms, size=n), random.normal(size=n)
    for part in np.array_split(np.arange(n), min(n, 4)):
        sums.add(np.zeros(len(part)), seen[part], rewards[part])
    mean, std = sums.estimate(0.0)
    distances = np.array([arms.distances(int(arm)) for arm in seen])
    expected_mean, expected_std = plain_estimate(kernel, distances, np.zeros(n), rewards)
    tolerance = 1e-6 if metric == "cosine" else 1e-9
    np.testing.assert_allclose(std, expected_std, rtol=tolerance)
    np.testing.assert_allclose(mean, expected_mean, rtol=tolerance, atol=tolerance)
    assert sums.n_observations == n


@pytest.mark.slow
def test_a_million_single_observations_keep_nine_digits():
    """Rewards of both signs that nearly cancel, over very different precisions: the hard case for running sums."""
    random = rng(3)
    arms = Arms.grid(0, 1, 4)
    kernel = Kernel(1.0, None, 1e-7, 1)
    n = 1_000_000
    seen = random.integers(4, size=n)
    rewards = random.normal(size=n) * 10.0 ** random.integers(-3, 4, size=n)
    sums = RunningSums(arms, kernel)
    zero = np.zeros(1)
    for s in range(n):
        sums.add(zero, seen[s : s + 1], rewards[s : s + 1])
    mean, std = sums.estimate(0.0)
    for arm in range(4):
        distance = np.abs(arms.points[arm, 0] - arms.points[seen, 0])
        nu = 1 / (1e-7 + distance**2)
        total, weighted = math.fsum(nu), math.fsum(nu * rewards)
        assert std[arm] == pytest.approx(total**-0.5, rel=1e-9)
        assert mean[arm] == pytest.approx(weighted / total, rel=1e-9)


def test_an_arm_too_far_to_learn_about_keeps_the_average():
    sums = RunningSums(Arms.grid(0, 1, 2), Kernel(1e-50, None, 1e-12, 3))
    sums.add(np.zeros(2), np.array([0, 0]), np.array([0.25, 0.75]))
    mean, std = sums.estimate(0.0)
    assert mean.tolist() == [0.5, 0.5]
    assert std[1] == np.inf
    assert std[0] < 1e-5
