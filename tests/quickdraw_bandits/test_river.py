"""Policies of this library in river's evaluation."""

from datetime import datetime, timedelta

import gymnasium
import numpy as np
import pytest
from river import bandit

import quickdraw_bandits as qd
import quickdraw_bandits.gym
from quickdraw_bandits.river import RiverPolicy, TimedRiverPolicy

LABELS = ["a", "b", "c"]
ARMS = qd.Arms([0.0, 1.0, 2.0], labels=LABELS)
RANDOM = np.random.default_rng(0)
LOG = [(LABELS, {"time": 0.5 * k}, LABELS[RANDOM.integers(3)], float(RANDOM.random())) for k in range(300)]


def test_river_plays_our_policies_as_a_simulation_does():
    env = gymnasium.make("quickdraw/RandomField-v0", n_arms=20, n_rounds=80, noise=0.05)
    policy = qd.AdaptiveQuickDraw(env.unwrapped.arms, seed=1)
    steps = list(bandit.evaluate([RiverPolicy(policy), bandit.UCB(delta=1, seed=0)], env, n_episodes=2, seed=4))
    assert policy.n_observations == 0
    for episode in range(2):
        mine = [step for step in steps if step["episode"] == episode and step["policy_idx"] == 0]
        again = qd.AdaptiveQuickDraw(env.unwrapped.arms, seed=1)
        for round, step in enumerate(mine):
            assert step["arm"] == again.select(round)
            again.update(round, step["arm"], step["reward"])
    assert [step["arm"] for step in steps if step["episode"] == 0 and step["policy_idx"] == 0] != [
        step["arm"] for step in steps if step["episode"] == 1 and step["policy_idx"] == 0
    ]


@pytest.mark.parametrize("kind", [qd.AdaptiveQuickDraw, qd.QuickDraw, qd.policies.ThompsonSampling, qd.policies.UCB1])
def test_policies_play_rivers_own_test_bed(kind):
    env = gymnasium.make("river_bandits/CandyCaneContest-v0", max_episode_steps=40)
    policy = RiverPolicy(kind(qd.Arms.grid(0, 1, env.unwrapped.n_machines), seed=0))
    steps = list(bandit.evaluate([policy], env, n_episodes=1, seed=0))
    assert len(steps) == 40
    assert len({step["arm"] for step in steps}) > 5


@pytest.mark.parametrize("timed", [False, True])
def test_a_log_is_replayed(timed):
    """The arm and the time of every matching event, and nothing else, reaches the policy."""
    wrapper = (TimedRiverPolicy if timed else RiverPolicy)(qd.QuickDraw(ARMS, time_scale=50.0, seed=2))
    total, used = bandit.evaluate_offline(wrapper, LOG)
    again, earned, matched = qd.QuickDraw(ARMS, time_scale=50.0, seed=2), 0.0, 0
    for event, (_, context, label, reward) in enumerate(LOG):
        time = context["time"] if timed else event
        if again.select(time) == ARMS.position(label):
            again.update(time, ARMS.position(label), reward)
            earned, matched = earned + reward, matched + 1
    assert used == matched > 30
    assert total.get() == pytest.approx(earned)
    assert sorted(wrapper.ranking) == LABELS


def test_times_may_be_datetimes():
    start = datetime(2026, 3, 2)
    log = [
        (arms, {"at": start + timedelta(hours=event)}, arm, reward) for event, (arms, _, arm, reward) in enumerate(LOG)
    ]
    wrapper = TimedRiverPolicy(qd.AdaptiveQuickDraw(ARMS, seed=0), key="at")
    assert bandit.evaluate_offline(wrapper, log)[1] > 30


def test_only_the_arms_that_are_offered_are_chosen():
    wrapper = RiverPolicy(qd.policies.Random(ARMS, seed=0))
    assert {wrapper.pull(["c", "a"]) for _ in range(50)} == {"a", "c"}
    assert {wrapper.pull([0, 1]) for _ in range(50)} == {0, 1}


def test_river_gives_every_arm_its_first_pulls():
    wrapper = RiverPolicy(qd.policies.Random(ARMS, seed=0), burn_in=2)
    pulled = []
    for _ in range(6):
        pulled.append(wrapper.pull(LABELS))
        wrapper.update(pulled[-1], 1.0)
    assert pulled == ["a", "a", "b", "b", "c", "c"]
    assert "100.00%" not in repr(wrapper)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="policy must be a policy of quickdraw_bandits on a set of arms"):
        RiverPolicy(qd.QuickDraw(qd.Box(0.0, 1.0)))
    with pytest.raises(ValueError, match="context must hold the time under 'time', got None"):
        TimedRiverPolicy(qd.QuickDraw(ARMS)).pull(LABELS, None)
    with pytest.raises(ValueError, match="arm_id must be"):
        RiverPolicy(qd.QuickDraw(ARMS)).pull([0, 3])


def test_a_wrapped_policy_can_be_shown_and_cloned():
    arms = qd.Arms.grid(0, 1, 3)
    wrapped = RiverPolicy(qd.policies.Random(arms, seed=0))
    assert repr(wrapped).startswith("RiverPolicy(Random(")
    assert repr(TimedRiverPolicy(qd.policies.Random(arms, seed=0))).endswith(", key='time')")
    twin = wrapped.clone()
    assert twin.policy is not wrapped.policy
    assert np.array_equal(twin.policy.arms.points, arms.points)
    with pytest.raises(ValueError, match="policy must be a policy of quickdraw_bandits on a set of arms, got UCB"):
        RiverPolicy(bandit.UCB(delta=1))
