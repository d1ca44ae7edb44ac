import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.arms import Arms
from quickdraw_bandits.policies import Random, TimeVaryingGPUCB


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


def test_follows_a_function_that_takes_random_steps():
    """The source's own model, with the policy told its parameters: at most 40 % of the regret of random play."""
    random = np.random.default_rng(2)
    x = np.linspace(0, 1, 100)
    root = np.linalg.cholesky(np.exp(-((x[:, None] - x) ** 2) / (2 * 0.1**2)) + 1e-9 * np.eye(100))
    function = root @ random.normal(size=100)
    rewards = np.empty((400, 100))
    for row in rewards:
        row[:] = function
        function = np.sqrt(0.97) * function + np.sqrt(0.03) * (root @ random.normal(size=100))
    env = qd.environments.Recorded(rewards, Arms(x), times=np.arange(400), noise=0.1, seed=0)
    policy = TimeVaryingGPUCB(
        env.arms, 0.1, 0.03, 1.0, signal_variance=1.0, noise_variance=0.01, prior_mean=0.0, window=100, seed=0
    )
    regret = qd.simulate(policy, env, warmup=20).regret_per_round
    assert regret < 0.4 * qd.simulate(Random(env.arms, seed=0), env, warmup=20).regret_per_round


def test_follows_a_drifting_field():
    """At most a third of the regret of random play."""
    env = qd.environments.RandomField(n_arms=200, n_rounds=500, length_t=0.2, seed=3)
    policy = TimeVaryingGPUCB(env.arms, length_scale=0.05, time_unit=2e-3, window=100, seed=0)
    regret = qd.simulate(policy, env).regret_per_round
    assert regret < qd.simulate(Random(env.arms, seed=0), env).regret_per_round / 3


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
