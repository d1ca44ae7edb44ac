"""Choices among some arms, and with pending pulls: against the index at every arm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation.engines.tree.pulls import pulls_and_groups
from quickdraw_bandits.interpolation.limits import best_below


@settings(max_examples=25, deadline=None)
@given(
    engine=st.sampled_from(["exact", "cached", "tree"]),
    dimension=st.sampled_from([1, 2]),
    sharpness=st.sampled_from([1, 2]),
    cap=st.sampled_from([None, 0.9]),
    kept=st.sampled_from([0.05, 0.5, 0.95]),
    n_pending=st.sampled_from([0, 1, 5, 100]),
    stationary=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_the_choice_has_the_largest_index_of_those_that_may_be_chosen(
    engine, dimension, sharpness, cap, kept, n_pending, stationary, seed
):
    random = np.random.default_rng(seed)
    points = random.random((3000, dimension))
    policy = qd.QuickDraw(
        qd.Arms(points),
        length_scale=0.3,
        time_scale=None if stationary else 2.0,
        noise_variance=1e-3,
        cap=cap,
        sharpness=sharpness,
        engine=engine,
        seed=seed,
    )
    arms = random.integers(3000, size=150)
    policy.update(np.arange(150) * 0.01, arms, np.sin(6 * points[arms, 0]) / 2)
    time = 1.5
    for _ in range(6):
        time += 0.01
        index = policy.index(time)
        if n_pending:
            # Around the best arms, where they matter.
            pulled = random.choice(np.argsort(index)[-600:], size=n_pending)
            policy.expect(np.full(n_pending, time - 0.05), pulled)
            index = policy.index(time)
        mask = random.random(3000) < kept
        mask[np.argsort(index)[-50:]] = False
        arm = policy.select(time, among=mask)
        assert mask[arm]
        assert index[arm] >= index[mask].max() - (1e-9 if engine == "exact" else 1.1e-3)
        decision = policy.decide(time, among=mask)
        assert mask[decision.arm]
        assert index[decision.arm] >= index[mask].max() - (1e-9 if engine == "exact" else 1.1e-3)
        arm = policy.select(time)
        assert index[arm] >= index.max() - (1e-9 if engine == "exact" else 1.1e-3)
        policy.update(time, arm, float(np.sin(6 * points[arm, 0]) / 2))


def test_groups_hold_all_pulls():
    random = np.random.default_rng(0)
    pulls = random.normal(size=(1000, 3))
    fields = pulls_and_groups(pulls)
    groups = fields["pull_groups"]
    assert len(groups) <= 64
    assert groups[:, -1].sum() == 1000
    begin = 0
    for group in groups:
        some = fields["pulls"][:, begin : begin + int(group[-1])].T
        assert (np.abs(some - group[:3]) <= group[3:6] + 1e-12).all()
        begin += len(some)
    np.testing.assert_array_equal(np.sort(fields["pulls"].T, axis=0), np.sort(pulls, axis=0))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("cap", [np.inf, 0.8])
def test_best_below_finds_all_of_the_best(seed, cap):
    random = np.random.default_rng(seed)
    index = np.minimum(np.round(random.random(5000), 3), cap)
    bounds = index + random.random(5000) * 0.3
    bounds[::7] = -np.inf
    index[::7] = 2.0
    asked = []

    def index_at(arms):
        asked.append(len(arms))
        return index[arms]

    index_of_all = np.where(np.isneginf(bounds), -np.inf, index)
    found = best_below(bounds, index_at, cap)
    np.testing.assert_array_equal(found, np.flatnonzero(index_of_all == index_of_all.max()))
    assert sum(asked) < 5000


def test_a_mask_that_cannot_be_written_to_compiles_nothing():
    from quickdraw_bandits.interpolation.engines.tree.search import search

    policy = qd.QuickDraw(qd.Arms.grid(0, 1, 500), engine="tree", seed=0)
    policy.update([0.0, 0.1], [100, 400], [0.3, 0.6])
    mask = np.ones(500, dtype=bool)
    mask[380:] = False
    policy.select(0.2, among=mask)
    before = len(search.signatures)
    mask.setflags(write=False)
    assert policy.select(0.3, among=mask) < 380
    assert policy.select(0.3, among=np.ones(1000, dtype=bool)[::2]) < 500
    assert len(search.signatures) == before
