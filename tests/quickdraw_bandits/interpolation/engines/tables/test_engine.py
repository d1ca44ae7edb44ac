"""The tables engine with a tolerance, against direct summation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation import Kernel, upper_bound

problems = st.fixed_dictionaries(
    {
        "metric": st.sampled_from(["euclidean", "cosine", "haversine", "precomputed"]),
        "n_arms": st.sampled_from([1, 2, 70]),
        "n": st.sampled_from([1, 20, 40, 300, 700]),
        "length_scale": st.sampled_from([1e-3, 0.1, 1.0, 50.0]),
        "time_scale": st.sampled_from([1e-3, 0.02, 0.1, 1.0, 1e4]),
        "noise_variance": st.sampled_from([1e-12, 1e-7, 1e-2]),
        "sharpness": st.integers(1, 3),
        "offset": st.sampled_from([0.0, -3.0, 1e4]),
        "spread": st.sampled_from([0.0, 1e-3, 1.0, 100.0]),
        "gamma": st.sampled_from([0.0, 0.5, 2.0, 100.0]),
        "cap": st.sampled_from([np.inf, 1.0, -3.0]),
        "tolerance": st.sampled_from([0.0, 1e-6, 1e-3, 0.1]),
        "clock": st.sampled_from(["steady", "standing", "jumping", "late", "crowded"]),
        "seed": st.integers(0, 2**32 - 1),
    }
)


@settings(max_examples=100)
@given(problem=problems)
def test_choices_are_within_the_tolerance_round_after_round(learner, make_arms, problem):
    """And they are among those that ``best`` names, asked beforehand, all of which are within it."""
    random = np.random.default_rng(problem["seed"])
    arms = make_arms(problem["metric"], problem["n_arms"], 5, random)
    kernel = Kernel(problem["length_scale"], problem["time_scale"], problem["noise_variance"], problem["sharpness"])
    gamma, cap, n = problem["gamma"], problem["cap"], problem["n"]
    engine = learner(arms, kernel, problem["tolerance"])

    def learn(times, seen):
        engine.learn(times, seen, problem["offset"] + problem["spread"] * random.normal(size=len(times)))

    learn(random.permutation(np.arange(n) * 1e-3), random.integers(max(1, len(arms) // 3), size=n))
    now = n * 1e-3
    for _ in range(20):
        if problem["clock"] == "jumping":
            now = random.random()
        elif problem["clock"] != "standing":
            now += 1e-3
        found = engine.best(now, gamma, cap)
        arm = engine.choose(now, gamma, cap, random)
        assert arm in found
        index = upper_bound(*engine.estimate(now), gamma, cap)
        assert index[found].min() >= index.max() - max(problem["tolerance"], 1e-10 * abs(index.max()))
        new = 20 if problem["clock"] == "crowded" else 1
        learn(now - (0.05 * random.random(new) if problem["clock"] == "late" else np.zeros(new)), np.full(new, arm))


def test_few_arms_are_summed_directly(monkeypatch, learner):
    """Bounds from tables rule out nearly all arms, also where the choice is exact."""
    random = np.random.default_rng(0)
    engine = learner(Arms.grid(-1, 1, 1000), Kernel(1.0, 1.0, 1e-7, 1))
    engine.learn(np.arange(500) * 1e-3, random.integers(1000, size=500), random.random(500))
    summed = []
    direct = engine.engine._direct
    original = direct.best
    monkeypatch.setattr(direct, "best", lambda time, points, rows, *rest: (
        summed.append(len(rows)), original(time, points, rows, *rest))[1])  # fmt: skip
    for time in (0.5, 0.501, 0.51):
        engine.best(time, 2.0, 1.0)
    assert len(summed) == 3
    assert max(summed) < 50


@pytest.mark.parametrize("cap", [np.inf, 1.0, -3.0])
def test_rewards_too_close_for_float32_to_tell(learner, make_arms, cap):
    """Deviations are then beyond the range of float32, in units of the rewards."""
    random = np.random.default_rng(0)
    engine = learner(make_arms("haversine", 20, 2, random), Kernel(1e-3, 1e-3, 1e-7, 1), 1e-6)
    for n in (3, 60):
        engine.learn(np.arange(n) * 1e-3, random.integers(20, size=n), 1e-300 * random.normal(size=n))
        index = upper_bound(*engine.estimate(0.06), 2.0, cap)
        assert index[engine.best(0.06, 2.0, cap)].min() >= index.max() - 1e-6


@pytest.mark.parametrize("sharpness", [1, 2, 3])
@pytest.mark.parametrize("tolerance", [0.0, 1e-7])
def test_every_arm_found_at_the_cap_is_within_the_tolerance_of_it(learner, sharpness, tolerance):
    """The float32 index of an arm can reach the cap where its index does not."""
    random = np.random.default_rng(0)
    engine = learner(Arms(random.normal(size=(2000, 5))), Kernel(1.0, 1.0, 1e-4, sharpness), tolerance)
    engine.learn(np.arange(400) * 1e-3, random.integers(2000, size=400), 5 * random.normal(size=400))
    index = upper_bound(*engine.estimate(0.401), 2.0, np.inf)
    for arm in np.argsort(index)[1600:1700:4]:
        cap = index[arm] + 5e-7
        found = engine.best(0.401, 2.0, cap)
        assert len(found) > 200
        assert index[found].min() >= cap - max(tolerance, 1e-12 * abs(cap))
        if tolerance == 0:
            assert len(found) == (index >= cap - 1e-12 * abs(cap)).sum()


def test_observations_of_this_moment_are_not_far(learner):
    """Where the far past begins sooner than the clock can tell: numbers of this size are 2e-6 apart."""
    random = np.random.default_rng(0)
    engine = learner(Arms(random.normal(size=(50, 3))), Kernel(1.0, 1e-8, 1e-7, 1), 1e-3)
    times = np.repeat([1.3e10, 1.4e10, 1.5e10], [60, 60, 20])
    engine.learn(times, random.integers(50, size=140), -50 * random.random(140))
    index = upper_bound(*engine.estimate(1.4e10), 2.0, 0.5)
    assert index[engine.best(1.4e10, 2.0, 0.5)].min() >= index.max() - 1e-3
