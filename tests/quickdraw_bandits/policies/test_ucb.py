"""Discounted and sliding-window UCB against their formulas, summed here play by play."""

import math

import numpy as np
import pytest

import quickdraw_bandits as qd


def discounted_index(arms, rewards, n_arms, discount, bound, xi):
    counts, totals = [0.0] * n_arms, [0.0] * n_arms
    for s, (arm, reward) in enumerate(zip(arms, rewards, strict=True)):
        weight = discount ** (len(arms) - 1 - s)
        counts[arm] += weight
        totals[arm] += weight * reward
    n = sum(counts)
    return [t / c + 2 * bound * math.sqrt(xi * math.log(n) / c) for t, c in zip(totals, counts, strict=True)]


def sliding_index(arms, rewards, n_arms, window, bound, xi):
    arms, rewards = arms[-window:], rewards[-window:]
    index = []
    for i in range(n_arms):
        own = [reward for arm, reward in zip(arms, rewards, strict=True) if arm == i]
        radius = bound * math.sqrt(xi * math.log(len(arms)) / len(own)) if own else math.inf
        index.append(sum(own) / len(own) + radius if own else math.inf)
    return index


@pytest.mark.parametrize("policy_class", [qd.policies.DiscountedUCB, qd.policies.SlidingUCB])
def test_every_arm_is_played_once_first_in_order(policy_class):
    policy = policy_class(qd.Arms.grid(-1, 1, 12), seed=0)
    chosen = []
    for k in range(12):
        arm = policy.select(float(k))
        policy.update(float(k), arm, 0.9)
        chosen.append(arm)
    assert chosen == list(range(12))


@pytest.mark.parametrize("discount", [0.8, 0.99, 1.0])
def test_discounted_ucb_plays_the_largest_index(discount):
    random = np.random.default_rng(0)
    policy = qd.policies.DiscountedUCB(qd.Arms.grid(-1, 1, 4), discount=discount, bound=0.7, xi=0.4)
    arms, rewards = list(range(4)), random.random(4).tolist()
    policy.update(np.arange(4.0), arms, rewards)
    for k in range(4, 120):
        arm = policy.select(float(k))
        index = discounted_index(arms, rewards, 4, discount, 0.7, 0.4)
        assert index[arm] == pytest.approx(max(index), rel=1e-9)
        arms.append(arm)
        rewards.append(float(random.random()))
        policy.update(float(k), arm, rewards[-1])


def test_sliding_ucb_plays_the_largest_index_and_returns_to_forgotten_arms():
    random = np.random.default_rng(1)
    policy = qd.policies.SlidingUCB(qd.Arms.grid(-1, 1, 4), window=9, bound=0.7, xi=0.05)
    arms, rewards = list(range(4)), [0.9, 0.1, 0.1, 0.1]
    policy.update(np.arange(4.0), arms, rewards)
    returned = 0
    for k in range(4, 120):
        arm = policy.select(float(k))
        index = sliding_index(arms, rewards, 4, 9, 0.7, 0.05)
        assert index[arm] == pytest.approx(max(index), rel=1e-9)
        returned += arm not in arms[-9:]
        arms.append(arm)
        rewards.append(float(random.random()) * 0.1 + (0.8 if arm == 0 else 0.0))
        policy.update(float(k), arm, rewards[-1])
    assert returned > 0


def test_a_full_discount_forgets_all_but_the_last_play():
    policy = qd.policies.DiscountedUCB(qd.Arms.grid(-1, 1, 2), discount=0.0)
    policy.update([0.0, 1.0], [0, 1], [0.5, 0.5])
    assert policy.select(2.0) == 0


@pytest.mark.parametrize(
    ("policy_class", "arguments"),
    [
        (qd.policies.DiscountedUCB, {"discount": 1.1}),
        (qd.policies.DiscountedUCB, {"bound": 0.0}),
        (qd.policies.DiscountedUCB, {"xi": -0.1}),
        (qd.policies.SlidingUCB, {"window": 0}),
        (qd.policies.SlidingUCB, {"window": 2.5}),
        (qd.policies.SlidingUCB, {"bound": -1.0}),
        (qd.policies.SlidingEpsilonGreedy, {"epsilon": 1.5}),
        (qd.policies.SlidingEpsilonGreedy, {"window": -1}),
    ],
)
def test_bad_parameters_raise(policy_class, arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        policy_class(qd.Arms.grid(-1, 1, 3), **arguments)
