"""Shards are lost, slow or miss a message, and choices stay right."""

import warnings

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.distributed import Deployment, ShardedQuickDraw, ShardWarning

SCALES = {"length_scale": 0.3, "time_scale": 0.5, "engine": "exact", "seed": 2}
POINTS = np.random.default_rng(3).random((90, 2))
PARTS = [POINTS[:30], POINTS[30:50], POINTS[50:]]


def alone():
    return qd.QuickDraw(qd.Arms(POINTS), **SCALES)


def test_lost_between_choices_and_in_the_middle_of_one(here, deployment, play):
    policy = ShardedQuickDraw(PARTS, deployment=deployment, **SCALES)
    random = np.random.default_rng(0)

    def lose(k):
        if k % 5 == 1:
            here.lose(int(random.integers(3)))
        if k % 5 == 3:  # after the question was sent, before the answer
            here.before_answers = lambda: (here.lose(1), setattr(here, "before_answers", lambda: None))

    assert play(policy, 80, before=lose) == play(alone(), 80)
    assert policy.restarts >= 25
    assert policy.missing == ()


def test_lost_after_arms_were_added_and_retired(here, deployment, play):
    policy = ShardedQuickDraw([*PARTS[:2], PARTS[2][:20]], deployment=deployment, **SCALES)
    one = qd.QuickDraw(qd.Arms(POINTS[:70]), **SCALES)
    assert play(policy, 20) == play(one, 20)
    for each in (policy, one):
        each.add_arms(POINTS[70:])
        each.retire([3, 45, 88])
    for k in range(3):
        here.lose(k)
    assert play(policy, 30) == play(one, 30)


def test_choices_go_on_without_a_lost_shard_if_asked_to(here, play):
    policy = ShardedQuickDraw(PARTS, deployment=Deployment(host=here, on_loss="skip"), **SCALES)
    play(policy, 20)
    here.lose(1)
    here.slow.add(1)
    with pytest.warns(ShardWarning, match="shard 1 was lost"):
        first = policy.select(0.2)
    others = [*range(30), *range(50, 90)]
    one = alone()
    one.update(*policy.observations)
    index = one.index(0.2)
    assert index[first] == index[others].max()
    assert policy.missing == (1,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is said once
        policy.update(0.2, first, 0.9)
        one.update(0.2, first, 0.9)
        assert policy.select(0.21) in others
        np.testing.assert_array_equal(policy.estimate(0.21)[0], one.estimate(0.21)[0])  # a question about arms waits
        here.slow.clear()
        assert one.index(0.21)[policy.select(0.21)] == one.index(0.21).max()
    assert policy.missing == ()


def test_a_shard_that_missed_observations_gets_them_again(here, deployment, earned):
    """Many are sent as a message of their own."""
    policy = ShardedQuickDraw(PARTS, deployment=deployment, **SCALES)
    one = alone()
    random = np.random.default_rng(1)
    for k in range(6):
        arms = random.integers(90, size=100)
        times = k + np.arange(100) * 1e-3
        here.drop = {(2, "extend")} if k % 2 else set()
        for each in (policy, one):
            each.update(times, arms, [earned(arm, time) for arm, time in zip(arms, times, strict=True)])
        assert policy.select(k + 0.2) == one.select(k + 0.2)


def test_a_few_observations_go_with_the_next_question(here, deployment, play):
    """A message of their own costs as much as a question."""
    policy = ShardedQuickDraw(PARTS, deployment=deployment, **SCALES)
    play(policy, 5)
    sent, call = [], here.call
    here.call = lambda handle, method, *arguments: (sent.append(method), call(handle, method, *arguments))[1]
    play(policy, 4)
    assert sent == ["after"] * 12


def test_updates_wait_for_no_shard(here, deployment, play):
    """Neither with an arm that was chosen, nor with one whose coordinates are not known yet."""
    policy = ShardedQuickDraw(PARTS, deployment=deployment, **SCALES)
    play(policy, 5)

    def nobody_waits():
        raise AssertionError("an update waited for a shard")

    arm = policy.select(0.05)
    here.before_answers = nobody_waits
    policy.update(0.05, arm, 0.4)
    policy.update([0.06, 0.07], [88, 31], [0.1, 0.2])
    policy.expect(0.08, 77)
    here.before_answers = lambda: None
    one = alone()
    one.update(*policy.observations)
    one.expect(0.08, 77)
    np.testing.assert_array_equal(policy.index(0.1), one.index(0.1))


def test_a_shard_that_cannot_be_started_is_named(here, deployment, tmp_path):
    np.save(tmp_path / "part.npy", POINTS)
    policy = ShardedQuickDraw([PARTS[0], str(tmp_path / "part.npy")], deployment=deployment, **SCALES)
    policy.update(0.0, 3, 0.5)
    for _ in range(20):
        here.lose(1)
    here.start = lambda kind, number, *rest: here.handles[-1]  # what is started is dead, too
    with pytest.raises(RuntimeError, match="shard 1 did not answer 5 times: lost"):
        policy.select(0.1)
