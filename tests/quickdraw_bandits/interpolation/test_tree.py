"""The tree engine against the exact one."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.interpolation import Kernel
from quickdraw_bandits.interpolation import compiled_boxes as tables
from quickdraw_bandits.interpolation.exact import ExactEngine
from quickdraw_bandits.interpolation.running_sums import RunningSums
from quickdraw_bandits.interpolation.tree import FINER, MOST_FRESH, TreeEngine

problems = st.fixed_dictionaries(
    {
        "dimension": st.integers(1, 3),
        "n_arms": st.sampled_from([1, 2, 7, 200, 1000]),
        "repeated": st.booleans(),
        "n": st.sampled_from([1, 3, 40, 300]),
        "length_scale": st.sampled_from([1e-3, 0.1, 1.0, 50.0]),
        "time_scale": st.sampled_from([1e-3, 0.1, 1.0, 1e4]),
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


@settings(max_examples=80, deadline=None)
@given(problems)
def test_the_choice_is_within_the_tolerance_round_after_round(problem):
    random = np.random.default_rng(problem["seed"])
    points = random.normal(size=(problem["n_arms"], problem["dimension"]))
    if problem["repeated"]:
        points[len(points) // 2 :] = points[0]
    arms = Arms(points)
    kernel = Kernel(problem["length_scale"], problem["time_scale"], problem["noise_variance"], problem["sharpness"])
    gamma, cap, n = problem["gamma"], problem["cap"], problem["n"]
    tree, exact = TreeEngine(arms, kernel, problem["tolerance"], np.random.default_rng(0)), ExactEngine(arms, kernel)
    tolerance = problem["tolerance"]
    if problem["finer"]:
        tolerance *= FINER
    else:
        tree._cheap = 0

    def learn(times, seen):
        rewards = problem["offset"] + problem["spread"] * random.normal(size=len(times))
        tree.add(times, seen, rewards)
        exact.add(times, seen, rewards)

    # Observations cluster on a few arms, as those of a policy do.
    learn(random.permutation(np.arange(n) * 1e-3), random.integers(max(1, len(arms) // 3), size=n))
    now = n * 1e-3
    for _ in range(8):
        if problem["clock"] == "jumping":
            now = random.random()
        elif problem["clock"] != "standing":
            now += 1e-3
        (arm,), (low,) = tree.best(now, gamma, cap)
        mean, std = exact.estimate(now)
        index = np.minimum(mean + gamma * std, cap)
        seen = exact.history
        size = abs(index.max()) + seen.largest_reward - seen.least_reward
        assert index[arm] >= index.max() - max(tolerance, 2e-10 * size)
        assert low <= index[arm] + 1e-9 * (size + abs(problem["offset"]))
        learn(np.array([now - 0.05 * random.random() if problem["clock"] == "late" else now]), np.array([arm]))


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), st.sampled_from([0.1, 1.0]), st.integers(0, 2**32 - 1))
def test_no_point_of_a_continuum_is_better_by_more_than_the_tolerance(dimension, sharpness, length_scale, seed):
    random = np.random.default_rng(seed)
    box = Box([-1.0] * dimension, [2.0] * dimension)
    engine = TreeEngine(box, Kernel(length_scale, 0.3, 1e-5, sharpness), 1e-2, random)
    n = 120
    places = random.uniform(-1, 2, (n, dimension))
    rewards = np.sin(places.sum(axis=1))
    engine.add(np.arange(n) * 1e-2, places, rewards)
    for now in (1.2, 1.21, 1.22):
        place, low = engine.best(now, 2.0, np.inf)
        assert place.shape == (1, dimension)
        assert (place >= -1).all()
        assert (place <= 2).all()
        others = np.concatenate(
            [random.uniform(-1, 2, (20_000, dimension)), place + 1e-3 * random.normal(size=(500, 1))]
        )
        mean, std = engine.estimate(now, np.concatenate([place, np.clip(others, -1, 2)]))
        index = mean + 2.0 * std
        assert index[0] >= index.max() - 1e-2
        assert low[0] <= index[0] + 1e-9
        engine.add(np.array([now]), place, np.array([random.random()]))


@pytest.mark.parametrize("sharpness", [1, 2, 3])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_bounds_hold_at_every_standing_box(sharpness, dimension):
    """The proof itself: at the centre and at random points of every box the index is between its bounds."""
    random = np.random.default_rng(0)
    box = Box([0.0] * dimension, [1.0] * dimension)
    engine = TreeEngine(box, Kernel(0.7, 0.5, 1e-6, sharpness), 3e-2, random)
    n = 300
    engine.add(np.arange(n) * 1e-3, random.random((n, dimension)), random.random(n))
    for i in range(6):
        now = (n + i) * 1e-3
        place, _ = engine.best(now, 2.0, np.inf)
        standing = np.flatnonzero(engine._links[: engine._counters[tables.SLOTS], tables.STATE] == tables.STANDING)
        known = standing[engine._boxes[standing, tables.LOW] > -np.inf]
        assert len(known) > 3
        low, high = engine._corners[known, :dimension], engine._corners[known, dimension + 1 : 2 * dimension + 1]
        for _ in range(10):
            inside = low + random.random(low.shape) * (high - low)
            mean, std = engine.estimate(now, inside / engine._tree.weight + engine._tree.origin)
            index = mean + 2.0 * std
            assert (index <= engine._boxes[known, tables.HIGH] + 1e-9).all()
            assert (index >= engine._boxes[known, tables.LOW] - 1e-9).all()
        engine.add(np.array([now]), place, np.array([random.random()]))


def test_without_drift_it_agrees_with_running_sums():
    random = np.random.default_rng(3)
    arms = Arms(random.random((500, 2)))
    kernel = Kernel(0.5, None, 1e-4, 1)
    tree, sums = TreeEngine(arms, kernel, 1e-3, random), RunningSums(arms, kernel)
    for now in range(60):
        observation = np.array([float(now)]), random.integers(500, size=1), random.random(1)
        tree.add(*observation)
        sums.add(*observation)
        arm, _ = tree.best(float(now), 2.0, np.inf)
        index = sums.best(float(now), 2.0, np.inf)[1]
        assert index[arm[0]] >= index.max() - 1e-3
    np.testing.assert_allclose(tree.estimate(60.0), sums.estimate(60.0), rtol=1e-10)


def test_arms_at_the_cap_are_as_likely():
    random = np.random.default_rng(0)
    engine = TreeEngine(Arms.grid(-1, 1, 90), Kernel(1.0, 1.0, 1e-7, 1), 1e-3, random)
    engine.add(np.array([0.0]), np.array([45]), np.array([0.5]))
    chosen = [int(engine.best(0.5, 100.0, 1.0)[0][0]) // 10 for _ in range(4500)]
    # All arms reach the cap: 4500 draws at 1/9, standard deviation 21; five of them allowed.
    assert np.abs(np.bincount(chosen, minlength=9) - 500).max() < 106


@pytest.mark.parametrize("rewards", [[-1e308, 1e308], [1e300, 1e300], [0.0, 1e-320], [0.1, 1e20]])
@pytest.mark.parametrize("cap", [np.inf, 1.0])
def test_rewards_of_any_size(rewards, cap):
    random = np.random.default_rng(0)
    arms, kernel = Arms.grid(-1, 1, 100), Kernel(1.0, 1.0, 1e-7, 1)
    tree, exact = TreeEngine(arms, kernel, 1e-3, random), ExactEngine(arms, kernel)
    for engine in (tree, exact):
        engine.add(np.zeros(1), np.array([3]), np.array([0.5]))
        engine.add(np.arange(40) * 1e-3, np.arange(40), np.resize(rewards, 40))
    (arm,), _ = tree.best(0.05, 2.0, cap)
    mean, std = exact.estimate(0.05)
    index = np.minimum(mean + 2.0 * std, cap)
    assert index[arm] >= index.max() - max(1e-3, 1e-9 * (np.ptp(rewards) if max(rewards) < 1e308 else 1e308))


@pytest.mark.parametrize("length_scale", [1e-50, 1e50])
@pytest.mark.parametrize("time_scale", [1e-50, 1e50])
@pytest.mark.parametrize("sharpness", [1, 3])
@pytest.mark.parametrize("cap", [np.inf, 1.0])
def test_extreme_scales(length_scale, time_scale, sharpness, cap):
    kernel = Kernel(length_scale, time_scale, 1e-12, sharpness)
    arms = Arms.grid(0, 1, 9)
    tree, exact = TreeEngine(arms, kernel, 1e-3, np.random.default_rng(0)), ExactEngine(arms, kernel)
    for engine in (tree, exact):
        engine.add(np.array([0.0, 1.0, 2.0]), np.array([0, 4, 8]), np.array([0.2, 0.5, 0.9]))
    found, value = tree.best(3.0, 2.0, cap)
    mean, std = exact.estimate(3.0)
    index = np.minimum(mean + 2.0 * std, cap)
    assert index[found[value.argmax()]] >= index.max() - max(1e-3, 1e-9 * abs(index.max()))
    box = TreeEngine(Box(0.0, 1.0), kernel, 1e-3, np.random.default_rng(0))
    box.add(np.array([0.0, 1.0, 2.0]), np.array([[0.0], [0.5], [1.0]]), np.array([0.2, 0.5, 0.9]))
    places, _ = box.best(3.0, 2.0, cap)
    assert ((places >= 0) & (places <= 1)).all()


def test_boxes_last_and_save_work():
    """On a steady clock a choice costs a fraction of what it costs without the boxes of the rounds before."""
    random = np.random.default_rng(0)
    engine = TreeEngine(Box([-1.0, -1.0], [1.0, 1.0]), Kernel(1.0, 1.0, 1e-7, 1), 3e-3, random)
    engine.add(np.zeros(1), np.zeros((1, 2)), np.zeros(1))
    lasting, anew = [], []
    for i in range(400):
        now = i * 1e-3
        if i >= 390:
            other = copy.deepcopy(engine)
            other._forget_boxes()
            other.best(now, 2.0, 1.0)
            anew.append(int(other._counters[tables.GROUPS]))
        place, _ = engine.best(now, 2.0, 1.0)
        lasting.append(int(engine._counters[tables.GROUPS]))
        engine.add(np.array([now]), place, np.array([0.5 + 0.3 * np.sin(5 * place.sum() + now)]))
    assert np.mean(lasting[-10:]) < np.mean(anew) / 3


def test_boxes_that_missed_an_observation_do_not_stand_again():
    """Choices for an earlier moment and for later ones by turns: at the cap, not all boxes are looked at."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        arms, kernel = Arms(random.random((100, 1))), Kernel(0.3, 1.0, 1e-6, 1)
        tree, exact = TreeEngine(arms, kernel, 1e-3, random), ExactEngine(arms, kernel)
        tree._cheap = 0
        arm, now = 0, 0.0
        for number in range(40):
            reward = 0.3 * random.random(1)
            for engine in (tree, exact):
                engine.add(np.array([now]), np.array([arm]), reward)
            now = number * 1e-3 if number % 2 else -1.0
            (arm,), _ = tree.best(now, 2.0, 1.0)
            mean, std = exact.estimate(now)
            index = np.minimum(mean + 2.0 * std, 1.0)
            assert index[arm] >= index.max() - 1e-3


@pytest.mark.parametrize("sharpness", [1, 2, 3])
@pytest.mark.parametrize("later", [1.0, 5.0, 50.0])
def test_equal_rewards(sharpness, later):
    """The mean is known exactly then, and the deviation alone decides."""
    random = np.random.default_rng(0)
    arms, kernel = Arms.grid(0, 1, 10), Kernel(1.0, 1.0, 1e-7, sharpness)
    tree, exact = TreeEngine(arms, kernel, 1e-3, random), ExactEngine(arms, kernel)
    seen = random.integers(10, size=300)
    for engine in (tree, exact):
        engine.add(np.arange(300) * 1e-3, seen, np.zeros(300))
    (arm,), _ = tree.best(later, 2.0, np.inf)
    _, std = exact.estimate(later)
    assert std[arm] >= std.max() - 1e-3 / 2


def test_precisions_that_vanish_at_some_arms_only():
    kernel = Kernel(1 / (0.05 * 2.1544e33 * 1e-6), 1e-3, 1e-12, 3)
    engine = TreeEngine(Arms.grid(-1, 1, 9, scale=False), kernel, 1e-3, np.random.default_rng(0))
    engine.add(np.zeros(1), np.array([4]), np.array([0.5]))
    for part in (0.999, 0.9995, 0.9999, 0.99995):
        arms, index = engine.best(2.1544e33 * part * 1e-9, 2.0, np.inf)
        assert arms[index.argmax()] in (0, 8)


@pytest.mark.parametrize("first", [-1e9, 1e12])
def test_a_first_observation_long_ago_does_not_blur_the_clock(first):
    arms, kernel = Arms.grid(0, 1, 300), Kernel(1.0, 1e-3, 1e-7, 1)
    tree, exact = TreeEngine(arms, kernel, 1e-4, np.random.default_rng(0)), ExactEngine(arms, kernel)
    for engine in (tree, exact):
        engine.add(np.array([first]), np.array([3]), np.array([0.4]))
    for number in range(100):
        now = number * 1e-6
        (arm,), _ = tree.best(now, 2.0, np.inf)
        mean, std = exact.estimate(now)
        index = mean + 2.0 * std
        assert index[arm] >= index.max() - 1e-6
        for engine in (tree, exact):
            engine.add(np.array([now]), np.array([arm]), np.array([0.5 + 0.4 * np.sin(arm / 30)]))
    assert tree.n_observations == 101


@pytest.mark.parametrize(("seed", "sharpness"), [(13, 2), (13, 3), (15, 2)])
def test_where_rounding_exceeds_the_tolerance_no_lower_box_is_taken(seed, sharpness):
    """The tolerance is then 1e-10 of the index; boxes so narrow must not end the search below a better one."""
    offset = 1e7
    random = np.random.default_rng(seed)
    arms, kernel = Arms(random.random((300, 1))), Kernel(1.0, 1.0, 1e-2, sharpness)
    tree, exact = TreeEngine(arms, kernel, 1e-6, random), ExactEngine(arms, kernel)
    tree._cheap = 0
    slope = 5 * random.normal()

    def learn(times, seen):
        rewards = offset + 0.5 + 0.4 * np.sin(arms.points[seen, 0] * slope + 5 * times)
        for engine in (tree, exact):
            engine.add(times, seen, rewards)

    learn(np.arange(20) * 1e-3, random.integers(300, size=20))
    for number in range(20, 45):
        (arm,), _ = tree.best(number * 1e-3, 2.0, np.inf)
        mean, std = exact.estimate(number * 1e-3)
        index = mean + 2.0 * std
        assert index[arm] >= index.max() - 1.01e-10 * offset
        learn(np.array([number * 1e-3]), np.array([arm]))


def test_many_updates_between_two_choices_are_not_kept_twice():
    engine = TreeEngine(Arms.grid(0, 1, 30), Kernel(1.0, 1.0, 1e-4, 1), 1e-3, np.random.default_rng(0))
    for number in range(200):
        engine.add(np.array([number * 1e-3]), np.array([number % 30]), np.array([0.5]))
        assert len(engine._fresh) <= MOST_FRESH
