"""Linear policies against their formulas, summed here one by one, and on a linear reward that drifts."""

import math

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.environments import KnownFunction
from quickdraw_bandits.policies.linear import features_of

Discounted, Restarted = qd.policies.DiscountedLinUCB, qd.policies.RestartedLinUCB
both = pytest.mark.parametrize("policy_class", [Discounted, Restarted])


def discounted_index(features, arms, rewards, gamma, ridge, sigma, bound, delta):
    t, d = len(arms), features.shape[1]
    v, w, b = ridge * np.eye(d), ridge * np.eye(d), np.zeros(d)
    for s, (arm, reward) in enumerate(zip(arms, rewards, strict=True), start=1):
        a = features[arm]
        v += gamma ** (t - s) * np.outer(a, a)
        w += gamma ** (2 * (t - s)) * np.outer(a, a)
        b += gamma ** (t - s) * reward * a
    longest = max(math.sqrt(a @ a) for a in features)
    seen = t if gamma == 1 else (1 - gamma ** (2 * t)) / (1 - gamma**2)
    beta = math.sqrt(ridge) * bound + sigma * math.sqrt(
        2 * math.log(1 / delta) + d * math.log(1 + longest**2 * seen / (ridge * d))
    )
    spread = np.linalg.inv(v) @ w @ np.linalg.inv(v)
    return [a @ np.linalg.solve(v, b) + beta * math.sqrt(a @ spread @ a) for a in features]


def restarted_index(features, arms, rewards, every, ridge, sigma, bound, delta):
    n, d = len(arms) % every, features.shape[1]
    v, b = ridge * np.eye(d), np.zeros(d)
    for arm, reward in zip(arms[len(arms) - n :], rewards[len(rewards) - n :], strict=True):
        v += np.outer(features[arm], features[arm])
        b += reward * features[arm]
    longest = max(math.sqrt(a @ a) for a in features)
    beta = math.sqrt(ridge) * bound + sigma * math.sqrt(
        2 * math.log(1 / delta) + d * math.log(1 + n * longest**2 / (ridge * d))
    )
    return [a @ np.linalg.solve(v, b) + beta * math.sqrt(a @ np.linalg.solve(v, a)) for a in features]


@pytest.mark.parametrize(
    ("policy_class", "index", "memory"),
    [
        (Discounted, discounted_index, 0.9),
        (Discounted, discounted_index, 1.0),
        (Discounted, discounted_index, 0.0),
        (Restarted, restarted_index, 7),
        (Restarted, restarted_index, 1000),
    ],
)
def test_plays_the_largest_index(policy_class, index, memory):
    random = np.random.default_rng(0)
    features = random.normal(size=(30, 3))
    policy = policy_class(qd.Arms.grid(0, 1, 30), memory, 0.5, 0.3, 0.7, 0.05, features=features, seed=0)
    arms, rewards = random.integers(30, size=16).tolist(), random.random(16).tolist()
    policy.update(np.arange(16.0), arms, rewards)
    for k in range(16, 60):
        arm = policy.select(k)
        plain = index(features, arms, rewards, memory, 0.5, 0.3, 0.7, 0.05)
        assert plain[arm] == pytest.approx(max(plain), rel=1e-9)
        arms.append(arm)
        rewards.append(float(random.random()))
        policy.update(k, arm, rewards[-1])


@both
def test_a_linear_reward_that_drifts(beats_random, policy_class):
    beats_random(
        [KnownFunction(lambda x, t: 0.5 + 0.4 * np.cos(7 * t) * x, noise=0.1, seed=seed) for seed in range(5)],
        lambda env, seed: policy_class(env.arms, seed=seed),
        share=0.2,
    )


@both
def test_learns_a_function_of_given_features(policy_class):
    angle = np.linspace(0, 2 * np.pi, 200)
    env = qd.environments.Recorded(np.tile(0.5 + 0.4 * np.sin(angle), (300, 1)), qd.Arms(angle))
    plain, waves = (
        qd.simulate(policy_class(env.arms, features=f, seed=0), env, warmup=10).regret_per_round
        for f in (None, np.column_stack([np.sin(angle), np.cos(angle), np.ones(200)]))
    )
    assert waves < 0.1 < plain


@both
def test_distances_alone_are_refused_unless_features_are_given(policy_class):
    arms = qd.Arms([[0.0, 1.0], [1.0, 0.0]], metric="precomputed")
    with pytest.raises(ValueError, match=f"arms must have coordinates for {policy_class.__name__} .* Zooming"):
        policy_class(arms)
    policy = policy_class(arms, features=[[0.0], [1.0]], seed=0)
    policy.update([0.0, 1.0], [0, 1], [0.0, 1.0])
    assert policy.select(2.0) == 1


def test_coordinates_are_scaled_and_places_on_a_sphere_are_points_in_space():
    np.testing.assert_allclose(
        features_of(qd.Arms([[1e6, 3.0], [3e6, 4.0], [5e6, 3.0]]), None, ""), [[-1, -1, 1], [0, 1, 1], [1, -1, 1]]
    )
    north_pole_and_equator = qd.Arms([[np.pi / 2, 0.3], [0.0, 0.0], [0.0, np.pi]], metric="haversine")
    np.testing.assert_allclose(
        features_of(north_pole_and_equator, None, "")[:, [0, 2, 3]], [[0, 1, 1], [1, -1, 1], [-1, -1, 1]], atol=1e-12
    )


@both
@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"regularisation": 0}, "regularisation"),
        ({"noise_std": -1}, "noise_std"),
        ({"parameter_bound": np.inf}, "parameter_bound"),
        ({"failure_probability": 0}, "failure_probability"),
        ({"failure_probability": 1.5}, "failure_probability"),
        ({"features": [[1.0], [2.0]]}, r"features must have one row per arm, 3 in all, got the shape \(2, 1\)"),
        ({"features": [1.0, 2.0, 3.0]}, "features"),
        ({"features": [[1.0], [np.nan], [2.0]]}, "features must be finite, got nan at row 1, column 0"),
    ],
)
def test_bad_parameters_raise(policy_class, arguments, names):
    with pytest.raises(ValueError, match=names):
        policy_class(qd.Arms.grid(0, 1, 3), **arguments)


@pytest.mark.parametrize(
    ("policy_class", "arguments"),
    [(Discounted, {"discount": 1.1}), (Restarted, {"restart_every": 1}), (Restarted, {"restart_every": 9.5})],
)
def test_a_bad_memory_raises(policy_class, arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        policy_class(qd.Arms.grid(0, 1, 3), **arguments)
