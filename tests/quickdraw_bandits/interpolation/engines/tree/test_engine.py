"""The tree engine's choices against the direct sum over all observations."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.interpolation import Kernel, upper_bound
from quickdraw_bandits.interpolation.engines.tree import TreeEngine
from quickdraw_bandits.interpolation.engines.tree.boxes import STANDING
from quickdraw_bandits.interpolation.engines.tree.engine import FINER, MOST_FRESH
from quickdraw_bandits.interpolation.engines.tree.search import search
from quickdraw_bandits.observations import Observations

PLAIN = Kernel(1.0, 1.0, 1e-7, 1)


class Game:
    """An engine, the store that it reads, and the index summed directly."""

    def __init__(self, arms, kernel=PLAIN, tolerance=1e-3, seed=0, gamma=2.0, cap=np.inf):
        self.seen = Observations(arms)
        self.random = np.random.default_rng(seed)
        self.engine = TreeEngine(arms, kernel, tolerance, self.seen, self.random)
        self.gamma, self.cap = gamma, cap

    def learn(self, times, arms, rewards):
        self.seen.append(
            *(np.atleast_1d(one) for one in (times, arms)), np.atleast_1d(np.asarray(rewards, dtype=float))
        )
        self.engine.extend()

    def choose(self, now):
        return self.engine.choose(now, self.gamma, self.cap, self.random)

    def best(self, now):
        return self.engine.best(now, self.gamma, self.cap)

    def index(self, now, places=None):
        return upper_bound(*self.engine.estimate(now, places), self.gamma, self.cap)


problems = st.fixed_dictionaries(
    {
        "dimension": st.integers(1, 3),
        "n_arms": st.sampled_from([1, 2, 7, 200, 1000]),
        "repeated": st.booleans(),
        "n": st.sampled_from([1, 3, 40, 300]),
        "length_scale": st.sampled_from([1e-3, 0.1, 1.0, 50.0]),
        "time_scale": st.sampled_from([1e-3, 0.1, 1.0, 1e4, None]),
        "noise_variance": st.sampled_from([1e-12, 1e-7, 1e-2]),
        "sharpness": st.integers(1, 3),
        "offset": st.sampled_from([0.0, -3.0, 1e4]),
        "spread": st.sampled_from([0.0, 1e-3, 1.0, 100.0]),
        "gamma": st.sampled_from([0.0, 0.5, 2.0, 100.0]),
        "cap": st.sampled_from([np.inf, 1.0, -3.0]),
        "tolerance": st.sampled_from([1e-4, 1e-3, 0.1]),
        "finer": st.booleans(),
        "clock": st.sampled_from(["steady", "standing", "jumping", "late"]),
        "seed": st.integers(0, 2**32 - 1),
    }
)


@settings(max_examples=80)
@given(problems)
def test_the_choice_is_within_the_tolerance_round_after_round(problem):
    random = np.random.default_rng(problem["seed"])
    points = random.normal(size=(problem["n_arms"], problem["dimension"]))
    if problem["repeated"]:
        points[len(points) // 2 :] = points[0]
    kernel = Kernel(*(problem[name] for name in ("length_scale", "time_scale", "noise_variance", "sharpness")))
    tolerance, n = problem["tolerance"], problem["n"]
    game = Game(Arms(points), kernel, tolerance, gamma=problem["gamma"], cap=problem["cap"])
    if problem["finer"]:
        tolerance *= FINER
    else:
        game.engine._cheap = 0

    def learn(times, arms):
        game.learn(times, arms, problem["offset"] + problem["spread"] * random.normal(size=len(times)))

    # Observations cluster on a few arms, as those of a policy do.
    learn(random.permutation(np.arange(n) * 1e-3), random.integers(max(1, len(points) // 3), size=n))
    now = n * 1e-3
    for _ in range(8):
        if problem["clock"] == "jumping":
            now = random.random()
        elif problem["clock"] != "standing":
            now += 1e-3
        arm = game.choose(now)
        index = game.index(now)
        size = abs(index.max()) + game.seen.largest_reward - game.seen.least_reward
        assert index[arm] >= index.max() - max(tolerance, 2e-10 * size)
        learn(np.array([now - 0.05 * random.random() if problem["clock"] == "late" else now]), np.array([arm]))


@settings(max_examples=10)
@given(st.integers(1, 3), st.integers(1, 3), st.sampled_from([0.1, 1.0]), st.integers(0, 2**32 - 1))
def test_no_place_of_a_continuum_is_better_by_more_than_the_tolerance(dimension, sharpness, length_scale, seed):
    game = Game(Box([-1.0] * dimension, [2.0] * dimension), Kernel(length_scale, 0.3, 1e-5, sharpness), 1e-2, seed)
    random, n = game.random, 120
    places = random.uniform(-1, 2, (n, dimension))
    game.learn(np.arange(n) * 1e-2, places, np.sin(places.sum(axis=1)))
    for now in (1.2, 1.21, 1.22):
        place = game.choose(now)
        assert place.shape == (dimension,)
        assert ((place >= -1) & (place <= 2)).all()
        around = np.clip(place + 1e-3 * random.normal(size=(500, dimension)), -1, 2)
        index = game.index(now, np.concatenate([place[None], random.uniform(-1, 2, (20_000, dimension)), around]))
        assert index[0] >= index.max() - 1e-2
        game.learn(now, place[None], random.random())


@pytest.mark.parametrize("sharpness", [1, 2, 3])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_bounds_hold_at_every_standing_box(sharpness, dimension):
    """The proof itself: at random places of every box the index is between its bounds."""
    game = Game(Box([0.0] * dimension, [1.0] * dimension), Kernel(0.7, 0.5, 1e-6, sharpness), 3e-2)
    random, engine, n = game.random, game.engine, 300
    game.learn(np.arange(n) * 1e-3, random.random((n, dimension)), random.random(n))
    for i in range(3):
        now = (n + i) * 1e-3
        place = game.choose(now)
        boxes = engine._work.boxes[: engine._slots]
        boxes = boxes[(boxes["state"] == STANDING) & (boxes["low"] > -np.inf)]
        assert len(boxes) > 3
        low, high = boxes["lower"][:, :dimension], boxes["upper"][:, :dimension]
        for _ in range(10):
            inside = low + random.random(low.shape) * (high - low)
            index = game.index(now, inside / engine._tree.weight + engine._tree.origin)
            assert (index <= boxes["high"] + 1e-9).all()
            assert (index >= boxes["low"] - 1e-9).all()
        game.learn(now, place[None], random.random())


@pytest.mark.parametrize("rewards", [[-1e308, 1e308], [1e300, 1e300], [0.0, 1e-320], [0.1, 1e20]])
@pytest.mark.parametrize("cap", [np.inf, 1.0])
def test_rewards_of_any_size(rewards, cap):
    game = Game(Arms.grid(-1, 1, 100), cap=cap)
    game.learn(0.0, 3, 0.5)
    game.learn(np.arange(40) * 1e-3, np.arange(40), np.resize(rewards, 40))
    index = game.index(0.05)
    size = np.ptp(rewards) if max(rewards) < 1e308 else 1e308
    assert index[game.choose(0.05)] >= index.max() - max(1e-3, 1e-9 * size)


@pytest.mark.parametrize("length_scale", [1e-50, 1e50])
@pytest.mark.parametrize("time_scale", [1e-50, 1e50])
@pytest.mark.parametrize("sharpness", [1, 3])
@pytest.mark.parametrize(("gamma", "cap"), [(2.0, np.inf), (2.0, 1.0), (0.0, np.inf)])
def test_extreme_scales(length_scale, time_scale, sharpness, gamma, cap):
    """Deviations may be infinite then; without exploration they do not count, rather than make the index NaN."""
    kernel = Kernel(length_scale, time_scale, 1e-12, sharpness)
    game = Game(Arms.grid(0, 1, 9), kernel, gamma=gamma, cap=cap)
    game.learn([0.0, 1.0, 2.0], [0, 4, 8], [0.2, 0.5, 0.9])
    arm, best, index = game.choose(3.0), game.best(3.0), game.index(3.0)
    for one in (arm, best):
        assert (index[one] >= index.max() - max(1e-3, 1e-9 * abs(index.max()))).all()
    in_box = Game(Box(0.0, 1.0), kernel, gamma=gamma, cap=cap)
    in_box.learn([0.0, 1.0, 2.0], np.array([[0.0], [0.5], [1.0]]), [0.2, 0.5, 0.9])
    assert 0 <= in_box.choose(3.0)[0] <= 1


def test_boxes_last_and_save_work():
    """On a steady clock a choice costs a fraction of what it costs without the boxes of the rounds before."""
    game = Game(Box([-1.0, -1.0], [1.0, 1.0]), tolerance=3e-3, cap=1.0)
    game.learn(0.0, np.zeros((1, 2)), 0.0)
    lasting, anew = [], []
    for i in range(400):
        now = i * 1e-3
        if i >= 390:
            other = copy.deepcopy(game)
            other.engine._forget_boxes()
            other.choose(now)
            anew.append(int(other.engine._work.counters[0]["groups"]))
        place = game.choose(now)
        lasting.append(int(game.engine._work.counters[0]["groups"]))
        game.learn(now, place[None], 0.5 + 0.3 * np.sin(5 * place.sum() + now))
    assert np.mean(lasting[-10:]) < np.mean(anew) / 3


@pytest.mark.parametrize("arms", [Arms.grid(0, 1, 30), Box(0.0, 1.0)])
def test_copies_and_continua_need_no_other_compiled_code(arms):
    game = Game(Arms.grid(0, 1, 30))
    game.learn(0.0, 3, 0.5)
    game.choose(0.1)
    compiled = len(search.signatures)
    game = Game(arms)
    game.learn(0.0, 3 if isinstance(arms, Arms) else np.zeros((1, 1)), 0.5)
    for other in (game, copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        other.choose(0.1)
    assert len(search.signatures) == compiled


def test_boxes_that_missed_an_observation_do_not_stand_again():
    """Choices for an earlier moment and for later ones by turns: at the cap, not all boxes are refined."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        game = Game(Arms(random.random((100, 1))), Kernel(0.3, 1.0, 1e-6, 1), seed=seed, cap=1.0)
        game.engine._cheap = 0
        arm, now = 0, 0.0
        for number in range(40):
            game.learn(now, arm, 0.3 * random.random())
            now = number * 1e-3 if number % 2 else -1.0
            arm = game.choose(now)
            index = game.index(now)
            assert index[arm] >= index.max() - 1e-3


@pytest.mark.parametrize("sharpness", [1, 2, 3])
@pytest.mark.parametrize("later", [1.0, 5.0, 50.0])
def test_equal_rewards(sharpness, later):
    """The mean is known exactly then, and the deviation alone decides."""
    game = Game(Arms.grid(0, 1, 10), Kernel(1.0, 1.0, 1e-7, sharpness))
    game.learn(np.arange(300) * 1e-3, game.random.integers(10, size=300), np.zeros(300))
    index = game.index(later)
    assert index[game.choose(later)] >= index.max() - 1e-3


def test_precisions_that_vanish_at_some_arms_only():
    kernel = Kernel(1 / (0.05 * 2.1544e33 * 1e-6), 1e-3, 1e-12, 3)
    game = Game(Arms.grid(-1, 1, 9, scale=False), kernel)
    game.learn(0.0, 4, 0.5)
    for part in (0.999, 0.9995, 0.9999, 0.99995):
        assert game.choose(2.1544e33 * part * 1e-9) in (0, 8)


@pytest.mark.parametrize("first", [-1e9, 1e12])
def test_a_first_observation_long_ago_does_not_blur_the_clock(first):
    game = Game(Arms.grid(0, 1, 300), Kernel(1.0, 1e-3, 1e-7, 1), 1e-4)
    game.learn(first, 3, 0.4)
    for number in range(100):
        now = number * 1e-6
        arm, index = game.choose(now), game.index(now)
        assert index[arm] >= index.max() - 1e-6
        game.learn(now, arm, 0.5 + 0.4 * np.sin(arm / 30))


@pytest.mark.parametrize(("seed", "sharpness"), [(13, 2), (13, 3), (15, 2)])
def test_where_rounding_exceeds_the_tolerance_no_lower_box_is_taken(seed, sharpness):
    """The tolerance is then 1e-10 of the index; boxes so narrow must not end the search below a better one."""
    offset = 1e7
    random = np.random.default_rng(seed)
    arms = Arms(random.random((300, 1)))
    game = Game(arms, Kernel(1.0, 1.0, 1e-2, sharpness), 1e-6, seed)
    game.engine._cheap = 0
    slope = 5 * random.normal()

    def learn(times, seen):
        game.learn(times, seen, offset + 0.5 + 0.4 * np.sin(arms.points[seen, 0] * slope + 5 * times))

    learn(np.arange(20) * 1e-3, random.integers(300, size=20))
    for number in range(20, 45):
        arm, index = game.choose(number * 1e-3), game.index(number * 1e-3)
        assert index[arm] >= index.max() - 1.01e-10 * offset
        learn(np.array([number * 1e-3]), np.array([arm]))


def test_many_updates_between_two_choices_are_not_kept_twice():
    game = Game(Arms.grid(0, 1, 30), Kernel(1.0, 1.0, 1e-4, 1))
    for number in range(200):
        game.learn(number * 1e-3, number % 30, 0.5)
        assert len(game.engine._fresh) <= MOST_FRESH


def test_a_box_has_no_list_of_its_best_arms():
    game = Game(Box(0.0, 1.0))
    game.learn(0.0, np.zeros((1, 1)), 0.5)
    with pytest.raises(NotImplementedError, match="infinitely many arms"):
        game.best(0.1)


def at_the_cap(seed):
    """Return a game in which some arms on both sides are at the cap, and a time."""
    game = Game(Arms.grid(-1, 1, 60), Kernel(1.0, 1.0, 1e-4, 1), seed=seed, cap=1.0)
    game.learn(0.0, 30, 0.2)
    return game, 0.1


def near_the_cap(seed):
    """Return a game of a tolerance so wide that boxes are taken as at the cap of which not all arms are."""
    random = np.random.default_rng(3)
    game = Game(Arms(random.random((100, 2))), Kernel(1.0, 1.0, 1e-4, 1), tolerance=8.0, seed=seed, cap=0.8)
    game.learn(np.arange(300) * 1e-3, random.integers(100, size=300), 0.6 + 0.2 * random.random(300))
    return game, 1.0


def shared_places(seed):
    """Return a game in which the best place is shared by 23 arms, of more than one leaf, below the cap."""
    places = np.random.default_rng(5).random(100)
    places[40:63] = 1.0
    game = Game(Arms(places[:, None]), Kernel(1.0, 1.0, 1e-4, 1), seed=seed, gamma=0.2)
    game.learn([0.0, 0.0], [3, 50], [0.1, 0.9])
    return game, 0.1


def one_best(seed):
    """Return a game of one best arm."""
    game = Game(Arms.grid(-1, 1, 60), Kernel(1.0, 1.0, 1e-4, 1), seed=seed)
    game.learn([0.0, 0.0], [20, 43], [0.2, 0.3])
    return game, 0.1


def nothing_told_apart(seed):
    """Return a game in which only means count, and all are the same."""
    game = Game(Arms.grid(-1, 1, 60), seed=seed, gamma=0.0)
    game.learn([0.0, 0.0], [20, 43], [0.3, 0.3])
    return game, 0.1


@pytest.mark.parametrize(
    ("build", "fewest"),
    [
        (at_the_cap, 15),
        (near_the_cap, 60),
        (shared_places, 23),
        (one_best, 1),
        (nothing_told_apart, 60),
    ],
)
def test_the_best_arms_are_those_that_are_chosen_and_as_likely(build, fewest):
    best = build(0)[0].best(build(0)[1])
    assert len(best) >= fewest
    k = len(best)
    chosen = np.zeros(100)
    for seed in range(20 * k):
        game, now = build(seed)
        chosen[game.choose(now)] += 1
    assert chosen[best].sum() == 20 * k
    # Chi-square has the mean k - 1 and the standard deviation sqrt(2 (k - 1)); four of them and some skew allowed.
    assert ((chosen[best] - 20) ** 2).sum() / 20 <= k - 1 + 4 * np.sqrt(2 * (k - 1)) + 8


@pytest.mark.parametrize("build", [at_the_cap, shared_places, one_best])
def test_asking_for_the_best_changes_nothing(build):
    (asked, now), (other, _) = build(1), build(1)
    for number in range(30):
        now += 0.01
        for _ in range(number % 3):
            asked.best(now)
        arms = asked.choose(now), other.choose(now)
        assert arms[0] == arms[1]
        for game in (asked, other):
            game.learn(now, arms[0], 0.5 + 0.3 * np.sin(arms[0]))
