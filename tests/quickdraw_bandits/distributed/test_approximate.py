"""Engines with a tolerance: choices are within it, and ties at the cap are fair over shards of any size."""

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.distributed import ShardedQuickDraw

SCALES = {"length_scale": 0.3, "time_scale": 0.5}


@pytest.mark.parametrize("engine", ["auto", "cached", "tree"])
def test_choices_are_within_the_tolerance(deployment, engine):
    random = np.random.default_rng(1)
    points = random.random((3000, 2))
    parts = [points[:100], points[100:900], points[900:]]
    many = ShardedQuickDraw(parts, engine=engine, seed=0, deployment=deployment, **SCALES)
    exact = qd.QuickDraw(qd.Arms(points), engine="exact", seed=0, **SCALES)
    for k in range(150):
        time = 0.01 * k
        arm = many.select(time)
        if k:
            index = exact.index(time)
            assert index[arm] >= index.max() - many.tolerance
        paid = 0.5 + 0.3 * np.sin(9 * points[arm].sum() + 2 * time)
        for policy in (many, exact):
            policy.update(time, arm, paid)


@pytest.mark.parametrize(("engine", "kinds"), [("tree", "ttt"), ("cached", "ccc")])
def test_arms_at_the_cap_are_equally_likely_in_small_and_in_large_shards(deployment, engine, kinds):
    """What was seen lies left; all arms right of it are at the cap, a few of them in a shard of their own."""
    x = np.concatenate([np.linspace(0, 0.1, 20), np.linspace(0.5, 1.0, 90)])
    parts = [x[:60], x[60:70], x[70:]]
    policy = ShardedQuickDraw(parts, engine=engine, seed=5, cap=0.5, length_scale=0.2, deployment=deployment)
    policy.update(np.zeros(20), np.arange(20), np.zeros(20))
    at_cap = np.flatnonzero(policy.index(0.01) >= 0.5)
    assert (at_cap >= 20).all()
    chosen = np.bincount([policy.select(0.01) for _ in range(1500)], minlength=110)
    assert chosen[at_cap].sum() == 1500
    expected = 1500 * np.array([(at_cap < 60).sum(), ((at_cap >= 60) & (at_cap < 70)).sum(), (at_cap >= 70).sum()])
    expected = expected / len(at_cap)
    found = np.array([chosen[:60].sum(), chosen[60:70].sum(), chosen[70:].sum()])
    assert (((found - expected) ** 2 / expected).sum()) < 13.8  # p = 0.001 with two degrees of freedom


def test_offers_of_counted_and_of_uncounted_arms_race_fairly():
    from quickdraw_bandits.distributed.offers import draw

    random = np.random.default_rng(0)
    won = [draw([30, 1], [np.inf, random.exponential() / 10], random)[0] for _ in range(4000)]
    assert abs(np.mean(won) - 0.25) < 0.03
