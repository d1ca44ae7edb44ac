"""The best of arms that nobody asked about before, against a direct sum at all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation import Kernel, answers
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.engines.tables.screen import Screen
from quickdraw_bandits.observations import Observations


def build(metric, kernel, seed, n=200, offset=0.0, spread=1.0, dimension=3):
    """Return arms, of which some are at the same place, and observations of them."""
    random = np.random.default_rng(seed)
    points = random.uniform(-1, 1, (300, 2 if metric == "haversine" else dimension))
    points[150:200] = points[:50]
    arms = Arms(points, metric=metric)
    seen = Observations(arms)
    chosen = random.integers(300, size=n)
    seen.append(random.random(n) * n * 1e-3, chosen, offset + spread * np.sin(3 * points[chosen, 0]))
    return arms, seen, DirectSum(arms, kernel, seen), Screen(arms, kernel, seen)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["euclidean", "cosine", "haversine"]),
    st.integers(1, 5),
    st.sampled_from([200, 700]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([1e-7, 1e-3, 1.0]),
    st.sampled_from([0.02, 0.3, 50.0]),
    st.sampled_from([0.0, 0.3, 2.0, 1e3]),
    st.sampled_from([np.inf, 1.0, 0.5, -3.0]),
    st.sampled_from([0.2, 0.1, -5.0, 1e4, 1e25]),
    st.sampled_from([(0.0, 1.0), (1e9, 1.0), (0.0, 0.0), (0.0, 1e-200), (-2.0, 1e30)]),
    st.integers(0, 2**32 - 1),
)
def test_the_best_arms_are_those_of_a_direct_sum(
    metric, dimension, n, sharpness, noise_variance, length_scale, gamma, cap, time, rewards, seed
):
    kernel = Kernel(length_scale, 1.0, noise_variance, sharpness)
    dimension += metric == "cosine"
    arms, _, direct, screen = build(metric, kernel, seed, n, rewards[0], rewards[1], dimension)
    some = np.sort(np.random.default_rng(seed).choice(300, 180, replace=False))
    expected = direct.best(time, arms.points, some, gamma, cap)
    np.testing.assert_array_equal(screen.best(time, some, gamma, cap), expected)


def test_few_arms_are_summed_in_float64(monkeypatch):
    kernel = Kernel(0.3, 1.0, 1e-4, 1)
    _, _, _, screen = build("euclidean", kernel, 1)
    summed = []
    estimate = DirectSum.estimate
    monkeypatch.setattr(
        DirectSum,
        "estimate",
        lambda self, time, points, rows: (summed.append(len(rows)), estimate(self, time, points, rows))[1],
    )
    screen.best(0.3, np.arange(300), 2.0, np.inf)
    assert sum(summed) <= 10
    summed.clear()
    assert len(screen.best(0.3, np.arange(300), 2.0, -3.0)) == 300  # all reach the cap
    assert not summed


@pytest.mark.parametrize("engine", ["exact", "cached", "tree"])
def test_a_subset_that_is_new_each_time_is_screened(engine, monkeypatch):
    """And those that are asked for again get an engine, as do those with pending pulls."""
    monkeypatch.setattr(answers, "LEAST_SUMMED", 10_000)
    asked = []
    best = Screen.best
    monkeypatch.setattr(Screen, "best", lambda self, *some: (asked.append(some[0]), best(self, *some))[1])
    random = np.random.default_rng(0)
    policy = qd.QuickDraw(qd.Arms(random.random((2000, 2))), length_scale=0.3, cap=None, engine=engine, seed=0)
    policy.update(np.arange(150) * 1e-3, random.integers(2000, size=150), random.random(150))
    for k in range(12):
        time, some = 0.15 + 1e-3 * k, np.sort(random.choice(2000, 150, replace=False))
        index = policy.index(time, arms=some)
        arm = policy.select(time, among=some)
        assert index[np.searchsorted(some, arm)] >= index.max() - 1e-12
        assert asked == [time]
        assert policy.decide(time, among=some).arm in some
        assert asked == [time]
        asked.clear()
        policy.update(time, arm, float(random.random()))
    policy.expect(0.17, 5)
    some = np.arange(100, 300)
    index = policy.index(0.17, arms=some)
    assert index[policy.select(0.17, among=some) - 100] >= index.max() - 1e-12
    assert not asked
