"""What is said to be known of an arm: against a plain computation, after the first rewards, and over many arms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd


def with_history(rewards, n_arms=400, seed=0):
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, n_arms), seed=seed)
    tried = np.random.default_rng(seed).choice(n_arms, size=len(rewards), replace=False)
    for time, (arm, reward) in enumerate(zip(tried.tolist(), rewards, strict=True)):
        policy.update(float(time), arm, reward)
    return policy, np.setdiff1d(np.arange(n_arms), tried)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 15), st.sampled_from([0.0, 0.1]))
def test_the_deviation_counts_an_unknown_level_and_an_unknown_signal(seed, n, noise):
    """Compare with a process whose level is normal, with the variance of the signal; of more, scales are averaged."""
    random = np.random.default_rng(seed)
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 30), seed=0)
    arms = random.integers(30, size=n)
    policy.update(np.arange(n), arms, np.sin(arms / 5.0) + noise * random.standard_normal(n))
    belief = policy._model(float(n), 0)
    model = belief.model
    targets = policy._space.towards(None, model.sample.arms)
    counts, y = model.sample.counts, model.sample.means
    upper = np.triu(model._upper[:, : len(y)])
    covariance, towards = upper.T @ upper, model._correlations(targets, slice(None))
    weights = np.linalg.solve(covariance + 1.0, towards + 1.0)
    variance = 1.0 + 1.0 - np.sum((towards + 1.0) * weights, axis=0)
    total = y @ np.linalg.solve(covariance + 1.0, y) + model.sample.spreads.sum() / model.candidate.noise
    signal = (total + 2) / (counts.sum() + 1)
    expected = belief.unit * np.sqrt(signal * variance)
    got_mean, deviation = policy.estimate(float(n))
    np.testing.assert_allclose(deviation, expected, rtol=1e-3, atol=1e-4 * belief.unit)
    np.testing.assert_allclose(got_mean, belief.centre + belief.unit * (weights.T @ y), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("size", [1.0, 1e-12, 1e12, 1e-300, 1e300])
@pytest.mark.parametrize(
    "rewards",
    [[0.5], [-2.0], [0.5, 0.5], [0.3, 0.1 + 0.2], [1.0, 1.0, 1.0], [0.5, 0.6], [0.0, 1.0], [0.5, 0.5, 1e6], [7, 7]],
)
def test_after_the_first_rewards_an_untried_arm_may_differ_from_them(rewards, size):
    policy, untried = with_history([size * reward for reward in rewards])
    _, deviation = policy.estimate(len(rewards), arms=untried)
    distinct = np.ptp(rewards) > 1e-12
    least = 0.4 * np.ptp(rewards) if distinct else 0.7 * abs(rewards[0])
    assert np.isfinite(deviation).all()
    assert (deviation > 0.02 * least * size).all()  # next to a tried arm less is unknown
    assert np.median(deviation) > least * size


@pytest.mark.parametrize("count", [1, 2, 5])
def test_after_zeros_the_deviation_is_of_the_order_of_one(count):
    policy, untried = with_history([0.0] * count)
    _, deviation = policy.estimate(count, arms=untried)
    assert 0.5 < np.median(deviation) < 2.0
    index = policy.index(count, arms=untried)
    assert (index > 0.1).all()
    policy.select(count)
    assert policy.scales.gamma > 0.1


def test_rewards_that_stay_alike_leave_less_and_less_unknown():
    found = [np.median(with_history([0.5] * count)[0].estimate(count)[1]) for count in (1, 5, 30)]
    assert found[0] > 1.5 * found[1] > 2 * found[2]


@pytest.mark.parametrize("factor", [3.0, 1e-9])
def test_the_deviation_has_the_unit_of_the_rewards(factor):
    rewards = np.random.default_rng(0).random(20)
    _, ours = with_history(rewards)[0].estimate(20.0)
    _, scaled = with_history(factor * rewards + 5 * factor)[0].estimate(20.0)
    np.testing.assert_allclose(scaled, factor * ours, rtol=1e-6)


def test_pending_pulls_lower_the_deviation_and_nowhere_raise_it():
    policy, untried = with_history(np.random.default_rng(1).random(12))
    mean, before = policy.estimate(12.0)
    policy.expect(12.0, int(untried[3]))
    mean_then, after = policy.estimate(12.0)
    np.testing.assert_allclose(mean_then, mean, atol=1e-9)
    assert (after <= before * (1 + 1e-9)).all()
    assert after[untried[3]] < 0.9 * before[untried[3]]


def test_units_of_a_belief_stay_below_the_largest_number():
    policy, _ = with_history([1.7e308, -1.7e308, 1.0])
    belief = policy._model(3.0, 0)
    _, deviation = policy.estimate(3.0)
    assert np.isfinite(deviation).all()
    assert np.isfinite(belief.signal)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_true_means_lie_in_the_intervals(noise):
    """The benchmark of coverage has many fields; these are few, so that the limits are wide."""
    shares = []
    for seed in range(16):
        env = qd.environments.RandomField(noise=noise, n_arms=200, n_rounds=600, seed=seed)
        policy = qd.AdaptiveQuickDraw(env.arms, seed=seed)
        for row, time in enumerate(env.times[:60]):
            if row in (20, 59):
                mean, deviation = policy.estimate(time)
                shares.append(np.mean(np.abs(mean - env.mean[row]) <= 1.96 * deviation))
            arm = policy.select(time)
            policy.update(time, arm, env.pull(row, arm))
    assert 0.88 < np.mean(shares) < 0.995
