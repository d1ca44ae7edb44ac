"""Many threads on one policy: nothing is lost, and what was learned is what a history teaches."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count

import numpy as np
import pytest

import quickdraw_bandits as qd

pytestmark = pytest.mark.usefixtures("few_draws")

ARMS = qd.Arms.grid(0, 1, 24)
THREADS = 16
ROUNDS = {"exact": 150, "cached": 150, "tree": 100, "AdaptiveQuickDraw": 40}
"""Rounds per thread. ``QUICKDRAW_THREAD_ROUNDS=2000`` plays so many with all policies, which takes ten minutes."""
FEW = 25
"""Rounds per thread of all others."""
OTHERS = [name for name in qd.policies.__all__ if name not in ("Policy", "QuickDraw", "AdaptiveQuickDraw")]
BY_CHOICES = ("BanditConvex", "Restless", "SlidingGPUCB", "SpaceTimeGPUCB", "EventTriggeredGPUCB", "PredictiveSampling",
              "PriorEliminationGPUCB")  # fmt: skip
"""What these say depends on more than the observations that they hold: two take turns or steps, two begin fits where
the last one ended, one forgets when a reward contradicts those that came before it, one counts draws of its own, and
one has dropped models that earlier rewards contradicted."""


def build(name):
    if name in ("exact", "cached", "tree", "auto"):
        return qd.QuickDraw(ARMS, engine=name, time_scale=5.0, length_scale=0.5, noise_variance=1e-3, seed=0)
    return getattr(qd.policies, name)(ARMS, seed=0)


def rounds_of(name):
    return int(os.environ.get("QUICKDRAW_THREAD_ROUNDS", ROUNDS.get(name, FEW)))


def play(policy, thread, rounds, ticks):
    """Play rounds at the ticks of a clock that all threads share; rewards say who brought them."""
    acknowledged = []
    for k in range(rounds):
        time = 1e-3 * next(ticks)
        arm = policy.decide(time).arm if k % 5 == 0 else policy.select(time)
        if k % 3 == 0:
            policy.expect(time, arm)
        reward = (thread * rounds + k) / (THREADS * rounds)
        policy.update(time, arm, reward)
        acknowledged.append((time, arm, reward))
    return acknowledged


def play_all(policy, rounds):
    ticks = count()  # which threads may share
    with ThreadPoolExecutor(THREADS) as pool:
        parts = list(pool.map(lambda thread: play(policy, thread, rounds, ticks), range(THREADS)))
    return sorted(row for part in parts for row in part)


@pytest.mark.parametrize("name", ["exact", "cached", "tree", "TimeVaryingGPUCB"])
def test_what_threads_taught_is_what_a_history_teaches(name):
    policy = build(name)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: policy.update(0.01 * k, k % 24, k / 100), range(100)))
    other = build(name)
    other.update(np.arange(100) * 0.01, np.arange(100) % 24, np.arange(100) / 100)
    for one, another in zip(policy.estimate(1.0), other.estimate(1.0), strict=True):
        np.testing.assert_allclose(one, another, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exact", "cached", "tree"])
def test_every_acknowledged_update_of_quick_draw_is_kept(name):
    policy = build(name)
    rows = play_all(policy, rounds_of(name))
    assert sorted(zip(*(values.tolist() for values in policy.observations), strict=True)) == rows
    assert len(policy.pending[0]) == 0
    other = build(name)
    other.update(*(np.array(column) for column in zip(*rows, strict=True)))
    for one, another in zip(policy.estimate(33.0), other.estimate(33.0), strict=True):
        np.testing.assert_allclose(one, another, rtol=1e-9)


@pytest.mark.slow
def test_the_adaptive_policy_keeps_the_latest_of_all_threads():
    policy = build("AdaptiveQuickDraw")
    rows = play_all(policy, rounds_of("AdaptiveQuickDraw"))
    assert policy.n_observations == len(rows)
    assert len(policy.pending[0]) == 0
    assert list(zip(*(values.tolist() for values in policy.observations), strict=True)) == rows[-600:]


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_other_policies_lose_nothing(name):
    policy = build(name)
    rows = play_all(policy, rounds_of(name))
    assert policy.n_observations == len(rows)
    held = set(zip(*(values.tolist() for values in policy.observations), strict=True))
    assert held <= set(rows)
    assert len(policy.pending[0]) == 0
    if name not in BY_CHOICES:
        other = build(name)
        other.update(*policy.observations)
        np.testing.assert_allclose(policy.probabilities(33.0), other.probabilities(33.0), atol=1e-9)
        with suppress(NotImplementedError):
            for one, another in zip(policy.estimate(33.0), other.estimate(33.0), strict=True):
                np.testing.assert_allclose(one, another, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
def test_several_policies_on_several_threads():
    policies = [build(name) for name in ("exact", "cached", "tree", "auto", "AdaptiveQuickDraw") for _ in range(2)]
    alone = [build(name) for name in ("exact", "cached", "tree", "auto", "AdaptiveQuickDraw") for _ in range(2)]
    with ThreadPoolExecutor(len(policies)) as pool:
        together = list(pool.map(lambda policy: play(policy, 0, 150, count()), policies))
    assert together == [play(policy, 0, 150, count()) for policy in alone]
