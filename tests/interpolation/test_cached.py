"""The cached engine against the exact one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation import Kernel, compiled_cache
from quickdraw_bandits.interpolation.cached import ALIKE, RECENT, CachedEngine
from quickdraw_bandits.interpolation.exact import ExactEngine


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
        "time_scale": st.sampled_from([1e-3, 0.1, 1.0, 1e4]),
        "noise_variance": st.sampled_from([1e-12, 1e-7, 1e-2]),
        "sharpness": st.integers(1, 3),
        "offset": st.sampled_from([0.0, -3.0, 1e4]),
        "spread": st.sampled_from([0.0, 1e-3, 1.0, 100.0]),
        "gamma": st.sampled_from([0.0, 0.5, 2.0, 100.0]),
        "cap": st.sampled_from([np.inf, 1.0, -3.0]),
        "tolerance": st.sampled_from([1e-6, 1e-3, 0.1]),
        "clock": st.sampled_from(["steady", "standing", "jumping", "late"]),
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
        learn(np.array([now - 0.05 * random.random() if problem["clock"] == "late" else now]), np.array([arm]))


def test_blocks_cover_the_history_and_are_as_old_as_they_are_long():
    random = np.random.default_rng(0)
    arms = Arms(random.normal(size=(5, 2)))
    engine = CachedEngine(arms, Kernel(1.0, 1.0, 1e-4, 1), 1e-3)
    for n in range(1500):
        engine.add(np.array([n * 1e-3]), random.integers(5, size=1), random.random(1))
        engine._set_units()
        engine._set_blocks()
        ends = [0] + [block.end for block in engine._blocks]
        assert ends[:-1] == [block.begin for block in engine._blocks]
        assert n + 1 - ends[-1] <= 2 * RECENT
        sizes = [block.end - block.begin for block in engine._blocks]
        assert sizes == sorted(sizes, reverse=True)
        assert all(sizes.count(size) < ALIKE for size in sizes)
        for block, size in zip(engine._blocks, sizes, strict=True):
            assert n + 1 - block.end >= size or size == RECENT
    assert len(engine._blocks) < 25


def test_tables_agree_with_the_plain_sum():
    random = np.random.default_rng(1)
    points, coordinates = random.normal(size=(7, 3)), random.normal(size=(3, 600))
    rewards, terms = random.normal(size=600), 1 + random.random((4, 590))
    out = np.empty((4, 2, 7), dtype=np.float32)
    arms = np.zeros(600, dtype=np.int64)
    compiled_cache.block_tables(0, points, coordinates, arms, rewards, terms, 10, 600, 2.0, 2, out, np.empty(512))
    squared = ((points[:, :, None] - coordinates[None, :, 10:]) ** 2).sum(axis=1)
    nu = 1 / (terms[:, None] + 2.0 * squared[None]) ** 2
    np.testing.assert_allclose(out[:, 0], nu.sum(axis=2), rtol=1e-6)
    np.testing.assert_allclose(out[:, 1], nu @ rewards[10:], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sharpness", [1, 2, 3])
def test_most_rounds_sum_only_what_is_recent(monkeypatch, sharpness):
    random = np.random.default_rng(2)
    arms = Arms(random.normal(size=(40, 8)), metric="cosine")
    engine = CachedEngine(arms, Kernel(1.0, 1.0, 1e-4, sharpness), 1e-3)
    engine.add(np.arange(4000) * 1e-3, random.integers(40, size=4000), random.random(4000))
    engine.best(4.0, 2.0, 1.0)
    summed = []
    original = engine._sum_block
    monkeypatch.setattr(
        engine, "_sum_block", lambda block, time: (summed.append(block.end - block.begin), original(block, time))
    )
    for i in range(200):
        engine.add(np.array([4.0 + i * 1e-3]), random.integers(40, size=1), random.random(1))
        engine.best(4.0 + (i + 0.5) * 1e-3, 2.0, 1.0)
    # Every size of block is summed about four times for each observation, out of 4000 a round.
    assert sum(summed) / 200 < 100


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "haversine", "precomputed"])
def test_distances_to_one_observation(metric):
    random = np.random.default_rng(3)
    arms = make_arms(metric, 30, random)
    coordinates = np.empty((0, 4)) if metric == "precomputed" else arms.points[[4, 9, 2, 7]].T.copy()
    code = ["euclidean", "cosine", "haversine", "precomputed"].index(metric)
    out = np.empty(30, dtype=np.float32)
    seen = np.array([4, 9, 2, 7])
    compiled_cache.distances_from(code, arms.points, coordinates, seen, 2, 9.0 / arms.unit**2, out, np.empty(512))
    np.testing.assert_allclose(out, 9.0 * arms.distances(2) ** 2, rtol=1e-5, atol=1e-12)
