"""Direct summation and exact choices against the reference, for every metric, sharpness and shape of the problem."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation import Kernel, plain_estimate, upper_bound
from quickdraw_bandits.interpolation.index import largest_index
from quickdraw_bandits.numerics import threads
from quickdraw_bandits.numerics.ties import argmaxes

problems = st.fixed_dictionaries(
    {
        "metric": st.sampled_from(["euclidean", "cosine", "haversine", "precomputed"]),
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


@pytest.fixture(scope="session")
def built(learner, make_arms):
    """Return a function that builds an engine which has learned the history of a problem."""

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
        engine = learner(arms, kernel)
        engine.learn(times, seen, rewards)
        return random, arms, kernel, times, seen, rewards, engine

    return build


@settings(max_examples=80)
@given(problem=problems)
def test_estimate_agrees_with_the_reference(built, problem):
    random, arms, kernel, times, seen, rewards, engine = built(problem)
    time = 1.0 + random.random()
    mean, std = engine.estimate(time)
    distances = np.array([arms.distances(int(arm)) for arm in seen])
    expected_mean, expected_std = plain_estimate(kernel, distances, time - times, rewards)
    # 1 - cos and the distances of near points lose digits that the plain version loses in another way.
    tolerance = 1e-9 if problem["metric"] in ("euclidean", "precomputed") else 1e-6
    scale = np.abs(rewards).max()
    np.testing.assert_allclose(std, expected_std, rtol=tolerance)
    np.testing.assert_allclose(mean, expected_mean, rtol=tolerance, atol=tolerance * scale)
    some = random.integers(len(arms), size=5)
    np.testing.assert_array_equal(engine.estimate(time, some), (mean[some], std[some]))


@settings(max_examples=120)
@given(
    problem=problems, gamma=st.sampled_from([0.0, 0.5, 2.0, 100.0]), cap=st.sampled_from([np.inf, 1.0, -2.0, "arm's"])
)
def test_with_tolerance_0_all_arms_of_the_largest_index_are_found(built, problem, gamma, cap):
    random, arms, _, _, _, _, engine = built(problem)
    time = 1.0 + random.random()
    mean, std = engine.estimate(time)
    if cap == "arm's":  # so that some are just above it, and some just below
        cap = upper_bound(mean, std, gamma, np.inf)[random.integers(len(arms))]
    index = upper_bound(mean, std, gamma, cap)
    found = engine.best(time, gamma, cap)
    assert (np.diff(found) > 0).all()
    size = np.abs(index).max()
    assert (index[found] >= index.max() - 3e-12 * size).all()
    assert set(np.flatnonzero(index >= index.max() - 1e-13 * abs(index.max()))) <= set(found.tolist())


def test_arms_that_tie_only_because_rewards_are_large_are_found(learner):
    """Around 1e9, indices that differ by less than 1e-3 count as equal: more than the bounds of float32 leave open."""
    random = np.random.default_rng(0)
    engine = learner(Arms.grid(0, 1, 5000), Kernel(0.3, 1.0, 1e-2, 1))
    engine.learn(np.arange(200) * 1e-3, random.integers(5000, size=200), 1e9 + 0.1 * random.normal(size=200))
    for time in (0.2, 0.21, 0.3):
        expected = argmaxes(upper_bound(*engine.estimate(time), 2.0, np.inf))
        assert len(expected) > 5
        np.testing.assert_array_equal(engine.best(time, 2.0, np.inf), expected)


@pytest.mark.parametrize("sharpness", [1, 2, 3])
def test_one_observation_gives_the_same_deviation_for_every_sharpness(learner, sharpness):
    engine = learner(Arms.grid(0, 1, 11), Kernel(0.5, 2.0, 1e-2, sharpness))
    engine.learn([1.0], [3], [0.7])
    _, std = engine.estimate(2.0)
    distance = np.abs(np.arange(11) - 3) / 10
    np.testing.assert_allclose(std, np.sqrt(1e-2 + (distance / 0.5) ** 2 + 0.5**2), rtol=1e-12)


@pytest.mark.parametrize("length_scale", [1e-50, 1e-30, 1e30, 1e50])
@pytest.mark.parametrize("time_scale", [1e-50, 1e-30, 1e30, 1e50])
@pytest.mark.parametrize("sharpness", [1, 3])
def test_extreme_scales_stay_finite_and_convex(learner, length_scale, time_scale, sharpness):
    """Where powers overflow or vanish, they are found in other units: the mean stays among the rewards."""
    engine = learner(Arms.grid(0, 1, 9), Kernel(length_scale, time_scale, 1e-12, sharpness))
    engine.learn([0.0, 1.0, 2.0], [0, 4, 8], [0.2, 0.5, 0.9])
    mean, std = engine.estimate(3.0)
    assert ((mean >= 0.2 - 1e-12) & (mean <= 0.9 + 1e-12)).all()
    assert (std > 0).all()
    np.testing.assert_array_equal(engine.best(3.0, 2.0, 1.0), argmaxes(upper_bound(mean, std, 2.0, 1.0)))


def test_precisions_below_the_smallest_float_agree_with_logarithms(learner):
    """nu = 1e-300 and below, compared with sums of logarithms."""
    arms = Arms.grid(0, 1, 5)
    kernel = Kernel(1e-50, 1e-49, 1e-12, 3)
    engine = learner(arms, kernel)
    times, seen, rewards = np.array([0.0, 0.5, 0.9]), np.array([0, 2, 4]), np.array([0.1, 0.4, 0.8])
    engine.learn(times, seen, rewards)
    mean, std = engine.estimate(1.0)
    distances = np.abs(arms.points[seen, 0][:, None] - arms.points[:, 0][None])
    r2 = kernel.noise_variance + (distances / 1e-50) ** 2 + (((1.0 - times) / 1e-49) ** 2)[:, None]
    log_nu = -3 * np.log(r2)
    log_total = np.logaddexp.reduce(log_nu, axis=0)
    np.testing.assert_allclose(std, np.exp(-log_total / 6), rtol=1e-9)
    np.testing.assert_allclose(mean, rewards @ np.exp(log_nu - log_total), rtol=1e-9)


def test_where_all_observations_are_infinitely_far_the_mean_is_their_average(learner):
    engine = learner(Arms.grid(0, 1, 3), Kernel(1.0, 1e-50, 1e-7, 1))
    engine.learn([-1e300, -1e300], [0, 1], [0.25, 0.75])
    mean, std = engine.estimate(1e300)
    assert mean.tolist() == [0.5] * 3
    assert np.isposinf(std).all()


def test_huge_rewards_do_not_overflow(learner):
    engine = learner(Arms.grid(0, 1, 3), Kernel(1.0, 1.0, 1e-7, 1))
    engine.learn([0.0, 0.0], [0, 0], [1e300, 1e300])
    np.testing.assert_allclose(engine.estimate(0.0)[0], 1e300, rtol=1e-12)


def test_threads_do_not_change_the_result(monkeypatch, learner):
    random = np.random.default_rng(1)
    engine = learner(Arms(random.random((777, 2))), Kernel(0.3, 0.2, 1e-4, 2))
    engine.learn(random.random(900), random.integers(777, size=900), random.random(900))
    answers = []
    for worthwhile in (1, 10**12):
        monkeypatch.setattr(threads, "WORTHWHILE", worthwhile)
        answers.append((*engine.estimate(1.0), engine.best(1.0, 2.0, 1.0)))
    for on_many, on_one in zip(*answers, strict=True):
        np.testing.assert_array_equal(on_many, on_one)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, -1e9]), st.sampled_from([0.0, 0.25, np.inf])), min_size=1),
    st.sampled_from([0.0, 2.0]),
    st.sampled_from([np.inf, 0.75, -2.0]),
)
def test_the_largest_index_is_that_of_the_reference(estimates, gamma, cap):
    """Without exploration an infinite deviation counts for nothing, compiled or not."""
    mean, std = np.array(estimates).T.copy()
    positions = np.empty(len(mean), dtype=np.int64)
    ties = largest_index(mean, std, gamma, cap, positions)
    np.testing.assert_array_equal(positions[:ties], argmaxes(upper_bound(mean, std, gamma, cap)))
