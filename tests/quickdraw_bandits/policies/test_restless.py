"""The restless policy against suspicions worked out by hand."""

import itertools

import numpy as np
import pytest

import quickdraw_bandits as qd


def test_the_leader_is_played_at_least_every_other_round():
    random = np.random.default_rng(0)
    policy = qd.policies.Restless(qd.Arms.grid(-1, 1, 30), volatility=2.0, seed=0)
    last_pay = {}
    led = []
    for k in range(300):
        time = 0.01 * k
        arm = policy.select(time)
        if last_pay:
            led.append(last_pay.get(arm) == max(last_pay.values()))
        reward = random.random()
        policy.update(time, arm, reward)
        last_pay[arm] = reward
    assert all(one or other for one, other in itertools.pairwise(led))
    assert not all(led)


def test_plays_the_most_suspicious_arm_in_between():
    """Suspicions at t = 5: 0.5 + 0.2·2 - 0.9 = 0, 0.7 + 0.2·1 - 0.9 = 0, 0.6 + 0.2·sqrt(5) - 0.9 = 0.147."""
    policy = qd.policies.Restless(qd.Arms.grid(-1, 1, 4), volatility=0.2)
    policy.update([1.0, 4.0, 0.0, 5.0], [0, 1, 2, 3], [0.5, 0.7, 0.6, 0.9])
    assert [policy.select(5.0) for _ in range(4)] == [3, 2, 3, 2]


def test_stays_with_the_leader_where_nothing_is_suspicious():
    policy = qd.policies.Restless(qd.Arms.grid(-1, 1, 3), volatility=0.0)
    policy.update([0.0, 0.0, 0.0], [0, 1, 2], [0.2, 0.9, 0.1])
    assert [policy.select(1.0) for _ in range(4)] == [1, 1, 1, 1]


def test_only_the_latest_pay_of_an_arm_counts_however_it_arrives():
    policy = qd.policies.Restless(qd.Arms.grid(-1, 1, 2), volatility=0.0)
    policy.update([3.0, 1.0, 2.0], [0, 0, 1], [0.1, 0.9, 0.5])
    assert policy.select(4.0) == 1
    policy.update(2.5, 0, 1.0)  # late: arm 0 has been seen at 3 since
    assert policy.select(4.0) == 1
    policy.update(3.0, 0, 0.7)  # at the same time, later to arrive
    assert policy.select(4.0) == 0


def test_tries_new_arms_until_enough_are_known():
    policy = qd.policies.Restless(qd.Arms.grid(-1, 1, 50), first_arms=10, volatility=0.0, seed=0)
    seen = set()
    for k in range(60):
        arm = policy.select(0.1 * k)
        policy.update(0.1 * k, arm, 0.5)
        seen.add(arm)
    assert len(seen) == 10


@pytest.mark.parametrize("arguments", [{"volatility": -1.0}, {"volatility": np.nan}, {"first_arms": 0}])
def test_bad_parameters_raise(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        qd.policies.Restless(qd.Arms.grid(-1, 1, 3), **arguments)
