"""Policies as agents."""

import gymnasium
import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.gym import BanditEnv, BoxEnv, play

SIZE = {"n_arms": 30, "n_rounds": 60, "noise": 0.05}
KINDS = [kind for kind in (getattr(qd.policies, name) for name in qd.policies.__all__) if isinstance(kind, type)]
POLICIES = [kind for kind in KINDS if issubclass(kind, qd.policies.Policy) and kind is not qd.policies.Policy]


@pytest.mark.parametrize("kind", POLICIES, ids=lambda kind: kind.__name__)
def test_every_policy_plays_as_in_a_simulation(kind):
    env = gymnasium.make("quickdraw/RandomField-v0", **SIZE)
    trace = play(kind(env.unwrapped.arms, seed=5), env, seed=3)
    field = qd.environments.RandomField(**SIZE, seed=3)
    expected = qd.simulate(kind(field.arms, seed=5), field, warmup=0)
    assert trace.arms.tolist() == expected.arms.tolist()
    assert trace.rewards.tolist() == expected.rewards.tolist()
    assert trace.regret == pytest.approx(expected.regret)
    assert trace.times.tolist() == expected.times.tolist()
    assert (trace.policy, trace.warmup) == (kind.__name__, 0)


@pytest.mark.parametrize("delay", [1, 7])
def test_late_rewards_are_pending_as_in_a_simulation(delay):
    env = gymnasium.make("quickdraw/RandomField-v0", **SIZE, delay=delay)
    policy = qd.AdaptiveQuickDraw(env.unwrapped.arms, seed=5)
    trace = play(policy, env, seed=3)
    field = qd.environments.RandomField(**SIZE, seed=3)
    expected = qd.simulate(qd.AdaptiveQuickDraw(field.arms, seed=5), field, warmup=0, delay=delay)
    assert trace.arms.tolist() == expected.arms.tolist()
    assert trace.rewards.tolist() == expected.rewards.tolist()
    assert policy.n_observations == 60
    assert len(policy.pending[0]) == 0


@pytest.mark.parametrize("delay", [0, (0, 4)])
@pytest.mark.parametrize("kind", [kind for kind in POLICIES if kind.plays_boxes], ids=lambda kind: kind.__name__)
def test_policies_for_boxes_play_a_box(kind, delay):
    env = BoxEnv(lambda x, t: 0.5 - (x[0] - 0.3) ** 2, n_rounds=200, best=lambda t: 0.5, delay=delay)
    trace = play(kind(env.arms, seed=0), env, seed=0)
    assert trace.arms.shape == (200, 1)
    assert trace.regret == pytest.approx((trace.arms[:, 0] - 0.3) ** 2)
    assert trace.regret[100:].mean() < np.mean((np.linspace(-1, 1, 1000) - 0.3) ** 2)


def test_an_episode_cut_short_has_no_reward_for_what_was_pending():
    env = gymnasium.make("quickdraw/RandomField-v0", **SIZE, delay=2, max_episode_steps=10)
    trace = play(qd.policies.Random(env.unwrapped.arms, seed=0), env, seed=0)
    assert len(trace.arms) == 10
    assert np.isnan(trace.rewards).tolist() == [False] * 8 + [True] * 2


class First:
    """A policy of one's own: no base class, no arms, no expect."""

    def select(self, time):
        return 0

    def update(self, time, arm, reward):
        assert arm == 0


def test_any_object_with_select_and_update_plays():
    assert play(First(), BanditEnv(qd.environments.RandomField(**SIZE), delay=1)).arms.tolist() == [0] * 60


def test_what_cannot_be_played_is_refused():
    env = BanditEnv(qd.environments.RandomField(**SIZE))
    with pytest.raises(
        ValueError, match=r"policy must be built on Arms\(30 .*got Arms\(7 .*write Random\(env.unwrapped"
    ):
        play(qd.policies.Random(qd.Arms.grid(0, 1, 7)), env)
    with pytest.raises(ValueError, match="policy must be built first"):
        play(qd.policies.Random, env)
    with pytest.raises(ValueError, match=r"env must be an environment of quickdraw_bandits\.gym"):
        play(qd.policies.Random(env.arms), gymnasium.make("CartPole-v1"))
    with pytest.raises(ValueError, match=r"policy must be built on Box"):
        play(qd.QuickDraw(qd.Arms.grid(0, 1, 7)), BoxEnv(lambda x, t: 0.0))
