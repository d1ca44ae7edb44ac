"""Decisions: the same choices as ``select``, with the probability of each."""

import copy

import numpy as np
import pytest

import quickdraw_bandits as qd

ARMS = qd.Arms.grid(0, 1, 24)
NAMES = [name for name in qd.policies.__all__ if name != "Policy"]


def build(name):
    kind, _, engine = name.partition(" ")
    if kind == "Mixed":
        inside = qd.QuickDraw(ARMS, seed=0) if engine else qd.AdaptiveQuickDraw(ARMS, seed=0)
        return qd.Mixed(inside, uniform=0.3, seed=0)
    settings = {"engine": engine, "time_scale": 0.3, "length_scale": 0.5} if engine else {}
    return getattr(qd.policies, kind)(ARMS, seed=0, **settings)


def learned(name):
    policy, random = build(name), np.random.default_rng(1)
    policy.update(np.arange(40) * 0.01, random.integers(24, size=40), random.random(40))
    return policy


def reward(arm, time):
    return 0.5 + 0.3 * np.sin(arm / 3 + time)


# The tree engine draws ties by keys of its own where it selects, and from the list of ties where it decides.
@pytest.mark.parametrize("name", [*NAMES, "QuickDraw exact", "QuickDraw cached", "Mixed", "Mixed QuickDraw"])
def test_decide_chooses_what_select_chooses(name):
    selecting, deciding = learned(name), learned(name)
    for k in range(30):
        time = 0.5 + 0.01 * k
        among = [2, 3, 5, 7, 11, 13] if k % 3 == 0 else None
        arm = selecting.select(time, among=among)
        assert deciding.decide(time, among=among).arm == arm
        for policy in (selecting, deciding):
            policy.update(time, arm, reward(arm, time))


@pytest.mark.parametrize("name", [*NAMES, "QuickDraw exact", "QuickDraw cached", "QuickDraw tree", "Mixed"])
def test_a_decision_states_what_probabilities_state(name):
    policy = learned(name)
    for k in range(20):
        time = 0.5 + 0.01 * k
        among = np.arange(24) % 3 > 0 if k % 2 else None
        if k == 10:
            policy.expect(time, [3, 7, 12][k % 3])
        said = policy.probabilities(time, among=among)
        decision = policy.decide(time, among=among)
        assert decision.probability == pytest.approx(said[decision.arm])
        policy.update(time, decision.arm, reward(decision.arm, time))


def test_zooming_counts_a_pending_first_pull():
    """An arm that is activated while its pull is pending has no infinite index: its rivals are chosen instead."""
    policy = qd.policies.Zooming(qd.Arms.grid(0, 1, 4), exploration=1e-3, lipschitz=5.0, seed=0)
    policy.update([0.0, 1.0, 2.0], [0, 0, 1], [0.9, 0.9, 0.0])
    policy.expect(3.0, 3)
    said, counts = policy.probabilities(4.0), np.zeros(4)
    for seed in range(400):
        twin = copy.deepcopy(policy)
        twin._random = np.random.default_rng(seed)
        counts[twin.select(4.0)] += 1
    assert said.sum() == pytest.approx(1)
    assert said[0] == said[2] == 0.5
    np.testing.assert_allclose(counts / 400, said, atol=4 * np.sqrt(0.25 / 400))


def test_mixed_shows_the_scales_of_the_policy_inside():
    policy = learned("Mixed")
    assert policy.scales is None
    policy.policy.select(0.5)
    assert policy.scales == policy.policy.scales
    assert not hasattr(learned("Mixed QuickDraw"), "scales")
