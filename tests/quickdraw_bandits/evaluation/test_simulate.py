import time

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.environments import KnownFunction, RandomField, Recorded


class Scripted:
    """Plays what it is told, and keeps what it is told."""

    def __init__(self, answers):
        self.answers = iter(answers)
        self.asked, self.seen = [], []

    def select(self, time):
        self.asked.append(time)
        return next(self.answers)

    def update(self, time, arm, reward):
        self.seen.append((time, arm, reward))


@pytest.fixture
def env():
    return RandomField(noise=0.2, n_arms=12, n_rounds=30, seed=5)


def test_trace_against_a_plain_loop(env):
    answers = [k % 12 for k in range(20)]
    policy = Scripted(answers)
    trace = qd.simulate(policy, env, warmup=10, seed=8)
    assert trace.arms[10:].tolist() == answers
    assert policy.asked == env.times[10:].tolist()
    rounds = range(30)
    assert trace.rewards.tolist() == [env.pull(s, trace.arms[s]) for s in rounds]
    assert trace.regret.tolist() == [max(env.mean[s]) - env.mean[s][trace.arms[s]] for s in rounds]
    assert policy.seen == list(zip(trace.times.tolist(), trace.arms.tolist(), trace.rewards.tolist(), strict=True))
    assert trace.regret_per_round == pytest.approx(sum(trace.regret[10:]) / 20)
    assert trace.reward_per_round == pytest.approx(sum(trace.rewards[10:]) / 20)
    assert (trace.policy, trace.warmup) == ("Scripted", 10)
    np.testing.assert_array_equal(trace.times, env.times)


@pytest.mark.parametrize("warmup", [0, 10])
def test_a_trace_has_the_scales_of_every_choice(env, warmup):
    trace = qd.simulate(qd.AdaptiveQuickDraw(env.arms, seed=1), env, warmup=warmup, seed=8)
    policy, expected = qd.AdaptiveQuickDraw(env.arms, seed=1), []
    for k, (when, arm, reward) in enumerate(zip(trace.times, trace.arms, trace.rewards, strict=True)):
        if k >= warmup:
            assert policy.select(when) == arm
            expected.append(policy.scales)
        policy.update(when, arm, reward)
    assert list(trace.scales) == expected
    assert (trace.scales[0] is None) == (warmup == 0)
    assert len({each.gamma for each in trace.scales[1:]}) > 10
    assert qd.simulate(qd.policies.Random(env.arms, seed=1), env, warmup=warmup).scales is None


def test_warmup_is_the_same_for_every_policy_and_known_from_the_seed(env):
    drawn = np.random.default_rng(np.random.SeedSequence(8).spawn(3)[2]).integers(12, size=30)[:10]
    for policy in (
        Scripted([0] * 20),
        qd.policies.Random(env.arms, seed=8),
        qd.policies.SlidingEpsilonGreedy(env.arms, seed=0),
    ):
        assert qd.simulate(policy, env, warmup=10, seed=8).arms[:10].tolist() == drawn.tolist()
    assert qd.simulate(Scripted([0] * 20), env, warmup=10, seed=9).arms[:10].tolist() != drawn.tolist()


def test_warmup_is_uniform():
    """1,200 arms from 12: the chi-squared statistic with 11 degrees of freedom is below its 99.9 % point, 31.3."""
    env = KnownFunction(np.cos, n_arms=12, n_rounds=1201)
    arms = qd.simulate(Scripted([0]), env, warmup=1200).arms[:-1]
    counts = np.bincount(arms, minlength=12)
    assert ((counts - 100) ** 2 / 100).sum() < 31.3


def test_the_same_seeds_give_the_same_trace(env):
    first, second = (qd.simulate(qd.policies.SlidingEpsilonGreedy(env.arms, seed=3), env, warmup=5) for _ in range(2))
    np.testing.assert_array_equal(first.arms, second.arms)
    np.testing.assert_array_equal(first.rewards, second.rewards)


def test_no_warmup_and_the_longest(env):
    assert qd.simulate(Scripted([3] * 30), env, warmup=0).arms.tolist() == [3] * 30
    trace = qd.simulate(Scripted([3]), env, warmup=29)
    assert trace.arms[-1] == 3
    assert trace.regret_per_round == trace.regret[-1]


def test_times_choices_and_not_the_environment(env):
    class Slow(Scripted):
        def select(self, time_):
            time.sleep(0.002)
            return 0

        def update(self, *observation):
            time.sleep(0.001)

    trace = qd.simulate(Slow([]), env, warmup=25)
    assert trace.choice_seconds.shape == (5,)
    assert (trace.choice_seconds >= 0.003).all()
    assert trace.seconds_per_choice == pytest.approx(sum(trace.choice_seconds) / 5)


@pytest.mark.parametrize("n_rounds", [1, 30, 250, 1001])
def test_progress_ends_at_all_rounds(n_rounds):
    seen = []
    env = KnownFunction(np.cos, n_arms=3, n_rounds=n_rounds)
    qd.simulate(Scripted([1] * n_rounds), env, warmup=0, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (n_rounds, n_rounds)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert len(seen) <= 130


def test_numpy_integers_are_arms(env):
    assert qd.simulate(Scripted([np.int64(2)]), env, warmup=29).arms[-1] == 2


@pytest.mark.parametrize("bad", [-1, 12, 1.0, None, True, "3", [1]])
def test_refuses_what_is_not_an_arm(env, bad):
    policy = Scripted([0, bad])
    with pytest.raises(ValueError, match=r"the arm that Scripted\.select returns must be an integer from 0 to 11"):
        qd.simulate(policy, env, warmup=10)
    assert len(policy.seen) == 11


@pytest.mark.parametrize("bad", [-1, 30, 2.0, None])
def test_refuses_bad_warmup(env, bad):
    with pytest.raises(ValueError, match=f"warmup must be an integer from 0 to 29, got {bad!r}"):
        qd.simulate(Scripted([]), env, warmup=bad)


def test_refuses_what_cannot_play(env):
    with pytest.raises(ValueError, match="policy must have the methods select and update, got 3"):
        qd.simulate(3, env)
    with pytest.raises(ValueError, match=r"policy must be built first.*Random\(env.arms\)"):
        qd.simulate(qd.policies.Random, env)
    with pytest.raises(ValueError, match="env must be an Environment, got ndarray"):
        qd.simulate(Scripted([]), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="built on the environment's 12 arms, got Random on 5"):
        qd.simulate(qd.policies.Random(qd.Arms.grid(0, 1, 5)), env)
    with pytest.raises(ValueError, match="seed must be an integer"):
        qd.simulate(Scripted([]), env, warmup=3, seed=-1)


@pytest.mark.parametrize("policy_class", [qd.QuickDraw, qd.policies.HOO, qd.policies.BanditConvex])
def test_refuses_a_policy_on_a_box(env, policy_class):
    name = policy_class.__name__
    message = rf"policy must be built on the environment's 12 arms, got {name} on Box\(.*; write {name}\(env.arms\)"
    with pytest.raises(ValueError, match=message):
        qd.simulate(policy_class(qd.Box(-1.0, 1.0)), env)


def test_regret_is_measured_on_means_not_on_noise():
    env = Recorded([[0.0, 1.0]] * 4, qd.Arms([0.0, 1.0]), noise=5.0)
    assert qd.simulate(Scripted([1] * 4), env, warmup=0).regret.tolist() == [0.0] * 4
    assert qd.simulate(Scripted([0] * 4), env, warmup=0).regret.tolist() == [1.0] * 4


class Recording:
    """Plays arms in turn and writes down what it is told, and when."""

    def __init__(self, n_arms):
        self.n_arms, self.told = n_arms, []

    def select(self, time):
        self.told.append(("select", time))
        return len(self.told) % self.n_arms

    def expect(self, time, arm):
        self.told.append(("expect", time))

    def update(self, time, arm, reward):
        self.told.append(("update", time))


def test_rewards_come_as_many_rounds_later_as_asked():
    env = qd.environments.KnownFunction(lambda x: x, n_arms=5, n_rounds=4)
    policy = Recording(5)
    trace = qd.simulate(policy, env, warmup=0, delay=2)
    first, second, third, fourth = env.times.tolist()
    rounds = [("select", first), ("expect", first), ("select", second), ("expect", second)]
    rounds += [("select", third), ("expect", third), ("update", first)]
    rounds += [("select", fourth), ("expect", fourth), ("update", second)]
    assert policy.told == rounds
    assert len(trace.arms) == 4
    with pytest.raises(ValueError, match="delay must be an integer of at least 0, got -1"):
        qd.simulate(policy, env, warmup=0, delay=-1)
