"""The cached engine against the exact one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation import Kernel, compiled_cache
from quickdraw_bandits.interpolation.cached import CachedEngine
from quickdraw_bandits.interpolation.compiled import METRIC_CODES
from quickdraw_bandits.interpolation.exact import ExactEngine
from quickdraw_bandits.interpolation.geometry import Geometry
from quickdraw_bandits.interpolation.time_levels import RECENT, serves


def make_arms(metric, n_arms, random):
    if metric == "haversine":
        return Arms(np.column_stack([random.uniform(-1.5, 1.5, n_arms), random.uniform(-3, 3, n_arms)]), metric=metric)
    points = random.normal(size=(n_arms, 5))
    if metric == "precomputed":
        points = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    return Arms(points, metric=metric)


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
        "tolerance": st.sampled_from([1e-6, 1e-3, 0.1]),
        "clock": st.sampled_from(["steady", "standing", "jumping", "late", "crowded"]),
        "seed": st.integers(0, 2**32 - 1),
    }
)


@settings(max_examples=100, deadline=None)
@given(problems)
def test_the_choice_is_within_the_tolerance_round_after_round(problem):
    random = np.random.default_rng(problem["seed"])
    arms = make_arms(problem["metric"], problem["n_arms"], random)
    kernel = Kernel(problem["length_scale"], problem["time_scale"], problem["noise_variance"], problem["sharpness"])
    gamma, cap, n = problem["gamma"], problem["cap"], problem["n"]
    cached, exact = CachedEngine(arms, kernel, problem["tolerance"]), ExactEngine(arms, kernel)

    def learn(times, seen):
        rewards = problem["offset"] + problem["spread"] * random.normal(size=len(times))
        cached.add(times, seen, rewards)
        exact.add(times, seen, rewards)

    learn(random.permutation(np.arange(n) * 1e-3), random.integers(max(1, len(arms) // 3), size=n))
    now = n * 1e-3
    for _ in range(20):
        if problem["clock"] == "jumping":
            now = random.random()
        elif problem["clock"] != "standing":
            now += 1e-3
        found, value = cached.best(now, gamma, cap)
        arm = found[value.argmax()]
        mean, std = exact.estimate(now)
        index = np.minimum(mean + gamma * std, cap)
        assert index[arm] >= index.max() - max(problem["tolerance"], 1e-10 * abs(index.max()))
        assert abs(value.max() - index[arm]) <= max(problem["tolerance"], 1e-10 * abs(index.max()))
        new = 20 if problem["clock"] == "crowded" else 1
        learn(now - (0.05 * random.random(new) if problem["clock"] == "late" else np.zeros(new)), np.full(new, arm))


def test_levels_cover_the_history_and_reach_as_far_ahead_as_they_are_old():
    random = np.random.default_rng(0)
    arms = Arms(random.normal(size=(5, 2)))
    engine = CachedEngine(arms, Kernel(1.0, 1.0, 1e-4, 1), 1e-3)
    for n in range(1, 1500):
        engine.add(np.array([n * 1e-3]), random.integers(5, size=1), random.random(1))
        now = (n + 0.5) * 1e-3
        engine.best(now, 2.0, 1.0)
        if n <= 2 * RECENT:
            assert not engine._levels
            continue
        assert n - engine._levels[0].included <= 2 * RECENT
        assert serves(engine._levels[0], 0, now, n)
        for number, level in engine._levels.items():
            age = level.start - engine._direct.history.times[: level.included].max()
            assert 0 < level.length <= age
            assert level.included <= n - RECENT * 2**number or level.start < now
    assert set(engine._levels) == set(range(6))


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "haversine", "precomputed"])
@pytest.mark.parametrize("sharpness", [1, 2, 3])
@pytest.mark.parametrize("narrow", [np.float32, np.float64])
def test_tables_agree_with_the_plain_sum(metric, sharpness, narrow):
    random = np.random.default_rng(1)
    arms = make_arms(metric, 70, random)
    seen = random.integers(70, size=300)
    coordinates = np.empty((0, 300)) if metric == "precomputed" else arms.points[seen].T.copy()
    rewards, terms = random.normal(size=290).astype(np.float32), (1 + random.random((4, 290))).astype(np.float32)
    out = np.ones((4, 2, 70), dtype=np.float32)
    compiled_cache.add_observations(
        METRIC_CODES[metric], arms.points, Geometry(arms).centre, coordinates, seen, 10, 300, terms, rewards,
        2.0 / arms.unit**2, sharpness, out, np.empty(0, dtype=narrow),
    )  # fmt: skip
    squared = np.array([arms.distances(arm) for arm in seen[10:]]).T ** 2
    nu = 1 / (terms[:, None] + 2.0 * squared[None]) ** sharpness
    np.testing.assert_allclose(out[:, 0], 1 + nu.sum(axis=2), rtol=3e-6)
    np.testing.assert_allclose(out[:, 1], 1 + nu @ rewards, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("sharpness", [1, 2, 3])
def test_most_rounds_sum_only_what_is_recent(monkeypatch, sharpness):
    random = np.random.default_rng(2)
    arms = Arms(random.normal(size=(40, 8)), metric="cosine")
    engine = CachedEngine(arms, Kernel(1.0, 1.0, 1e-4, sharpness), 1e-3)
    engine.add(np.arange(4000) * 1e-3, random.integers(40, size=4000), random.random(4000))
    engine.best(4.0, 2.0, 1.0)
    summed = []
    original = compiled_cache.add_observations
    monkeypatch.setattr(
        compiled_cache,
        "add_observations",
        lambda *a: (summed.append(a[6] - a[5]), original(*a)),
    )
    for i in range(200):
        engine.add(np.array([4.0 + i * 1e-3]), random.integers(40, size=1), random.random(1))
        engine.best(4.0 + (i + 0.5) * 1e-3, 2.0, 1.0)
    # Every level sums about three observations a round, out of 4000; there are seven.
    assert sum(summed) / 200 < 30


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "haversine", "precomputed"])
def test_distances_to_one_observation(metric):
    random = np.random.default_rng(3)
    arms = make_arms(metric, 30, random)
    coordinates = np.empty((0, 4)) if metric == "precomputed" else arms.points[[4, 9, 2, 7]].T.copy()
    out = np.empty(30, dtype=np.float32)
    seen = np.array([4, 9, 2, 7])
    compiled_cache.distances_from(METRIC_CODES[metric], arms.points, coordinates, seen, 2, 9.0 / arms.unit**2, out)
    np.testing.assert_allclose(out, 9.0 * arms.distances(2) ** 2, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("sharpness", [1, 2, 3])
@pytest.mark.parametrize("recent", [0, 3, 7])
def test_a_round_agrees_with_the_plain_index(sharpness, recent):
    random = np.random.default_rng(4)
    n_arms = 1100
    tables = random.random((3, 2, n_arms)).astype(np.float32)
    tables[:, 0, 5] = tables[:, 0, 1090] = 0
    basis, rows = np.array([0.2, 0.5, 0.3]), np.arange(3, 3 + recent) % 8
    squared, terms = random.random((8, n_arms)).astype(np.float32), 1 + random.random(recent).astype(np.float32)
    rewards, out = random.random(recent).astype(np.float32), np.empty(n_arms, dtype=np.float32)
    best = compiled_cache.play_round(tables, basis, squared, rows, terms, rewards, 2.0, sharpness, 1e-20, out)
    nu = 1 / (terms[:, None].astype(float) + squared[rows]) ** sharpness
    s0, s1 = (basis[:, None] * tables[:, 0]).sum(axis=0) + nu.sum(axis=0), basis @ tables[:, 1] + rewards @ nu
    with np.errstate(divide="ignore"):
        expected = np.where(s0 > 1e-20, s1 / s0 + 2.0 * s0 ** (-0.5 / sharpness), np.inf)
    np.testing.assert_allclose(out, expected, rtol=2e-5)
    assert best == out[np.isfinite(out)].max()


@pytest.mark.parametrize("cap", [np.inf, 1.0, -3.0])
def test_rewards_too_close_for_float32_to_tell(cap):
    """Deviations are then beyond the range of float32, in units of the rewards."""
    random = np.random.default_rng(0)
    arms, kernel = make_arms("haversine", 20, random), Kernel(1e-3, 1e-3, 1e-7, 1)
    cached, exact = CachedEngine(arms, kernel, 1e-6), ExactEngine(arms, kernel)
    for n in (3, 60):
        observations = np.arange(n) * 1e-3, random.integers(20, size=n), 1e-300 * random.normal(size=n)
        for engine in (cached, exact):
            engine.add(*observations)
        found, value = cached.best(0.06, 2.0, cap)
        mean, std = exact.estimate(0.06)
        index = np.minimum(mean + 2.0 * std, cap)
        assert index[found[value.argmax()]] >= index.max() - 1e-6


@pytest.mark.parametrize("sharpness", [1, 2, 3])
def test_every_arm_found_at_the_cap_is_within_the_tolerance_of_it(sharpness):
    """The float32 index of an arm can reach the cap where its index does not."""
    random = np.random.default_rng(0)
    arms = Arms(random.normal(size=(2000, 5)))
    cached = CachedEngine(arms, Kernel(1.0, 1.0, 1e-4, sharpness), 1e-7)
    cached.add(np.arange(400) * 1e-3, random.integers(2000, size=400), 5 * random.normal(size=400))
    mean, std = cached.estimate(0.401)
    index = mean + 2.0 * std
    for arm in np.argsort(index)[1600:1700]:
        cap = index[arm] + 5e-7
        found, value = cached.best(0.401, 2.0, cap)
        chosen = found[value == value.max()]
        assert len(chosen) > 200
        assert index[chosen].min() >= cap - 1e-7


def test_observations_of_this_moment_are_not_far():
    """Where the far past begins sooner than the clock can tell: numbers of this size are 2e-6 apart."""
    random = np.random.default_rng(0)
    arms, kernel = Arms(random.normal(size=(50, 3))), Kernel(1.0, 1e-8, 1e-7, 1)
    cached, exact = CachedEngine(arms, kernel, 1e-3), ExactEngine(arms, kernel)
    times = np.repeat([1.3e10, 1.4e10, 1.5e10], [60, 60, 20])
    observations = times, random.integers(50, size=140), -50 * random.random(140)
    for engine in (cached, exact):
        engine.add(*observations)
    found, value = cached.best(1.4e10, 2.0, 0.5)
    mean, std = exact.estimate(1.4e10)
    index = mean + 2.0 * std
    assert index[found[value.argmax()]] >= index.max() - 1e-3
    assert abs(value.max() - index.max()) <= 1e-3
