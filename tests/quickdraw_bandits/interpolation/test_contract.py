"""What every engine promises (``interpolation/engine.py``), through the policy that owns the observations."""

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation import upper_bound

SPACES = [("euclidean", 1), ("euclidean", 2), ("euclidean", 6), ("cosine", 4), ("haversine", 2), ("precomputed", 3)]
SERVED = [
    (engine, metric, dimension)
    for metric, dimension in SPACES
    for engine in ("auto", "exact", "cached", "tree")
    if engine != "tree" or (metric == "euclidean" and dimension <= 3)
]


@pytest.mark.parametrize(("engine", "metric", "dimension"), SERVED)
@pytest.mark.parametrize("time_scale", [0.3, None])
def test_asking_changes_no_later_choice(make_arms, engine, metric, dimension, time_scale):
    """One of two equal policies is asked about odd times between choices. Every third pair of arms ties."""
    arms = make_arms(metric, 60, dimension, np.random.default_rng(dimension), repeated=True)
    asked, silent = (
        qd.QuickDraw(arms, 0.5, time_scale, cap=0.8, engine=engine, seed=5, tolerance=0.01) for _ in range(2)
    )
    random = np.random.default_rng(0)
    for k in range(200):
        time = 0.01 * k
        for odd in (time, time + 3.0 * random.random(), -1.0):
            asked.probabilities(odd)
            asked.estimate(odd, [0, 7])
        arm = silent.select(time)
        assert asked.select(time) == arm
        pulled, reward = time - 0.05 * (k % 3 == 0), random.random()
        for policy in (asked, silent):
            policy.update(pulled, arm, reward)


@pytest.mark.parametrize(("engine", "metric", "dimension"), [case for case in SERVED if case[0] != "tree"])
@pytest.mark.parametrize("cap", [None, 0.3])
def test_choices_are_uniform_over_the_best_arms(make_arms, engine, metric, dimension, cap):
    """Half of the arms lie at one place, so that they tie wherever it is the best; so do all at the cap."""
    arms = make_arms(metric, 12, dimension, np.random.default_rng(1), repeated=True)
    policy = qd.QuickDraw(arms, cap=cap, engine=engine, seed=0)
    played = 1 + np.arange(80) % 5
    policy.update(np.arange(80) * 1e-2, played, np.where(played <= 2, 0.5, 0.1))
    if cap is None:
        policy.update(0.8 + np.arange(9) * 1e-3, np.zeros(9, dtype=int), np.full(9, 0.9))
    probabilities = policy.probabilities(0.81)
    best = np.flatnonzero(probabilities)
    assert len(best) > 1
    np.testing.assert_allclose(probabilities[best], 1 / len(best))
    counts = np.bincount([policy.select(0.81) for _ in range(1200)], minlength=12)
    assert set(np.flatnonzero(counts)) == set(best)
    # Five standard deviations of a count of 1200 / len(best).
    assert np.abs(counts[best] - 1200 / len(best)).max() < 5 * (1200 / len(best)) ** 0.5


@pytest.mark.parametrize("engine", ["auto", "exact", "cached", "tree"])
@pytest.mark.parametrize(("time_scale", "now"), [(1e-50, 1e300), (None, 0.0)])
def test_without_exploration_an_infinite_deviation_counts_for_nothing(engine, time_scale, now):
    """Times infinity, an exploration of 0 is no number: the index is the mean then."""
    policy = qd.QuickDraw(qd.Arms.grid(0, 1, 9), 1e-50, time_scale, 1e-12, 0.0, None, 3, seed=0, engine=engine)
    policy.update(np.zeros(40), np.arange(40) % 4, np.repeat([0.2, 0.6], 20))
    mean, std = policy.estimate(now)
    if engine != "tree" or time_scale:  # the tree sums directly, and finds the deviation however small precisions are
        assert np.isposinf(std).any()
    np.testing.assert_array_equal(policy.index(now), upper_bound(mean, std, 0.0, np.inf))
    assert np.isfinite(policy.index(now)).all()
    assert mean[policy.select(now)] == pytest.approx(mean.max())
    assert policy.probabilities(now) == pytest.approx((mean >= mean.max() - 1e-12) / (mean >= mean.max() - 1e-12).sum())
