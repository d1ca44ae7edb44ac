"""What every policy promises, checked for each of them."""

import copy

import numpy as np
import pytest

import quickdraw_bandits as qd

OTHERS = ("Policy", "Scales", "Explanation")
POLICIES = [getattr(qd.policies, name) for name in qd.policies.__all__ if name not in OTHERS]

each_policy = pytest.mark.parametrize("policy_class", POLICIES, ids=lambda policy: policy.__name__)


def history(n, n_arms, seed=0):
    random = np.random.default_rng(seed)
    return np.arange(n) * 0.01, random.integers(n_arms, size=n), random.random(n)


def play(policy, rounds, start=1.0):
    """Play rounds whose rewards depend on the arm and the time alone, and return the arms."""
    chosen = []
    for k in range(rounds):
        time = start + 0.01 * k
        arm = policy.select(time)
        policy.update(time, arm, 0.5 + 0.5 * np.sin(3 * arm + time))
        chosen.append(arm)
    return chosen


@each_policy
def test_the_same_seed_and_calls_give_the_same_choices(policy_class):
    arms = qd.Arms.grid(-1, 1, 20)
    assert play(policy_class(arms, seed=5), 40) == play(policy_class(arms, seed=5), 40)
    generators = [policy_class(arms, seed=np.random.default_rng(5)) for _ in range(2)]
    assert play(generators[0], 40) == play(generators[1], 40)


@each_policy
def test_chooses_positions_of_arms(policy_class):
    for n_arms in (1, 2, 30):
        chosen = play(policy_class(qd.Arms.grid(0, 1, n_arms) if n_arms > 1 else qd.Arms([0.5]), seed=0), 50)
        assert all(type(arm) is int and 0 <= arm < n_arms for arm in chosen)


@each_policy
def test_a_history_loaded_at_once_counts_as_one_learned_singly(policy_class):
    arms = qd.Arms.grid(-1, 1, 15)
    times, seen, rewards = history(60, 15)
    at_once, singly = policy_class(arms, seed=1), policy_class(arms, seed=1)
    at_once.update(times, seen, rewards)
    for time, arm, reward in zip(times, seen, rewards, strict=True):
        singly.update(time, arm, reward)
    assert play(at_once, 30) == play(singly, 30)


@each_policy
def test_duplicate_arms_are_played(policy_class):
    policy = policy_class(qd.Arms([[0.0, 0.0]] * 5), seed=0)
    policy.update(*history(20, 5))
    assert set(play(policy, 60)) <= set(range(5))


@each_policy
def test_accepts_what_numpy_gives(policy_class):
    policy = policy_class(qd.Arms.grid(-1, 1, 9), seed=0)
    policy.update(np.float32(0.5), np.int32(3), np.float64(0.25))
    policy.update(1, 4, True)
    policy.update([2.0], [1], [0])
    policy.update([], [], [])
    assert policy.select(np.float32(3)) in range(9)


@each_policy
@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ((np.nan, 1, 0.5), "time"),
        ((np.inf, 1, 0.5), "time"),
        (("now", 1, 0.5), "time"),
        ((None, 1, 0.5), "time"),
        ((1.0, 20, 0.5), "arm"),
        ((1.0, -1, 0.5), "arm"),
        ((1.0, 1.5, 0.5), "arm"),
        ((1.0, None, 0.5), "arm"),
        ((1.0, 1, np.nan), "reward"),
        (("1.0", 1, 0.5), "time must be a finite number, got '1.0'"),
        ((np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[s]"), [1, 2], [0.1, 0.2]), "time must hold numbers"),
        (([1.0, 2.0], [1, 2], [0.1, 0.2j]), "reward must hold numbers"),
        (([1.0, 2.0], [1, 2], np.ma.array([0.1, 0.2], mask=[0, 1])), "reward must hold numbers, got masked"),
        (([1.0, 2.0], np.ma.array([1, 2], mask=[0, 1]), [0.1, 0.2]), "arm must hold .* got masked"),
        (([1.0, 2.0], [1, 2], [[0.1], [0.1, 0.2]]), "reward must hold numbers"),
        (([1.0, 2.0], [[1], [1, 2]], [0.1, 0.2]), "arm must hold integer positions"),
        ((1.0, 1, -np.inf), "reward"),
        ((1.0, 1, "much"), "reward"),
        (([1.0, np.nan], [1, 2], [0.1, 0.2]), "time"),
        (([1.0, 2.0], [1, 20], [0.1, 0.2]), "arm"),
        (([1.0, 2.0], [1.0, 2.0], [0.1, 0.2]), "arm"),
        (([1.0, 2.0], [1, 2], [0.1, np.inf]), "reward"),
        (([1.0, 2.0], [1, 2], [0.1]), "length"),
        ((1.0, [1, 2], [0.1, 0.2]), "time"),
        (([[1.0]], [[1]], [[0.1]]), "one-dimensional"),
    ],
)
def test_bad_observations_raise_and_change_nothing(policy_class, arguments, names):
    policy = policy_class(qd.Arms.grid(-1, 1, 20), seed=2)
    policy.update(*history(30, 20))
    untouched = copy.deepcopy(policy)
    with pytest.raises(ValueError, match=names):
        policy.update(*arguments)
    assert play(policy, 30) == play(untouched, 30)


@each_policy
@pytest.mark.parametrize("time", [np.nan, np.inf, "now", None, [1.0, 2.0]])
def test_a_bad_time_raises_and_changes_nothing(policy_class, time):
    policy = policy_class(qd.Arms.grid(-1, 1, 20), seed=2)
    policy.update(*history(30, 20))
    untouched = copy.deepcopy(policy)
    with pytest.raises(ValueError, match="time must be a finite number"):
        policy.select(time)
    assert play(policy, 30) == play(untouched, 30)


@each_policy
def test_arrays_of_any_layout_are_taken(policy_class):
    times, seen, rewards = history(40, 20)
    usual, other = (policy_class(qd.Arms.grid(-1, 1, 20), seed=2) for _ in range(2))
    usual.update(times, seen, rewards)
    strided = np.repeat(times, 2)[::2], np.repeat(seen, 2)[::2].astype(np.int32), np.repeat(rewards, 2)[::2]
    strided[2].setflags(write=False)
    other.update(*strided)
    assert play(usual, 20) == play(other, 20)


@each_policy
def test_what_a_policy_is_shows(policy_class):
    shown = repr(policy_class(qd.Arms.grid(-1, 1, 20)))
    assert shown == f"{policy_class.__name__}(Arms(20 arms in 1-D, metric='euclidean', unit=2))"


@each_policy
def test_arms_must_be_an_arm_set(policy_class):
    with pytest.raises(ValueError, match="arms must be"):
        policy_class([[0.0], [1.0]])


@pytest.mark.parametrize("policy_class", [each for each in POLICIES if not each.plays_boxes])
def test_who_takes_no_box_says_who_does(policy_class):
    message = (
        f"arms must be an Arms set for {policy_class.__name__}, got Box; a Box is for QuickDraw, HOO or BanditConvex"
    )
    with pytest.raises(ValueError, match=message):
        policy_class(qd.Box(0, 1))


def test_who_is_said_to_take_a_box_does():
    assert {each for each in POLICIES if each.plays_boxes} == {qd.QuickDraw, qd.policies.HOO, qd.policies.BanditConvex}


@each_policy
@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_a_bad_seed_raises(policy_class, seed):
    with pytest.raises(ValueError, match="seed"):
        policy_class(qd.Arms.grid(-1, 1, 3), seed=seed)
