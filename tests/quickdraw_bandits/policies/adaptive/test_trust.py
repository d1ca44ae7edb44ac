"""Weights of rewards that are far from what a model expects."""

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.pool import Pool
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.trust import SURPRISING, trust


def with_one_glitch(noise):
    """Return rewards along a line, one of them wrong, and the model of them."""
    n = 40
    rows = np.arange(n)
    points = np.linspace(0, 1, n)[:, None]
    means = np.sin(3 * points[:, 0]) - 0.5 + 0.02 * np.random.default_rng(0).standard_normal(n)
    means[17] -= 3
    none = np.empty((0, 0))
    latest = SpaceTimeSample(points, np.ones(n), means, np.zeros(n), -rows * 1.0, rows, none, rows, np.ones(n))
    candidate = Candidate("rough", 0.3, 1000.0, noise, np.zeros(1))
    model = Model(latest.condensed(candidate, n), candidate)
    model.prepare()
    return model, latest


def test_a_reward_far_from_all_others_counts_for_less():
    model, latest = with_one_glitch(0.3)
    weights = trust(model, latest)
    surprise = np.abs(latest.means - model.mean_at(latest)) / np.sqrt(0.3 * model.signal)
    assert weights[17] == pytest.approx((SURPRISING / surprise[17]) ** 2, rel=0.1)
    assert weights[17] < 0.5
    np.testing.assert_array_equal(np.delete(weights, 17), 1.0)


@pytest.mark.parametrize("noise", [1e-5, 1.0])
def test_all_rewards_count_where_there_is_no_noise_or_much(noise):
    np.testing.assert_array_equal(trust(*with_one_glitch(noise)), 1.0)


def test_weights_count_from_the_next_observation_on_and_asking_changes_none():
    random = np.random.default_rng(1)
    arms = random.integers(50, size=200)
    rewards = np.sin(arms / 10) + 0.2 * random.standard_normal(200)
    rewards[180] = -1.5
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 50), seed=0)
    policy.update(np.arange(200.0), arms, rewards)
    arm = policy.select(200.0)
    assert policy.index(200.0).argmax() == arm
    np.testing.assert_array_equal(policy._pool.trust, 1.0)
    policy.update(200.0, arm, 1.0)
    weights = policy._pool.trust.copy()
    assert weights[180] < 0.5
    assert (weights > 0).all()
    policy.probabilities(201.0)
    np.testing.assert_array_equal(policy._pool.trust, weights)
    assert policy._model(201.0, 0).model.sample.trust.min() < 1


def test_rewards_that_mostly_repeat_keep_their_weight():
    pool = Pool(100)
    pool.append(np.arange(40.0), np.arange(40), np.repeat([0.0, 1.0], 20))
    pool.weigh(np.arange(40), np.full(40, 0.5))
    pool.append(np.array([40.0]), np.array([0]), np.array([1.0]))
    np.testing.assert_array_equal(pool.trust, 1.0)
