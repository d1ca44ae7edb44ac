import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.environments import RandomField, Recorded
from quickdraw_bandits.policies import TimeVaryingGPUCB


def test_the_estimate_is_that_of_its_formula():
    arms = Arms.grid(-1, 1, 30)
    policy = TimeVaryingGPUCB(arms, 0.3, 0.2, 0.5, signal_variance=1.5, noise_variance=0.1, prior_mean=0.2)
    random = np.random.default_rng(1)
    times, seen, rewards = np.sort(random.random(25)) * 5, random.integers(30, size=25), random.random(25)
    policy.update(times, seen, rewards)
    x = arms.points[:, 0] / 2
    c = np.exp(-((x[:, None] - x) ** 2) / (2 * 0.3**2))
    # Rounds are twice the times, since the time unit is 0.5.
    among = 1.5 * c[np.ix_(seen, seen)] * 0.8 ** np.abs(times[:, None] - times) + 0.1 * np.eye(25)
    cross = 1.5 * c[seen] * (0.8 ** (6.0 - times))[:, None]
    mean, std = policy.estimate(6.0)
    np.testing.assert_allclose(mean, 0.2 + cross.T @ np.linalg.solve(among, rewards - 0.2), atol=1e-10)
    np.testing.assert_allclose(std, np.sqrt(1.5 - np.sum(cross * np.linalg.solve(among, cross), axis=0)), atol=1e-10)


def random_steps(seed):
    """An environment that is the source's own model: a function that takes a random step every round."""
    random = np.random.default_rng(seed)
    x = np.linspace(0, 1, 100)
    root = np.linalg.cholesky(np.exp(-((x[:, None] - x) ** 2) / (2 * 0.1**2)) + 1e-9 * np.eye(100))
    function = root @ random.normal(size=100)
    rewards = np.empty((400, 100))
    for row in rewards:
        row[:] = function
        function = np.sqrt(0.97) * function + np.sqrt(0.03) * (root @ random.normal(size=100))
    return Recorded(rewards, Arms(x), times=np.arange(400), noise=0.1, seed=seed)


def test_follows_a_function_that_takes_random_steps(beats_random):
    """Told the parameters of its model."""
    told = {"signal_variance": 1.0, "noise_variance": 0.01, "prior_mean": 0.0}
    beats_random(
        [random_steps(seed) for seed in range(5)],
        lambda env, seed: TimeVaryingGPUCB(env.arms, 0.1, 0.03, 1.0, **told, window=100, seed=seed),
        share=0.4,
        warmup=20,
    )


def test_follows_a_drifting_field(beats_random):
    beats_random(
        [RandomField(n_arms=200, n_rounds=400, length_t=0.2, seed=seed) for seed in range(5)],
        lambda env, seed: TimeVaryingGPUCB(env.arms, length_scale=0.05, time_unit=2e-3, window=100, seed=seed),
        share=1 / 4,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"forgetting": 1.0}, "forgetting must be at least 0 and below 1, got 1.0"),
        ({"forgetting": -0.1}, "forgetting must be at least 0 and below 1, got -0.1"),
        ({"forgetting": np.nan}, "forgetting must be a finite number"),
        ({"time_unit": 0.0}, "time_unit must be above 0"),
    ],
)
def test_bad_settings_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        TimeVaryingGPUCB(Arms.grid(0, 1, 4), **options)
