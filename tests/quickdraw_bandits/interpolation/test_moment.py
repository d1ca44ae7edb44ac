"""Several choices at one time, as a program that keeps a log makes them: against the index at every arm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation.engines.tables import engine as tables

N_ARMS = 700


def arms_of(metric, random):
    points = random.random((N_ARMS, 2))
    if metric == "precomputed":
        return qd.Arms(np.abs(points[:, :1] - points[:, :1].T), metric=metric)
    return qd.Arms(points, metric=metric)


def learned(metric, random, **settings):
    policy = qd.QuickDraw(arms_of(metric, random), length_scale=0.3, time_scale=2.0, seed=0, **settings)
    pulled = random.integers(N_ARMS, size=150)
    policy.update(np.arange(150) * 0.01, pulled, np.sin(np.arange(N_ARMS) / 90)[pulled] / 2)
    return policy


@settings(max_examples=40, deadline=None)
@given(
    engine=st.sampled_from(["exact", "cached"]),
    metric=st.sampled_from(["euclidean", "cosine", "haversine", "precomputed"]),
    sharpness=st.sampled_from([1, 2, 3]),
    cap=st.sampled_from([None, 0.6]),
    noise_variance=st.sampled_from([1e-7, 1e-2]),
    n_pending=st.sampled_from([1, 5, 300]),
    part=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_every_choice_has_the_largest_index(engine, metric, sharpness, cap, noise_variance, n_pending, part, seed):
    random = np.random.default_rng(seed)
    policy = learned(metric, random, sharpness=sharpness, cap=cap, noise_variance=noise_variance, engine=engine)
    best_before = np.argsort(policy.index(1.5))[-200:]
    policy.expect(1.5 - random.random(n_pending) * 0.1, random.choice(best_before, size=n_pending))
    before = policy.pending
    mask = random.random(N_ARMS) < (0.7 if part else 2.0)
    among = policy._allowed(mask) if part else None
    chosen = []
    policy._begin_asking()
    for k in range(20):
        time = 1.5 if k < 12 else 1.51
        ties = policy._ties(time, among)
        index = np.where(mask, policy.index(time), -np.inf)
        within = 1e-9 if engine == "exact" else 1.1e-3
        assert (index[ties] >= index.max() - within).all()
        if engine == "exact":
            assert np.argmax(index) in ties
        # Some arms are pulled twice at the same time, and some pulls end.
        arm = int(ties[0]) if k % 5 else int(before[1][0])
        policy._pending.add(time, arm)
        chosen.append((time, arm))
        if k % 7 == 6:
            policy._pending.remove(*chosen.pop(-2 if k > 10 else -1))
    for pull in reversed(chosen):
        assert policy._pending.remove(*pull)
    policy._end_asking()
    np.testing.assert_array_equal(policy.pending, before)


@pytest.mark.parametrize("engine", ["exact", "cached"])
def test_choices_in_one_go_are_those_made_one_by_one(engine):
    def choices(apart):
        policy = learned("euclidean", np.random.default_rng(0), engine=engine)
        policy.expect(np.linspace(1.4, 1.5, 30), np.arange(30) * 20)
        found = []
        policy._begin_asking()
        for _ in range(60):
            ties = policy._ties(1.5, None)
            found.append(ties.tolist())
            policy._pending.add(1.5, int(ties[0]))
            if apart:
                policy._end_asking()
                policy._begin_asking()
        return found

    assert choices(apart=True) == choices(apart=False)


def test_more_pulls_than_there_is_room_for():
    policy = learned("euclidean", np.random.default_rng(0), engine="exact", noise_variance=1e-2)
    policy.expect(1.5, 3)
    policy._begin_asking()
    for _ in range(300):
        policy._pending.add(1.5, int(policy._ties(1.5, None)[0]))
    index = policy.index(1.5)
    ties = policy._ties(1.5, None)
    np.testing.assert_allclose(index[ties], index.max(), rtol=1e-12)


def test_a_pull_in_the_place_of_another_is_noticed():
    policy = learned("euclidean", np.random.default_rng(0), engine="exact", noise_variance=1e-2)
    policy.expect(1.5, 3)
    policy._begin_asking()
    first = int(policy._ties(1.5, None)[0])
    policy._pending.add(1.5, N_ARMS - 1 - first)
    policy._ties(1.5, None)
    policy._pending.remove(1.5, N_ARMS - 1 - first)
    for _ in range(20):  # enough for another arm to be the best
        policy._pending.add(1.5, first)
        index = policy.index(1.5)
        np.testing.assert_allclose(index[policy._ties(1.5, None)], index.max(), rtol=1e-12)
    assert first not in policy._ties(1.5, None)


@pytest.mark.parametrize("cap", [None, 0.6])
@pytest.mark.parametrize("engine", ["exact", "cached"])
def test_with_very_many_observations_tables_alone_decide(engine, cap, monkeypatch):
    """Only the exact engine sums over all observations; the other stays within the error of its tables."""
    monkeypatch.setattr(tables, "MOST_SUMMED", 0)
    policy = learned("euclidean", np.random.default_rng(1), engine=engine, cap=cap, tolerance=1e-9)
    policy.expect(np.linspace(1.4, 1.5, 30), np.arange(30) * 20)
    summed, estimate = [], tables.TablesEngine.estimate
    policy._begin_asking()
    for _ in range(40):
        with monkeypatch.context() as patch:
            patch.setattr(tables.TablesEngine, "estimate", lambda *asked: summed.append(1) or estimate(*asked))
            ties = policy._ties(1.5, None)
        index = policy.index(1.5)
        assert index[ties].min() >= index.max() - (1e-9 if engine == "exact" else 1e-3)
        policy._pending.add(1.5, int(ties[0]))
    assert bool(summed) is (engine == "exact")
