import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.environments import RandomField
from quickdraw_bandits.policies import PredictiveSampling, predictive_sampling
from quickdraw_bandits.policies.predictive_sampling import later_noise

TOLD = {"time_unit": 1.0, "signal_variance": 1.5, "noise_variance": 0.2, "prior_mean": 0.3}


def plain(arms, length_scale, forgetting, times, seen, now, rounds=60):
    """Return the covariance of the means at ``now``, given observations and rewards of all arms in later rounds."""
    x = arms.points / arms.unit
    c = np.exp(-((x[:, None] - x[None]) ** 2).sum(axis=2) / (2 * length_scale**2))
    n_arms = len(arms)
    all_times = np.concatenate([times, np.full(n_arms, now), np.repeat(now + np.arange(1, rounds + 1), n_arms)])
    which = np.concatenate([seen, np.tile(np.arange(n_arms), rounds + 1)])
    lags = np.abs(all_times[:, None] - all_times)
    joint = 1.5 * c[np.ix_(which, which)] * (1 - forgetting) ** (lags / 2)
    past, present, future = slice(len(times)), slice(len(times), len(times) + n_arms), slice(len(times) + n_arms, None)
    noisy = joint + 0.2 * np.eye(len(joint))
    if len(times):
        explained = joint[:, past] @ np.linalg.solve(noisy[past, past], joint[past])
        joint, noisy = joint - explained, noisy - explained
    return joint[present, future] @ np.linalg.solve(noisy[future, future], joint[future, present]), joint[
        present, present
    ]


def drawn(policy, now):
    draws = policy._draws(now)
    covariance = draws.spread @ draws.spread.T
    return covariance if draws.alone is None else covariance + np.diag(draws.alone**2)


def learned(arms, length_scale, forgetting, n):
    random = np.random.default_rng(n)
    times, seen = np.arange(n) * 1.0, random.integers(len(arms), size=n)
    policy = PredictiveSampling(arms, length_scale, forgetting, **TOLD, seed=0)
    policy.update(times, seen, random.random(n))
    return policy, times, seen


@pytest.mark.parametrize("n", [0, 1, 12])
@pytest.mark.parametrize("forgetting", [0.05, 0.5])
@pytest.mark.parametrize("length_scale", [0.02, 0.4])
def test_what_is_drawn_is_what_later_rewards_would_show(n, forgetting, length_scale):
    """Computed with all rewards of sixty later rounds, of which the last are hardly correlated with the first."""
    arms = Arms(np.random.default_rng(1).random((5, 2)))
    policy, times, seen = learned(arms, length_scale, forgetting, n)
    expected, _ = plain(arms, length_scale, forgetting, times, seen, now=13.0)
    np.testing.assert_allclose(drawn(policy, 13.0), expected, atol=3e-6)


def test_pending_pulls_count_as_observations():
    arms = Arms(np.random.default_rng(1).random((5, 2)))
    policy, times, seen = learned(arms, 0.4, 0.1, 6)
    policy.expect([7.0, 8.0], [2, 2])
    expected, _ = plain(arms, 0.4, 0.1, np.append(times, [7.0, 8.0]), np.append(seen, [2, 2]), now=9.0)
    np.testing.assert_allclose(drawn(policy, 9.0), expected, atol=1e-6)


@pytest.mark.parametrize("most", [1, 3, 128])
def test_independent_arms_are_drawn_as_in_the_source(most, monkeypatch):
    """Also if most of them are outside all directions."""
    monkeypatch.setattr(predictive_sampling, "MOST_DIRECTIONS", most)
    arms = Arms.grid(0, 1, 6)
    policy, *_ = learned(arms, 0.01, 0.3, 9)
    v = policy.estimate(9.5)[1] ** 2
    x = later_noise(0.7, 1.5, np.array([0.2]))[0]
    np.testing.assert_allclose(np.diag(drawn(policy, 9.5)), 0.7 * v**2 / (0.7 * v + x), rtol=1e-5)


def test_without_drift_it_is_thompson_sampling():
    arms = Arms(np.random.default_rng(1).random((5, 2)))
    policy, times, seen = learned(arms, 0.4, 0.0, 12)
    _, posterior = plain(arms, 0.4, 0.0, times, seen, now=13.0, rounds=1)
    np.testing.assert_allclose(drawn(policy, 13.0), posterior, atol=2e-6)


def test_with_neither_drift_nor_noise_known_arms_are_not_drawn():
    policy = PredictiveSampling(Arms.grid(0, 1, 40), 0.2, 0.0, signal_variance=1.0, noise_variance=0.0, seed=0)
    seen = np.repeat(np.arange(0, 40, 2), 3)
    policy.update(np.arange(60.0), seen, np.sin(seen / 5))
    assert np.abs(drawn(policy, 60.0)).max() < 1e-3
    mean = policy.estimate(60.0)[0]
    assert mean[policy.select(60.0)] > mean.max() - 0.01


def test_what_changes_completely_is_not_explored():
    policy, *_ = learned(Arms.grid(0, 1, 6), 0.3, 1 - 1e-9, 12)
    assert np.abs(drawn(policy, 13.0)).max() < 1e-6


def test_probabilities_are_those_of_many_independent_draws():
    arms = Arms.grid(0, 1, 12)
    policy, *_ = learned(arms, 0.1, 0.05, 30)
    mean = policy.estimate(31.0)[0]
    root = np.linalg.cholesky(drawn(policy, 31.0) + 1e-10 * np.eye(12))
    many = mean + np.random.default_rng(5).normal(size=(20_000, 12)) @ root.T
    expected = np.bincount(many.argmax(axis=1), minlength=12) / 20_000
    # Five standard deviations of a share of 256 draws, and of 20,000.
    margin = 5 * np.sqrt(expected * (1 - expected) * (1 / 256 + 1 / 20_000)) + 5e-3
    assert (np.abs(policy.probabilities(31.0) - expected) <= margin).all()


def test_draws_change_with_every_observation():
    policy, *_ = learned(Arms.grid(0, 1, 30), 0.1, 0.05, 10)
    first = policy.probabilities(100.0)
    policy.update(11.0, 3, 0.3)
    # So long after the last observation nothing is known, and the probabilities differ by the draws alone.
    second = policy.probabilities(1e4)
    assert (first != second).any()


def test_follows_a_drifting_field(beats_random):
    beats_random(
        [RandomField(n_arms=200, n_rounds=400, length_t=0.2, seed=seed) for seed in range(5)],
        lambda env, seed: PredictiveSampling(env.arms, length_scale=0.05, time_unit=2e-3, window=100, seed=seed),
        share=1 / 3,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"forgetting": 1.0}, "forgetting must be at least 0 and below 1, got 1.0"),
        ({"time_unit": 0.0}, "time_unit must be above 0"),
        ({"window": 0}, "window must be an integer of at least 1, got 0"),
        ({"prior_mean": "median"}, "prior_mean must be a number or 'average', got 'median'"),
        ({"noise_variance": -1.0}, "noise_variance must be at least 0"),
    ],
)
def test_bad_settings_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        PredictiveSampling(Arms.grid(0, 1, 4), **options)
