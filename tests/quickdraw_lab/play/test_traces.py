import sys

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_lab.play.traces import play, round_rows, summary_rows

POLICIES = [qd.policies.SlidingEpsilonGreedy, qd.policies.Random]


def environment():
    return qd.environments.RandomField(noise=0.1, n_arms=15, n_rounds=40, seed=1)


def test_traces_are_those_of_simulate():
    env = environment()
    for policy, trace in zip(POLICIES, play(POLICIES, env, warmup=10, seed=6), strict=True):
        expected = qd.simulate(policy(env.arms, seed=6), env, warmup=10, seed=6)
        np.testing.assert_array_equal(trace.arms, expected.arms)
        assert trace.policy == policy.__name__


def test_progress_is_told_who_plays():
    seen = []
    play(POLICIES, environment(), 10, progress=lambda name: lambda done, total: seen.append((name, done, total)))
    assert seen[0] == ("SlidingEpsilonGreedy", 0, 40)
    assert seen[40] == ("SlidingEpsilonGreedy", 40, 40)
    assert seen[-1] == ("Random", 40, 40)


def test_rows_say_what_the_traces_say():
    traces = play(POLICIES, environment(), warmup=10)
    rows = list(round_rows(traces))
    assert len(rows) == 80
    assert rows[41] == {
        "policy": "Random",
        "round": 1,
        "time": traces[1].times[1],
        "arm": traces[1].arms[1],
        "reward": traces[1].rewards[1],
        "regret": traces[1].regret[1],
    }
    assert summary_rows(traces)[1] == {
        "policy": "Random",
        "regret_per_round": traces[1].regret_per_round,
        "reward_per_round": traces[1].reward_per_round,
        "seconds_per_choice": traces[1].seconds_per_choice,
    }


def test_what_is_slow_only_at_first_does_not_count(monkeypatch):
    clock = [0.0]
    module = sys.modules["quickdraw_bandits.evaluation.simulate"]  # the package has a function of this name
    monkeypatch.setattr(module, "perf_counter", lambda: clock[0])

    class Compiled(qd.policies.Random):
        ready = False

        def _select(self, time):
            clock[0] += 0.001 if Compiled.ready else 0.5
            Compiled.ready = True
            return super()._select(time)

    (trace,) = play([Compiled], environment(), warmup=10)
    assert trace.choice_seconds == pytest.approx(0.001)


def test_one_round_is_enough():
    env = qd.environments.Recorded([[0.1, 0.2]], qd.Arms([0.0, 1.0]))
    assert len(play(POLICIES, env, warmup=0)[0].arms) == 1
