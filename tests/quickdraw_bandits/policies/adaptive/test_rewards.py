"""Rewards of every kind: all alike, enormous, rare, with outliers, with levels of their own."""

import numpy as np
import pytest

import quickdraw_bandits as qd


@pytest.mark.parametrize("reward", [0.0, 5.0, -1e300, 1e300, 1.7e308, 1e-300, 5e-324, -5e-324])
def test_identical_rewards_for_ever_are_explored(reward):
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 30), seed=0)
    seen = set()
    for k in range(60):
        arm = policy.select(float(k))
        policy.update(float(k), arm, reward)
        seen.add(arm)
    assert len(seen) > 10
    assert np.isfinite(policy.estimate(60.0)[0]).all()


def test_rewards_of_any_size_are_told_apart():
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 10), seed=0)
    chosen = []
    for k in range(80):
        arm = policy.select(float(k))
        policy.update(float(k), arm, 1e300 if arm == 7 else -1e300)
        chosen.append(arm)
    assert np.mean(np.array(chosen[40:]) == 7) > 0.7


@pytest.mark.parametrize("monster", [1e300, -1e300, 1e6])
def test_a_monstrous_reward_is_forgotten_with_the_rest(monster):
    """What once was paid and is no longer among the latest does not keep the others from being told apart."""
    random = np.random.default_rng(0)
    arms = random.integers(60, size=700)
    hill = np.exp(-((np.arange(60) - 40) ** 2) / 100)
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 60), seed=0)
    policy.update(-1.0, 3, monster)
    policy.update(np.arange(700.0), arms, hill[arms])
    assert abs(policy.select(700.0) - 40) <= 1
    np.testing.assert_allclose(policy.estimate(700.0)[0], hill, atol=0.02)


def test_one_outlier_costs_next_to_nothing():
    """Later choices pay as much as without it: on average over fields it costs less than ten random rounds."""
    cost = []
    for seed in range(4):
        env = qd.environments.RandomField(0.1, 0.3, n_arms=100, n_rounds=500, seed=seed)
        lost = {}
        for value in (1e6, -1e6, None):
            policy = qd.AdaptiveQuickDraw(env.arms, seed=0)
            regret = []
            for k, time in enumerate(env.times.tolist()):
                arm = policy.select(time)
                policy.update(time, arm, env.pull(k, arm) if value is None or k != 300 else value)
                regret.append(env.best_mean[k] - env.mean[k, arm])
            lost[value] = sum(regret[301:])
        by_chance = float((env.best_mean - env.mean.mean(axis=1)).mean())
        cost += [(lost[value] - lost[None]) / by_chance for value in (1e6, -1e6)]
    assert np.mean(cost) < 10


def test_clicks_are_learned_from():
    """Rewards of 0 and 1 at a few per cent: an arm is held, and what is paid rises above chance."""
    x = np.linspace(0, 1, 50)
    chances = 0.02 + 0.1 * np.exp(-((x - 0.7) ** 2) / 0.02)
    paid = []
    for seed in range(4):
        policy, random = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 50), seed=seed), np.random.default_rng(seed)
        chosen = []
        for k in range(1200):
            chosen.append(policy.select(float(k)))
            policy.update(float(k), chosen[-1], float(random.random() < chances[chosen[-1]]))
        paid.append(chances[chosen[600:]].mean())
        assert policy.n_observations == 1200
        assert policy._pool.counts.max() > 1
    assert np.mean(paid) > 0.07  # 0.045 by chance, 0.12 at most


def test_arms_with_levels_of_their_own_are_told_apart():
    """Neighbours say nothing of each other: the share of the arms' own level is learned, and the best arm found."""
    levels = np.random.default_rng(0).random(40)
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 40), seed=0)
    chosen = []
    for k in range(300):
        chosen.append(policy.select(float(k)))
        policy.update(float(k), chosen[-1], float(levels[chosen[-1]] + 0.1 * np.sin(k / 10)))
    assert policy.scales.own_level > 0
    assert levels[chosen[200:]].mean() > 0.95 * levels.max()


def test_a_new_level_of_rewards_becomes_the_usual():
    """Of arms of which nothing is known, the latest level is expected, and no longer that of all times."""
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 60), seed=0)
    wave = np.sin(np.arange(2000.0))
    policy.update(np.arange(2000.0), np.arange(2000) % 60, wave + np.repeat([0.0, 100.0], [1400, 600]))
    policy.select(2000.0)
    np.testing.assert_allclose(policy.estimate(1e9)[0], 100.0, atol=0.1)


def test_rewards_up_to_the_largest_number_are_estimated():
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 40), seed=0)
    for k in range(60):
        arm = policy.select(float(k))
        policy.update(float(k), arm, float(1.7e308 * np.sin(arm / 6)))
    why = policy.explain(60.0, 0)
    for values in (*policy.estimate(60.0), policy.index(60.0), why.rewards, [why.index, policy.scales.gamma]):
        assert np.isfinite(values).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [qd.QuickDraw, qd.AdaptiveQuickDraw])
@pytest.mark.parametrize("places", [[0.0], [1.0, 1.0, 1.0], np.linspace(0, 1, 20)])
def test_sums_beyond_the_largest_number_give_no_warning_of_numpy(kind, places):
    policy = kind(qd.Arms(places), seed=0, **({"cap": None} if kind is qd.QuickDraw else {}))
    for k in range(150):
        arm = policy.select(float(k))
        policy.update(float(k), arm, 1.7e308 * (-1) ** (k // 3))
    assert policy.n_observations == 150


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(2))
def test_a_game_near_the_largest_number_is_the_game_of_rewards_of_order_one(seed):
    """The level is then far below all good rewards: what is said of them must stay finite, and right."""
    size, random = 1.6e308, np.random.default_rng(seed)
    policies = [qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 30), seed=seed) for _ in range(2)]
    for k in range(260):
        arms = [policy.select(k) for policy in policies]
        assert arms[0] == arms[1]
        reward = (2 * np.exp(-(((arms[0] - 12) / 4) ** 2)) - 1) * (1 - 1e-3 * random.random())
        for policy, unit in zip(policies, (1.0, size), strict=True):
            policy.update(k, arms[0], unit * reward)
    (mean, deviation), (large_mean, large_deviation) = (policy.estimate(260) for policy in policies)
    largest = np.finfo(float).max / size
    np.testing.assert_allclose(large_mean / size, np.clip(mean, -largest, largest), rtol=1e-6, atol=1e-6)
    # The range of the rewards counts in the prior of the signal, and is at most the largest number.
    np.testing.assert_allclose(large_deviation / size, deviation, rtol=0.2)
    assert policies[1].index(260).argmax() == policies[1].select(260)
    why = policies[1].explain(260, arms[0])
    assert np.abs(why.rewards).max() <= size
