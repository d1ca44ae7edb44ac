"""What may differ from policy to policy and must not: checked for each of them.

Checks of input are shared by all policies and tested once, in ``test_policy.py``.
"""

import copy
import pickle

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.policies import Policy
from quickdraw_bandits.policies.policy import PLAY_BOXES

POLICIES = [getattr(qd.policies, name) for name in qd.policies.__all__ if name != "Policy"]
DRAWING = [each for each in POLICIES if each._probabilities is not Policy._probabilities]
IN_BOXES = [each for each in POLICIES if each.plays_boxes]

each_policy = pytest.mark.parametrize("policy_class", POLICIES, ids=lambda policy: policy.__name__)
each_drawing_policy = pytest.mark.parametrize("policy_class", DRAWING, ids=lambda policy: policy.__name__)
each_box_policy = pytest.mark.parametrize("policy_class", IN_BOXES, ids=lambda policy: policy.__name__)
each_copy = pytest.mark.parametrize("copied", [copy.deepcopy, lambda policy: pickle.loads(pickle.dumps(policy))])

ARMS = qd.Arms.grid(-1, 1, 20)
BOX = qd.Box([0.0, -1.0], [1.0, 3.0])
PAIRS = qd.Arms(np.repeat(np.linspace(-1, 1, 4), 2))
"""A grid with two arms at each place."""


def history(n, arms, seed=0):
    random = np.random.default_rng(seed)
    chosen = random.uniform(arms.low, arms.high, (n, 2)) if arms is BOX else random.integers(len(arms), size=n)
    return np.arange(n) * 0.01, chosen, random.random(n)


def with_history(policy_class, arms, n=30, seed=2):
    policy = policy_class(arms, seed=seed)
    policy.update(*history(n, arms))
    return policy


def play(policy, rounds, start=1.0):
    """Play rounds whose rewards depend on the arm and the time alone, and return the arms."""
    chosen = []
    for k in range(rounds):
        time = start + 0.01 * k
        arm = policy.select(time)
        policy.update(time, arm, 0.5 + 0.5 * np.sin(3 * np.sum(arm) + time))
        chosen.append(arm if isinstance(arm, int) else arm.tolist())
    return chosen


@each_policy
def test_the_same_seed_and_calls_give_the_same_choices(policy_class):
    first, second, generator = (play(policy_class(ARMS, seed=s), 40) for s in (5, 5, np.random.default_rng(5)))
    assert first == second == generator
    assert all(type(arm) is int and 0 <= arm < 20 for arm in first)


@each_policy
@pytest.mark.parametrize("n_arms", [1, 2])
def test_few_arms_are_all_played(policy_class, n_arms):
    policy = policy_class(qd.Arms([0.5] if n_arms == 1 else [0.0, 1.0]), seed=0)
    assert set(play(policy, 150)) == set(range(n_arms))


@each_policy
def test_arms_that_share_a_place_are_all_played(policy_class):
    policy = policy_class(qd.Arms([[0.0, 0.0]] * 5), seed=0)
    chosen = []
    for k in range(200):
        chosen.append(policy.select(0.01 * k))
        policy.update(0.01 * k, chosen[-1], 0.0)
    # By its definition, Zooming plays one arm for all those within its radius.
    assert len(set(chosen)) == (1 if policy_class is qd.policies.Zooming else 5)


@each_policy
def test_a_history_loaded_at_once_counts_as_one_learned_singly(policy_class):
    n = 130  # more than windows hold, and than restarts are apart
    at_once, singly = with_history(policy_class, ARMS, n), policy_class(ARMS, seed=2)
    for observation in zip(*history(n, ARMS), strict=True):
        singly.update(*observation)
    assert play(at_once, 30, start=1.5) == play(singly, 30, start=1.5)


@each_policy
@each_copy
def test_a_copy_makes_the_same_choices_and_leaves_the_original_alone(policy_class, copied):
    policy, untouched = with_history(policy_class, ARMS), with_history(policy_class, ARMS)
    assert policy.select(0.5) == untouched.select(0.5)
    expected = play(copied(policy), 30)
    assert play(policy, 30) == play(untouched, 30) == expected


@each_policy
def test_asking_for_probabilities_changes_nothing(policy_class):
    asked, left_alone = with_history(policy_class, PAIRS), with_history(policy_class, PAIRS)
    for k in range(20):
        said = asked.probabilities(0.3 + 0.01 * k)
        assert said.shape == (8,)
        assert said.min() >= 0
        assert said.sum() == pytest.approx(1, abs=1e-12)
        arm = asked.select(0.3 + 0.01 * k)
        assert said[arm] > 0
        assert arm == left_alone.select(0.3 + 0.01 * k)
        for policy in (asked, left_alone):
            policy.update(0.3 + 0.01 * k, arm, 0.5)


@each_drawing_policy
@pytest.mark.parametrize("n_observations", [0, 3, 12])
def test_probabilities_are_the_frequencies_of_select(policy_class, n_observations):
    policy = policy_class(PAIRS, seed=0)
    times, arms, rewards = history(12, PAIRS)
    # Rewards of 0, 1/2 and 1, so that arms tie.
    policy.update(times[:n_observations], arms[:n_observations], np.round(2 * rewards[:n_observations]) / 2)
    said = policy.probabilities(0.12)
    n, chosen = 200 if said.max() < 1 else 20, []
    for seed in range(n):
        twin = copy.deepcopy(policy, {id(PAIRS): PAIRS})
        twin._random.bit_generator.state = np.random.PCG64(seed).state
        chosen.append(twin.select(0.12))
    seen = np.bincount(chosen, minlength=8)
    # Five standard deviations of a binomial count: of a million true policies one fails. Arms of probability 0 or 1
    # have no margin.
    assert np.all(np.abs(seen - n * said) <= 5 * np.sqrt(n * said * (1 - said)) + 1e-9)


@each_policy
def test_its_name_and_arms_are_shown(policy_class):
    assert repr(policy_class(ARMS)) == f"{policy_class.__name__}(Arms(20 arms in 1-D, metric='euclidean', unit=2))"


def test_policies_said_to_take_a_box_do():
    assert sorted(each.__name__ for each in IN_BOXES) == sorted(PLAY_BOXES.replace(" or ", ", ").split(", "))


@each_box_policy
def test_choices_in_a_box_follow_from_the_seed_and_lie_inside(policy_class):
    chosen = play(policy_class(BOX, seed=5), 30)
    assert chosen == play(policy_class(BOX, seed=5), 30)
    assert (np.array(chosen) >= BOX.low).all()
    assert (np.array(chosen) <= BOX.high).all()


@each_box_policy
@each_copy
def test_a_history_in_a_box_at_once_singly_and_copied(policy_class, copied):
    at_once, singly = with_history(policy_class, BOX), policy_class(BOX, seed=2)
    for observation in zip(*history(30, BOX), strict=True):
        singly.update(*observation)
    assert play(copied(at_once), 20) == play(singly, 20) == play(at_once, 20)
