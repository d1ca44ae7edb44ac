import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.environments import RandomField
from quickdraw_bandits.policies import GPUCB, WeightedGPUCB


def test_the_mean_minimises_the_weighted_squares():
    """sum w_s (y_s - f(x_s))² + lambda_t |f|² over f = sum a_j k(x_j, ·), with the weights as the source has them."""
    arms = Arms.grid(-1, 1, 30)
    policy = WeightedGPUCB(arms, 0.2, 0.8, 1.0, signal_variance=2.0, noise_variance=0.1, prior_mean=0.0)
    random = np.random.default_rng(1)
    seen, rewards = random.permutation(30)[:12], random.random(12)
    policy.update(np.arange(12), seen, rewards)
    x = arms.points[:, 0] / 2
    k = np.exp(-((x[:, None] - x) ** 2) / (2 * 0.2**2))
    among, weights, penalty = k[np.ix_(seen, seen)], 0.8 ** -np.arange(12.0), 0.05 * 0.8**-14.0
    # The gradient in a is zero where K W K a + lambda_t K a = K W y.
    a = np.linalg.solve(weights[:, None] * among + penalty * np.eye(12), weights * rewards)
    mean, std = policy.estimate(14.0)
    np.testing.assert_allclose(mean, k[:, seen] @ a, atol=1e-10)
    V = among + np.diag(penalty / weights)
    variance = 2.0 * (1.0 - np.sum(k[seen] * np.linalg.solve(V, k[seen]), axis=0))
    np.testing.assert_allclose(std, np.sqrt(variance), atol=1e-9)


def test_without_discount_it_is_gp_ucb():
    arms = Arms.grid(-1, 1, 30)
    random = np.random.default_rng(1)
    seen, rewards = random.integers(30, size=40), random.random(40)
    ours = WeightedGPUCB(arms, 0.2, 1.0, signal_variance=1.0, noise_variance=0.1, prior_mean=0.0)
    other = GPUCB(arms, fit=False, signal_variance=1.0, length_scale=0.2, noise_variance=0.1)
    for policy in (ours, other):
        policy.update(np.arange(40), seen, rewards)
    np.testing.assert_allclose(ours.index(50.0), other.index(50.0), atol=1e-9)


def test_follows_a_drifting_field(beats_random):
    """With noise of 0.05."""
    beats_random(
        [RandomField(noise=0.05, n_arms=200, n_rounds=400, length_t=0.2, seed=seed) for seed in range(5)],
        lambda env, seed: WeightedGPUCB(env.arms, 0.05, discount=0.9, time_unit=2e-3, window=100, seed=seed),
        share=1 / 2,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"discount": 0.0}, "discount must be above 0 and at most 1, got 0.0"),
        ({"discount": 1.1}, "discount must be above 0 and at most 1, got 1.1"),
        ({"discount": np.nan}, "discount must be a finite number"),
        ({"time_unit": -1.0}, "time_unit must be above 0"),
        ({"noise_variance": 0.0}, "noise_variance must be above 0"),
    ],
)
def test_bad_settings_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        WeightedGPUCB(Arms.grid(0, 1, 4), **options)
