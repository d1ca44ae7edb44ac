import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.environments import RandomField
from quickdraw_bandits.policies import SpaceTimeGPUCB


def test_the_estimate_is_that_of_its_formula():
    arms = Arms(np.random.default_rng(0).random((40, 2)))
    policy = SpaceTimeGPUCB(arms, 0.3, 2.0, signal_variance=1.5, noise_variance=0.1, prior_mean=0.2)
    random = np.random.default_rng(1)
    times, seen, rewards = np.sort(random.random(25)) * 5, random.integers(40, size=25), random.random(25)
    policy.update(times, seen, rewards)
    x = arms.points / arms.unit
    c = np.exp(-((x[:, None] - x) ** 2).sum(axis=2) / (2 * 0.3**2))
    among = 1.5 * c[np.ix_(seen, seen)] * np.exp(-((times[:, None] - times) ** 2) / 8) + 0.1 * np.eye(25)
    cross = 1.5 * c[seen] * np.exp(-((times - 6.0) ** 2) / 8)[:, None]
    mean, std = policy.estimate(6.0)
    np.testing.assert_allclose(mean, 0.2 + cross.T @ np.linalg.solve(among, rewards - 0.2), atol=1e-10)
    np.testing.assert_allclose(std, np.sqrt(1.5 - np.sum(cross * np.linalg.solve(among, cross), axis=0)), atol=1e-10)


def test_follows_a_drifting_field(beats_random):
    """With noise of 0.05 and about the right parameters."""
    beats_random(
        [RandomField(noise=0.05, n_arms=200, n_rounds=400, length_t=0.2, seed=seed) for seed in range(5)],
        lambda env, seed: SpaceTimeGPUCB(env.arms, 0.05, 0.15, noise_variance=0.0025, window=100, seed=seed),
        share=1 / 4,
    )


@pytest.mark.parametrize("time_scale", [0.0, -1.0, np.inf, 1e-60, "long"])
def test_a_bad_time_scale_is_refused(time_scale):
    with pytest.raises(ValueError, match="time_scale must be"):
        SpaceTimeGPUCB(Arms.grid(0, 1, 4), time_scale=time_scale)
