"""What can go wrong beside a lost process: files that change, arms that cannot be added, parts of odd sizes."""

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.distributed import Deployment, ShardedAdaptiveQuickDraw, ShardedQuickDraw

SCALES = {"length_scale": 0.3, "time_scale": 0.5, "engine": "exact", "seed": 2}
POINTS = np.random.default_rng(3).random((90, 2))


@pytest.mark.parametrize("other", [POINTS[30:80], POINTS[30:90][::-1], POINTS[30:90].astype(np.float32)])
def test_a_file_that_was_changed_is_noticed_when_its_shard_starts_again(here, deployment, tmp_path, other, play):
    """Positions would mean other arms, and nobody would know."""
    np.save(tmp_path / "part.npy", POINTS[30:])
    policy = ShardedQuickDraw([POINTS[:30], tmp_path / "part.npy"], deployment=deployment, **SCALES)
    first = play(policy, 10)
    (tmp_path / "part.npy").unlink()
    np.save(tmp_path / "part.npy", other)
    assert len(play(policy, 5, 10)) == 5  # while the shard lives, it has the arms that it read
    here.lose(1)
    with pytest.raises(ValueError, match=r"parts\[1\] must be as it was when the policy was built, 60 arms"):
        policy.select(0.2)
    np.save(tmp_path / "part.npy", POINTS[30:])
    here.lose(1)
    one = qd.QuickDraw(qd.Arms(POINTS), **SCALES)
    assert play(one, 15)[:10] == first
    assert play(policy, 10, 15) == play(one, 10, 15)


def test_a_file_that_is_not_there_is_named(deployment, tmp_path):
    with pytest.raises(ValueError, match=r"parts\[1\]: .*No such file.*missing\.npy"):
        ShardedQuickDraw([POINTS, tmp_path / "missing.npy"], deployment=deployment, **SCALES)


@pytest.mark.parametrize("kind", [ShardedQuickDraw, ShardedAdaptiveQuickDraw])
def test_parts_of_one_arm_and_very_uneven_ones(deployment, kind, play):
    settings = SCALES if kind is ShardedQuickDraw else {"seed": 2}
    alone = qd.QuickDraw if kind is ShardedQuickDraw else qd.AdaptiveQuickDraw
    parts = [POINTS[:1], POINTS[1:2], POINTS[2:88], POINTS[88:]]
    policy = kind(parts, deployment=deployment, **settings)
    assert play(policy, 60) == play(alone(qd.Arms(POINTS), **settings), 60)


@pytest.mark.parametrize("kind", [ShardedQuickDraw, ShardedAdaptiveQuickDraw])
def test_an_empty_part_is_named(deployment, kind):
    with pytest.raises(ValueError, match=r"parts\[1\]: points must"):
        kind([POINTS, np.empty((0, 2))], deployment=deployment)


@pytest.mark.parametrize("moment", ["add_arms", "begin"])
def test_lost_while_arms_are_added(here, deployment, moment, play):
    """Before it has taken them, and after."""
    policy = ShardedQuickDraw([POINTS[:30], POINTS[30:70]], deployment=deployment, **SCALES)
    one = qd.QuickDraw(qd.Arms(POINTS[:70]), **SCALES)
    assert play(policy, 20) == play(one, 20)
    call, lost = here.call, []

    def lose_once(handle, method, *arguments):
        ticket = call(handle, method, *arguments)
        asked = arguments[1] if method == "after" else method
        if asked == moment and handle.number == 1 and not lost:
            lost.append(here.lose(1))
        return ticket

    here.call = lose_once
    for each in (policy, one):
        each.add_arms(POINTS[70:])
    assert lost
    assert policy.restarts == 1
    assert play(policy, 30, 20) == play(one, 30, 20)


def test_arms_that_cannot_be_added_leave_the_policy_as_it_was(here, deployment, play):
    policy = ShardedQuickDraw([POINTS[:30], POINTS[30:70]], deployment=deployment, **SCALES)
    one = qd.QuickDraw(qd.Arms(POINTS[:70]), **SCALES)
    assert play(policy, 20) == play(one, 20)
    call = here.call

    def break_begin(handle, method, *arguments):
        if method == "begin":
            raise RuntimeError("no memory")
        return call(handle, method, *arguments)

    here.call = break_begin  # the shard has taken the arms, and cannot begin with them
    with pytest.raises(RuntimeError, match="no memory"):
        policy.add_arms(POINTS[70:])
    here.call = call
    assert len(policy.arms) == 70
    assert play(policy, 20, 20) == play(one, 20, 20)


def test_pending_pulls_survive_a_loss(here, deployment, play):
    """They are known to the driver alone, and go with each question."""
    policy = ShardedQuickDraw([POINTS[:30], POINTS[30:]], deployment=deployment, **SCALES)
    one = qd.QuickDraw(qd.Arms(POINTS), **SCALES)
    for each in (policy, one):
        play(each, 10)
        each.expect(0.1, 77)
    here.lose(1)
    for each in (policy, one):
        each.expect(0.11, 78)
    here.lose(0)
    assert policy.select(0.12) == one.select(0.12)
    for each in (policy, one):
        each.forget(0.1, 77)
    np.testing.assert_array_equal(policy.index(0.13), one.index(0.13))


def test_saving_says_what_to_do_instead(deployment, tmp_path):
    policy = ShardedQuickDraw([POINTS[:30], POINTS[30:]], deployment=deployment, **SCALES)
    with pytest.raises(NotImplementedError, match=r"keep policy\.observations, build a new policy on the same parts"):
        qd.save(policy, tmp_path / "policy.qd")
    assert not (tmp_path / "policy.qd").exists()


def test_wrong_settings_of_a_deployment():
    with pytest.raises(ValueError, match="on_loss must be one of wait, skip, got 'ignore'"):
        Deployment(on_loss="ignore")
    with pytest.raises(ValueError, match="at_once must be"):
        Deployment(at_once=0)
