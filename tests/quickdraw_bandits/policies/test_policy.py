"""What ``Policy`` does for every policy, on stubs: it checks input once, and copies itself to say probabilities."""

import pickle

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.numerics.ties import argmaxes, pick
from quickdraw_bandits.policies import Policy

ARMS = qd.Arms.grid(-1, 1, 5)
BOX = qd.Box([0.0, 0.0], [1.0, 2.0])


class Stub(Policy):
    """Keeps what reaches the methods behind the public ones. Every choice changes its state and its random stream."""

    plays_boxes = True

    def __init__(self, arms, seed=None):
        super().__init__(arms, seed)
        self.asked, self.learned = [], []

    def _select(self, time):
        self.asked.append(time)
        return (len(self.asked) + int(self._random.integers(2))) % len(self.arms)

    def _update(self, times, arms, rewards):
        self.learned.append((times, arms, rewards))


class ArmsOnly(Stub):
    plays_boxes = False


@pytest.mark.parametrize("time", [2, 2.0, True + 1, np.float32(2), np.int8(2), np.array(2.0)])
def test_select_passes_on_a_float(time):
    policy = Stub(ARMS)
    policy.select(time)
    assert policy.asked == [2.0]
    assert type(policy.asked[0]) is float


@pytest.mark.parametrize("time", [np.nan, np.inf, "now", "1.0", None, [1.0, 2.0], np.datetime64("NaT")])
def test_a_bad_time_raises_before_anything_is_asked(time):
    policy = Stub(ARMS, seed=0)
    with pytest.raises(ValueError, match=r"time must be a (finite number|datetime), got "):
        policy.select(time)
    with pytest.raises(ValueError, match=r"time must be a (finite number|datetime), got "):
        policy.probabilities(time)
    assert policy.asked == []
    assert policy._random.random() == np.random.default_rng(0).random()


@pytest.mark.parametrize(
    "observation",
    [
        (0.5, 3, 0.25),
        (np.float32(0.5), np.int32(3), np.float64(0.25)),
        ([0.5], [3], [0.25]),
        (np.repeat(0.5, 4)[::4], np.repeat(np.uint8(3), 4)[::4], np.float32([0.25])),
    ],
)
def test_update_passes_on_arrays_of_its_own(observation):
    policy = Stub(ARMS)
    policy.update(*observation)
    [(times, arms, rewards)] = policy.learned
    assert (times.dtype, arms.dtype, rewards.dtype) == (np.float64, np.int64, np.float64)
    for passed, given in zip((times, arms, rewards), observation, strict=True):
        assert passed.flags.c_contiguous
        assert not np.shares_memory(passed, given)
    assert (times.tolist(), arms.tolist(), rewards.tolist()) == ([0.5], [3], [0.25])


def test_update_passes_on_rows_of_coordinates_for_a_box():
    policy = Stub(BOX)
    policy.update(0.5, [0.25, 1.5], 1)
    policy.update([1, 2], [[0.0, 0.0], [1.0, 2.0]], [3, 4])
    assert [[column.tolist() for column in call] for call in policy.learned] == [
        [[0.5], [[0.25, 1.5]], [1.0]],
        [[1.0, 2.0], [[0.0, 0.0], [1.0, 2.0]], [3.0, 4.0]],
    ]


@pytest.mark.parametrize("arms", [ARMS, BOX])
def test_nothing_to_learn_is_not_passed_on(arms):
    policy = Stub(arms)
    policy.update([], [], [])
    assert policy.learned == []


@pytest.mark.parametrize(
    ("arms", "observation", "name"),
    [
        (ARMS, ([1.0, np.nan], [1, 2], [0.1, 0.2]), "time"),
        (ARMS, ([1.0, 2.0], [1, 5], [0.1, 0.2]), "arm"),
        (ARMS, ([1.0, 2.0], [1, 2], [0.1, np.inf]), "reward"),
        (BOX, (1.0, [0.5, 2.5], 0.1), "arm"),
    ],
)
def test_bad_observations_are_not_passed_on(arms, observation, name):
    policy = Stub(arms)
    with pytest.raises(ValueError, match=f"{name} must "):
        policy.update(*observation)
    assert policy.learned == []


@pytest.mark.parametrize(
    ("policy_class", "arms", "message"),
    [
        (Stub, [[0.0]], r"arms must be an Arms set or a Box for Stub, got list; build one with Arms\(points\)"),
        (ArmsOnly, [[0.0]], r"arms must be an Arms set for ArmsOnly, got list; build one with Arms\(points\)"),
        (
            ArmsOnly,
            BOX,
            "arms must be an Arms set for ArmsOnly, got Box; a Box is for AdaptiveQuickDraw, QuickDraw, HOO",
        ),
    ],
)
def test_arms_of_another_kind_are_refused(policy_class, arms, message):
    with pytest.raises(ValueError, match=message):
        policy_class(arms)


@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(ValueError, match="seed must be an integer of at least 0, got "):
        Stub(ARMS, seed)


def test_a_policy_that_only_selects_is_certain_of_its_next_choice():
    policy = Stub(ARMS, seed=3)
    chosen = []
    for _ in range(20):
        said = policy.probabilities(0.0)
        assert sorted(said) == [0, 0, 0, 0, 1]
        chosen.append(policy.select(0.0))
        assert chosen[-1] == said.argmax()
    assert len(set(chosen)) > 1


def test_rounding_does_not_break_ties():
    assert list(argmaxes(np.array([1.0, 1.0 - 1e-13, 0.9, 1.0]))) == [0, 1, 3]
    assert list(argmaxes(np.array([-np.inf, np.inf, 1.0]))) == [1]
    assert list(argmaxes(np.array([np.nan, 0.5, 1.0]))) == [2]


def test_ties_are_broken_uniformly():
    random = np.random.default_rng(0)
    seen = np.bincount([pick(argmaxes(np.array([2.0, 1.0, 2.0, 2.0])), random) for _ in range(3000)], minlength=4)
    assert seen[1] == 0
    # 1000 each with a standard deviation of 26; five of them allowed.
    assert np.abs(seen[[0, 2, 3]] - 1000).max() < 130


def test_labels_name_the_arms():
    arms = qd.Arms([4.99, 5.99, 6.49], labels=["low", "usual", "high"])
    policy = qd.QuickDraw(arms, seed=0)
    assert policy.arms.position("usual") == 1
    policy.add_arms([[7.49]], labels=["highest"])
    assert policy.arms.labels.tolist() == ["low", "usual", "high", "highest"]
    with pytest.raises(ValueError, match="labels must be unique, got 'low'"):
        policy.add_arms([[8.0]], labels=["low"])
    with pytest.raises(ValueError, match="labels must be given"):
        policy.add_arms([[8.0]])
    assert len(policy.arms) == 4


def test_mixed_and_the_policy_inside_are_one():
    inside = qd.QuickDraw(qd.Arms.grid(0, 1, 4), seed=0)
    mixed = qd.Mixed(inside, uniform=0.5, seed=0)
    inside.retire([1])
    assert mixed.probabilities(0.0)[1] == 0
    mixed.retire(2)
    assert inside.probabilities(0.0)[2] == 0
    inside.add_arms([[2.0]])
    assert len(mixed.arms) == 5
    assert mixed.decide(1.0).arm in (0, 3, 4)


@pytest.mark.parametrize(
    ("build", "points", "error"),
    [
        (lambda arms: qd.policies.HOO(arms, seed=0), [[0.97]], ValueError),
        (lambda arms: qd.Mixed(qd.policies.HOO(arms, seed=0), seed=0), [[0.97]], ValueError),
        (lambda arms: qd.policies.BanditConvex(arms, seed=0), [[1.25]], NotImplementedError),
        (lambda arms: qd.policies.DiscountedLinUCB(arms, features=np.eye(5), seed=0), [[1.25]], NotImplementedError),
        (lambda arms: qd.policies.HOO(arms, seed=0), [[1.25]], None),
        (lambda arms: qd.QuickDraw(arms, seed=0), [[0.97]], None),
    ],
)
def test_arms_can_be_checked_before_they_are_added(build, points, error):
    asked, policy, plain = (build(qd.Arms.grid(0, 1, 5)) for _ in range(3))
    for each in (asked, policy, plain):
        each.update([0.0, 1.0, 2.0], [1, 3, 4], [0.5, 0.2, 0.9])
    grown, unchanged = asked.arms.extended(points, None), [asked]
    if error is None:
        asked._check_growth(grown)
        policy.add_arms(points)
        assert len(policy.arms) == 6
    else:
        with pytest.raises(error):
            asked._check_growth(grown)
        with pytest.raises(error):
            policy.add_arms(points)
        unchanged.append(policy)
    choices = [plain.select(3.0 + k) for k in range(5)]
    for each in unchanged:
        assert len(each.arms) == 5
        assert [each.select(3.0 + k) for k in range(5)] == choices


class AllOrNothing(Policy):
    """Its ``_select`` takes no subset."""

    def _select(self, time):
        return 0

    def _update(self, times, arms, rewards):
        pass


@pytest.mark.parametrize("ask", [{"among": [1]}, {"count": 2}])
def test_a_policy_that_takes_no_subsets_says_so(ask):
    policy = AllOrNothing(ARMS)
    with pytest.raises(NotImplementedError, match="AllOrNothing chooses among all arms only"):
        policy.select(0.0, **ask)
    with pytest.raises(NotImplementedError, match="among=None"):
        policy.retire([3])
    assert policy.select(0.0) == 0


def test_many_places_in_a_box_at_once_are_limited():
    with pytest.raises(ValueError, match="count must be an integer from 1 to 10000"):
        qd.QuickDraw(BOX, seed=0).select(0.0, count=2**70)


def test_a_pickled_policy_keeps_a_generator_that_two_share():
    shared = np.random.default_rng(0)
    policy = qd.Mixed(qd.policies.Random(ARMS, seed=shared), uniform=0.5, seed=shared)
    twin = pickle.loads(pickle.dumps(policy))
    assert [twin.select(k) for k in range(60)] == [policy.select(k) for k in range(60)]
    again = pickle.loads(pickle.dumps(policy))  # a second time, and the policy inside alone
    assert [again.select(k) for k in range(60)] == [policy.select(k) for k in range(60)]
    assert pickle.loads(pickle.dumps(policy.policy)).select(0) == policy.policy.select(0)
