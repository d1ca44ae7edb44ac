"""Engines for a part of the arms: small subsets, and arms that were added to very many."""

import copy

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation import parts

SETTINGS = {"length_scale": 0.3, "time_scale": 2.0, "noise_variance": 1e-3, "cap": None, "seed": 0}


def places(metric, n, seed=0):
    random = np.random.default_rng(seed)
    if metric == "haversine":
        return np.column_stack([random.uniform(-1, 1, n), random.uniform(-3, 3, n)])
    return random.normal(size=(n, 5)) if metric == "cosine" else random.random((n, 2))


def teach(policy, n_arms, n=150, seed=1):
    random = np.random.default_rng(seed)
    arms = random.integers(n_arms, size=n)
    policy.update(np.arange(n) * 0.01, arms, np.sin(6 * policy.arms.points[arms, 0]) / 2)


def reward(policy, arm):
    return float(np.sin(6 * policy.arms.points[arm, 0]) / 2)


@pytest.mark.parametrize("engine", ["exact", "cached"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "haversine"])
@pytest.mark.parametrize(("sharpness", "time_scale"), [(1, 2.0), (2, 2.0), (1, None)])
def test_the_best_of_a_small_subset(engine, metric, sharpness, time_scale):
    settings = SETTINGS | {"sharpness": sharpness, "time_scale": time_scale}
    policy = qd.QuickDraw(qd.Arms(places(metric, 2000), metric=metric), engine=engine, **settings)
    teach(policy, 2000)
    random = np.random.default_rng(2)
    subsets = [random.choice(2000, size=150, replace=False) for _ in range(2)]
    for k in range(40):
        time, some = 1.5 + 0.01 * k, subsets[k // 3 % 2]
        if k == 20:
            policy.expect(time, int(some[0]))
        index = policy.index(time, arms=some)
        arm = policy.select(time, among=some)
        assert index[np.flatnonzero(some == arm)[0]] >= index.max() - 1e-9
        assert policy.decide(time, among=some).probability == policy.probabilities(time, among=some)[arm]
        policy.update(time, arm, reward(policy, arm))


@pytest.mark.parametrize("engine", ["exact", "cached", "tree", "auto"])
def test_a_small_subset_has_the_tolerance_of_all_arms(engine):
    tolerance = 0.05
    arms = qd.Arms(places("euclidean", 2000))
    policy = qd.QuickDraw(arms, engine=engine, tolerance=tolerance, **SETTINGS)
    teach(policy, 2000, n=390)
    some = np.arange(0, 2000, 10)
    slacks = set()
    for k in range(40):  # of which ``auto`` is exact at first
        time = 4.0 + 0.01 * k
        index = policy.index(time, arms=some)
        arm = policy.select(time, among=some)
        slack = policy._engine.slack
        assert index[arm // 10] >= index.max() - max(slack, 1e-9)
        slacks.add(slack)
        if k:
            assert policy._parts._last.slack == slack
        policy.update(time, arm, reward(policy, arm))
    assert slacks == {"exact": {0.0}, "auto": {0.0, tolerance}}.get(engine, {tolerance})


@pytest.mark.parametrize(
    ("engine", "time_scale"), [("exact", 2.0), ("cached", 2.0), ("tree", 2.0), ("auto", 2.0), ("auto", None)]
)
def test_arms_added_to_very_many_are_found(engine, time_scale, monkeypatch, tmp_path):
    """Choices are those of a policy built with all arms: the largest index of all, whatever limits them."""
    monkeypatch.setattr(parts, "VERY_MANY", 1000)
    settings = SETTINGS | {"time_scale": time_scale}
    grown = qd.QuickDraw(qd.Arms(places("euclidean", 2000)), engine=engine, **settings)
    teach(grown, 2000)
    grown.select(1.5)
    assert grown.add_arms(places("euclidean", 60, seed=5)).tolist() == list(range(2000, 2060))
    grown.add_arms(places("euclidean", 40, seed=6))
    assert isinstance(grown._engine, parts.GrownEngine)
    random, chosen = np.random.default_rng(3), []
    for k in range(30):
        time = 1.5 + 0.01 * k
        if k == 10:
            # New arms get the largest index.
            grown.update(np.full(20, time), np.arange(2040, 2060), np.full(20, 2.0))
        if k == 15:
            qd.save(grown, tmp_path / "policy.qd")
            grown = qd.load(tmp_path / "policy.qd", arms=grown.arms)
        if k == 20:
            grown = copy.deepcopy(grown)
            grown.expect([time, time], [5, 2050])
        mask = random.random(2100) < (0.5 if k % 3 else 1.1)
        index = grown.index(time)
        arm = grown.select(time, among=None if k % 3 == 0 else mask)
        assert index[arm] >= index[mask].max() - (1e-9 if engine == "exact" else 1.1e-3)
        grown.update(time, arm, reward(grown, arm))
        chosen.append(arm)
    assert max(chosen) >= 2000 > min(chosen)
    whole = qd.QuickDraw(grown.arms, engine=engine, **settings)
    whole.update(*grown.observations)
    whole.expect(*grown.pending)
    for one, other in zip(grown.estimate(2.0), whole.estimate(2.0), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_very_many_new_arms_get_one_engine_with_all(monkeypatch):
    monkeypatch.setattr(parts, "VERY_MANY", 1000)
    policy = qd.QuickDraw(qd.Arms(places("euclidean", 2000)), engine="cached", **SETTINGS)
    teach(policy, 2000)
    policy.add_arms(places("euclidean", 501, seed=5))
    assert not isinstance(policy._engine, parts.GrownEngine)
    index = policy.index(1.6)
    assert index[policy.select(1.6)] >= index.max() - 1.1e-3


def test_the_adaptive_policy_finds_arms_that_were_added_to_very_many():
    policy = qd.AdaptiveQuickDraw(qd.Arms(0.8 * places("euclidean", 6000)), seed=0)
    teach(policy, 6000, n=60)
    policy.select(0.61)
    new = policy.add_arms(np.full((3, 2), 0.95) + 0.001 * np.arange(3)[:, None])
    for k, arm in enumerate([*new, *new]):
        policy.update(0.62 + 0.01 * k, arm, 3.0)
    assert policy.select(0.7) in new
    assert policy.select(0.71, among=np.arange(6003) >= 1000) in new
    assert len(policy.add_arms(places("euclidean", 1100, seed=4))) == 1100
    assert policy.select(0.72) in range(7103)


@pytest.mark.parametrize(("engine", "kept"), [("cached", False), ("tree", True)])
def test_arms_far_outside_of_very_many(engine, kept, monkeypatch):
    """Tables compare coordinates in float32, relative to the bounding box of their arms: they are built again."""
    monkeypatch.setattr(parts, "VERY_MANY", 1000)
    policy = qd.QuickDraw(qd.Arms(places("euclidean", 2000)), engine=engine, tolerance=1e-4, **SETTINGS)
    teach(policy, 2000)
    policy.select(1.5)
    new = policy.add_arms([[3e5, -2e5], [0.4, 0.4]])
    assert isinstance(policy._engine, parts.GrownEngine) == kept
    policy.update(np.full(2, 1.5), new, [0.3, 0.2])
    for k in range(20):
        arm = policy.select(1.51 + 0.01 * k)
        index = policy.index(1.51 + 0.01 * k)
        assert index[arm] >= index.max() - 1e-4
        policy.update(1.51 + 0.01 * k, arm, reward(policy, arm))
