"""The compiled estimate against the plain one, for every metric, sharpness and shape of the problem."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation import Kernel, plain_estimate, threads
from quickdraw_bandits.interpolation.exact import ExactEngine
from quickdraw_bandits.interpolation.history import History
from quickdraw_bandits.interpolation.screen import Screen

METRICS = ["euclidean", "cosine", "haversine", "precomputed"]


def make_arms(metric, n_arms, dimension, random, dtype=np.float64, repeated=False):
    if metric == "haversine":
        points = np.column_stack([random.uniform(-1.5, 1.5, n_arms), random.uniform(-3, 3, n_arms)])
    else:
        points = random.normal(size=(n_arms, dimension))
    if repeated:
        points[n_arms // 2 :] = points[0]
    if metric == "precomputed":
        points = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    return Arms(points.astype(dtype), metric=metric)


def plain(arms, kernel, times, seen, rewards, time):
    distances = np.array([arms.distances(int(arm)) for arm in seen])
    return plain_estimate(kernel, distances, time - times, rewards)


problems = st.fixed_dictionaries(
    {
        "metric": st.sampled_from(METRICS),
        "n_arms": st.sampled_from([1, 2, 7, 65, 200]),
        "dimension": st.integers(1, 4),
        "n": st.sampled_from([1, 3, 40, 511, 512, 513, 1100]),
        "length_scale": st.sampled_from([1e-3, 0.1, 1.0, 50.0]),
        "time_scale": st.sampled_from([1e-3, 0.1, 1.0, 1e4]),
        "noise_variance": st.sampled_from([1e-12, 1e-7, 1e-2, 10.0]),
        "sharpness": st.integers(1, 3),
        "repeated": st.booleans(),
        "dtype": st.sampled_from([np.float32, np.float64]),
        "offset": st.sampled_from([0.0, -3.0, 1e4]),
        "seed": st.integers(0, 2**32 - 1),
    }
)


def build(problem):
    random = np.random.default_rng(problem["seed"])
    arms = make_arms(
        problem["metric"], problem["n_arms"], problem["dimension"], random, problem["dtype"], problem["repeated"]
    )
    kernel = Kernel(problem["length_scale"], problem["time_scale"], problem["noise_variance"], problem["sharpness"])
    n = problem["n"]
    times = random.permutation(np.arange(n) * 1e-3)
    # Observations cluster on a few arms, as those of a policy do.
    seen = random.integers(max(1, len(arms) // 3), size=n)
    rewards = problem["offset"] + random.normal(size=n)
    engine = ExactEngine(arms, kernel)
    engine.add(times, seen, rewards)
    return random, arms, kernel, times, seen, rewards, engine


@settings(max_examples=120, deadline=None)
@given(problems)
def test_estimate_agrees_with_the_plain_sum(problem):
    random, arms, kernel, times, seen, rewards, engine = build(problem)
    time = 1.0 + random.random()
    mean, std = engine.estimate(time)
    expected_mean, expected_std = plain(arms, kernel, times, seen, rewards, time)
    # 1 - cos and the distances of near points lose digits that the plain version loses in another way.
    tolerance = 1e-9 if problem["metric"] in ("euclidean", "precomputed") else 1e-6
    scale = np.abs(rewards).max()
    np.testing.assert_allclose(std, expected_std, rtol=tolerance)
    np.testing.assert_allclose(mean, expected_mean, rtol=tolerance, atol=tolerance * scale)
    some = random.integers(len(arms), size=5)
    np.testing.assert_allclose(engine.estimate(time, some)[1], std[some], rtol=1e-13)
    np.testing.assert_allclose(engine.estimate(time, some)[0], mean[some], rtol=1e-12, atol=1e-12 * scale)


@settings(max_examples=120, deadline=None)
@given(problems, st.sampled_from([0.0, 0.5, 2.0, 100.0]), st.sampled_from([np.inf, 1.0, -2.0]))
def test_screening_loses_no_best_arm(problem, gamma, cap):
    problem = problem | {"metric": "euclidean"}
    random, _, _, _, _, _, engine = build(problem)
    time = 1.0 + random.random()
    mean, std = engine.estimate(time)
    index = np.minimum(mean + gamma * std, cap)
    found, found_index = engine.best(time, gamma, cap)
    size = np.abs(index).max()
    np.testing.assert_allclose(found_index, index[found], rtol=1e-12, atol=1e-12 * size)
    assert (index[found] >= index.max() - 3e-12 * size).all()
    assert set(np.flatnonzero(index >= index.max() - 1e-13 * abs(index.max()))) <= set(found.tolist())


def test_screening_rules_out_nearly_all_arms():
    random = np.random.default_rng(0)
    arms = Arms.grid(-1, 1, 1000)
    screen = Screen.build(arms, Kernel(1.0, 1.0, 1e-7, 1))
    history = History(1)
    seen = random.integers(1000, size=500)
    history.add(np.arange(500) * 1e-3, seen, random.random(500), arms.points[seen])
    screen.add(seen, 500, len(history.times))
    for time in (0.5, 0.501, 0.51):
        threshold, _ = screen.bound(history, time, 2.0, 1.0)
        assert (screen.high >= threshold).sum() < 50


@pytest.mark.parametrize("sharpness", [1, 2, 3])
def test_one_observation_gives_the_same_deviation_for_every_sharpness(sharpness):
    arms = Arms.grid(0, 1, 11)
    engine = ExactEngine(arms, Kernel(0.5, 2.0, 1e-2, sharpness))
    engine.add(np.array([1.0]), np.array([3]), np.array([0.7]))
    _, std = engine.estimate(2.0)
    distance = np.abs(np.arange(11) - 3) / 10
    np.testing.assert_allclose(std, np.sqrt(1e-2 + (distance / 0.5) ** 2 + 0.5**2), rtol=1e-12)


@pytest.mark.parametrize("length_scale", [1e-50, 1e-30, 1e30, 1e50])
@pytest.mark.parametrize("time_scale", [1e-50, 1e-30, 1e30, 1e50])
@pytest.mark.parametrize("sharpness", [1, 3])
def test_extreme_scales_stay_finite_and_convex(length_scale, time_scale, sharpness):
    """Powers that overflow or vanish are found by the two-pass form: the mean stays among the rewards."""
    arms = Arms.grid(0, 1, 9)
    engine = ExactEngine(arms, Kernel(length_scale, time_scale, 1e-12, sharpness))
    engine.add(np.array([0.0, 1.0, 2.0]), np.array([0, 4, 8]), np.array([0.2, 0.5, 0.9]))
    mean, std = engine.estimate(3.0)
    assert ((mean >= 0.2 - 1e-12) & (mean <= 0.9 + 1e-12)).all()
    assert (std > 0).all()
    found, index = engine.best(3.0, 2.0, 1.0)
    assert index.max() <= 1.0
    assert len(found) >= 1


def test_two_pass_form_agrees_with_logarithms():
    """nu = 1e-300 and below, far beneath the smallest float64: compared with sums of logarithms."""
    arms = Arms.grid(0, 1, 5)
    kernel = Kernel(1e-50, 1e-49, 1e-12, 3)
    engine = ExactEngine(arms, kernel)
    times, seen, rewards = np.array([0.0, 0.5, 0.9]), np.array([0, 2, 4]), np.array([0.1, 0.4, 0.8])
    engine.add(times, seen, rewards)
    mean, std = engine.estimate(1.0)
    distances = np.abs(arms.points[seen, 0][:, None] - arms.points[:, 0][None])
    r2 = kernel.noise_variance + (distances / 1e-50) ** 2 + (((1.0 - times) / 1e-49) ** 2)[:, None]
    log_nu = -3 * np.log(r2)
    log_total = np.logaddexp.reduce(log_nu, axis=0)
    np.testing.assert_allclose(std, np.exp(-log_total / 6), rtol=1e-9)
    np.testing.assert_allclose(mean, rewards @ np.exp(log_nu - log_total), rtol=1e-9)


def test_huge_rewards_do_not_overflow():
    engine = ExactEngine(Arms.grid(0, 1, 3), Kernel(1.0, 1.0, 1e-7, 1))
    engine.add(np.zeros(2), np.array([0, 0]), np.array([1e300, 1e300]))
    np.testing.assert_allclose(engine.estimate(0.0)[0], 1e300, rtol=1e-12)


def test_threads_do_not_change_the_result(monkeypatch):
    random = np.random.default_rng(1)
    arms = Arms(random.random((777, 2)))
    engine = ExactEngine(arms, Kernel(0.3, 0.2, 1e-4, 2))
    engine.add(random.random(900), random.integers(777, size=900), random.random(900))
    monkeypatch.setattr(threads, "WORTHWHILE", 0)
    parallel = engine.estimate(1.0), engine.best(1.0, 2.0, 1.0)
    monkeypatch.setattr(threads, "WORTHWHILE", 10**12)
    serial = engine.estimate(1.0), engine.best(1.0, 2.0, 1.0)
    np.testing.assert_allclose(parallel[0], serial[0], rtol=1e-13)
    np.testing.assert_array_equal(parallel[1][0], serial[1][0])
    np.testing.assert_allclose(parallel[1][1], serial[1][1], rtol=1e-13)


def test_history_grows_one_by_one_as_in_one_go():
    random = np.random.default_rng(2)
    arms = Arms(random.random((50, 3)))
    kernel = Kernel(1.0, 1.0, 1e-7, 1)
    times, seen, rewards = random.random(1300), random.integers(50, size=1300), random.random(1300)
    at_once, singly = ExactEngine(arms, kernel), ExactEngine(arms, kernel)
    at_once.add(times, seen, rewards)
    for s in range(1300):
        singly.add(times[s : s + 1], seen[s : s + 1], rewards[s : s + 1])
    assert singly.n_observations == 1300
    np.testing.assert_allclose(at_once.estimate(2.0), singly.estimate(2.0), rtol=1e-13)
    np.testing.assert_array_equal(at_once.best(2.0, 2.0, 1.0)[0], singly.best(2.0, 2.0, 1.0)[0])
