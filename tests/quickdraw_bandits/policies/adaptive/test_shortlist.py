"""Shortlists of very many arms: what is on them, and what they miss."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive import shortlist
from quickdraw_bandits.policies.adaptive.correlation import FAMILIES
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.shortlist import FEW, Shortlist, affordable
from quickdraw_bandits.policies.adaptive.space import NONE, Targets
from quickdraw_bandits.policies.adaptive.upper_bounds import ROUNDING


def model_of(places, n, seed):
    """Return a model of some rewards at some of the places."""
    random = np.random.default_rng(seed)
    arms = random.integers(len(places), size=n)
    times = -np.sort(random.random(n)) * 100
    merged = places[arms], np.ones(n), random.uniform(-1, 1, n), np.zeros(n)
    sample = SpaceTimeSample(*merged, times, arms, np.empty((0, 0)), np.arange(n))
    family, share = FAMILIES[seed % len(FAMILIES)], 0.3 * (seed // len(FAMILIES) % 2)
    candidate = Candidate(family, 0.1, 80.0, 0.03, places.shape[1], share)
    model = Model(sample, candidate)
    model.prepare()
    return model


def bounds_of(model, places, gamma):
    return model.bounds(Targets(np.ascontiguousarray(places.T), NONE, np.arange(len(places))), gamma)


@settings(max_examples=25, deadline=None)
@given(
    n_arms=st.sampled_from([4097, 6000, 9001]),
    dimension=st.integers(1, 4),
    n=st.sampled_from([1, 20, 61]),
    gamma=st.sampled_from([0.0, 0.3, 2.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_if_all_can_be_bounded_the_highest_of_all_are_listed(n_arms, dimension, n, gamma, seed):
    places = np.random.default_rng(seed).random((n_arms, dimension))
    model = model_of(places, n, seed)
    assert affordable(model) >= n_arms
    (columns, _, arms), mean, index, _ = Shortlist(places).search(model, gamma, np.random.default_rng(seed))
    means, indices = bounds_of(model, places, gamma)
    possible = np.flatnonzero(indices >= means.max())
    expected = np.sort(indices[possible])[-FEW:]
    np.testing.assert_allclose(np.sort(index), expected, rtol=1e-9, atol=1e-12)
    assert len(set(arms.tolist())) == len(arms)
    np.testing.assert_array_equal(columns, places[arms].T)
    np.testing.assert_allclose(index, indices[arms], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(mean, means[arms], rtol=1e-9, atol=1e-12)


@pytest.fixture
def little_work(monkeypatch):
    """Too little for all arms, so that groups are searched in turn."""
    monkeypatch.setattr(shortlist, "WORK", 100_000)


@pytest.mark.parametrize("n_arms", [4097, 10_000])
def test_all_groups_are_searched_in_turn(little_work, n_arms):
    """So that the best of all arms is found, however bad the group was when it was last searched."""
    places = np.random.default_rng(n_arms).random((n_arms, 3))
    searched = Shortlist(places)
    searched.search(model_of(places, 30, seed=1), 1.0, np.random.default_rng(0))
    model = model_of(places, 40, seed=2)
    assert affordable(model) < n_arms
    found, times = searched._found.copy(), len(groups_of(searched)) // shortlist.BEST[0] + 1
    found[:] = np.nan
    for _ in range(times):
        searched._found[:] = -np.inf  # nothing is promising
        listed = searched.search(model, 1.0, np.random.default_rng(0))
        found = np.fmax(found, searched._found)
    mean, deviation = model.estimate(Targets(np.ascontiguousarray(places.T), NONE, np.arange(n_arms)))
    index = mean + deviation
    assert index[listed.targets.arms].max() >= index.max() - shortlist.ROUNDED_SLACK
    for group, bound in zip(groups_of(searched), found, strict=True):
        assert bound >= index[group].max()


def groups_of(searched):
    """Return the arms of every group."""
    return np.split(searched._all.arms, searched._edges[1:-1])


@pytest.mark.parametrize("n_arms", [4097, 70_001])
def test_every_arm_is_in_one_group_of_those_near_it(n_arms):
    places = np.random.default_rng(0).random((n_arms, 2))
    searched = Shortlist(places)
    groups = groups_of(searched)
    assert sorted(np.concatenate(groups).tolist()) == list(range(n_arms))
    assert {len(group) for group in groups} <= set(range(32, 65))
    assert max(np.ptp(places[group], axis=0).max() for group in groups) < 6 * (64 / n_arms) ** 0.5
    np.testing.assert_array_equal(searched._all.arms[searched._position], np.arange(n_arms))


def test_the_best_of_the_observed_arms_is_on_the_list(little_work):
    places = np.random.default_rng(1).random((7000, 3))
    searched = Shortlist(places)
    for seed in range(20):
        model = model_of(places, 50, seed)
        indices = bounds_of(model, places, 0.1)[1]
        best = model.sample.arms[indices[model.sample.arms].argmax()]
        listed = searched.search(model, 0.1, np.random.default_rng(0))
        assert best in listed.targets.arms or indices[best] < listed.mean.max()


def test_only_arms_that_may_be_chosen_are_listed(little_work):
    places = np.random.default_rng(1).random((7000, 3))
    searched, model = Shortlist(places), model_of(places, 50, seed=3)
    mask = np.random.default_rng(2).random(7000) < 0.5
    for _ in range(3):
        listed = searched.search(model, 1.0, np.random.default_rng(0), mask)
        assert len(listed.bounds) > 0
        assert mask[listed.targets.arms].all()
    assert len(searched.search(model, 1.0, np.random.default_rng(0), np.zeros(7000, dtype=bool)).bounds) == 0


@pytest.mark.parametrize("work", [100_000, shortlist.WORK])
def test_added_arms_are_on_every_list(monkeypatch, work):
    monkeypatch.setattr(shortlist, "WORK", work)
    places = np.random.default_rng(1).random((7800, 3))
    searched, model = Shortlist(places[:7000]), model_of(places, 80, seed=3)
    assert (model.sample.arms >= 7000).any()
    means, indices = bounds_of(model, places, 1.0)
    mask = np.random.default_rng(2).random(7800) < 0.5
    for n_arms in (7001, 7400, 7800):
        assert searched.extend(places[7000:n_arms])
        for _ in range(3):
            (columns, _, arms), mean, bounds, _ = searched.search(model, 1.0, np.random.default_rng(0))
            assert set(range(7000, n_arms)) <= set(arms.tolist())
            assert len(set(arms.tolist())) == len(arms) <= FEW
            np.testing.assert_array_equal(columns, places[arms].T)
            np.testing.assert_allclose(mean, means[arms], atol=1e-5)
            assert (bounds <= indices[arms] + ROUNDING + model.observed[0].error + 1e-5).all()
        some = searched.search(model, 1.0, np.random.default_rng(0), mask[:n_arms]).targets.arms
        assert set(np.flatnonzero(mask[:n_arms])[mask[:7000].sum() :].tolist()) <= set(some.tolist())
        assert mask[some].all()


def test_too_many_added_arms_are_refused():
    places = np.random.default_rng(1).random((7000, 3))
    searched = Shortlist(places[:5000])
    assert searched.extend(places[5000 : 5000 + shortlist.MOST_ADDED])
    assert not searched.extend(places[5000 : 5001 + shortlist.MOST_ADDED])
    assert len(searched.added.arms) == shortlist.MOST_ADDED


def test_a_list_whose_arms_may_not_be_chosen_is_empty_even_if_added_ones_may(little_work):
    """So that all arms that may be chosen are looked at, and not those added alone."""
    places = np.random.default_rng(1).random((7010, 3))
    searched, model = Shortlist(places[:7000]), model_of(places, 50, seed=3)
    assert searched.extend(places[7000:])
    listed = searched.search(model, 1.0, np.random.default_rng(0), np.arange(7010) >= 7000)
    assert len(listed.bounds) == 0


def test_searches_of_a_copy_change_nothing(little_work):
    places = np.random.default_rng(1).random((7000, 3))
    searched = Shortlist(places)
    searched.search(model_of(places, 30, seed=1), 1.0, np.random.default_rng(0))
    before, model = copy.deepcopy(searched), model_of(places, 50, seed=2)
    twin = copy.copy(searched)
    twin.search(model, 1.0, np.random.default_rng(0))
    assert (twin._representatives != searched._representatives).any()
    np.testing.assert_array_equal(searched._representatives, before._representatives)
    np.testing.assert_array_equal(searched._columns, before._columns)
    assert searched._turn == before._turn


def test_arms_far_from_others_are_in_groups_of_few():
    """Groups that are wide would hide most of their arms behind one representative."""
    random = np.random.default_rng(0)
    places = np.concatenate([0.1 * random.random((60_000, 2)), 1 + 20 * random.random((1000, 2))])
    groups = groups_of(Shortlist(places))
    assert sorted(np.concatenate(groups).tolist()) == list(range(61_000))
    assert len(groups) == 1024
    far = [len(group) for group in groups if places[group].max() > 1]
    near = [len(group) for group in groups if places[group].max() < 1]
    assert max(far) <= 8 < 60 < np.mean(near)


@pytest.mark.parametrize("n_arms", [4097, 5000])
def test_arms_all_in_one_place(n_arms):
    places = np.zeros((n_arms, 2))
    columns, _, arms = Shortlist(places).search(model_of(places, 5, seed=0), 1.0, np.random.default_rng(0)).targets
    assert len(set(arms.tolist())) == columns.shape[1] > 0


def test_where_nothing_is_known_the_list_is_of_arms_everywhere(little_work):
    """Far from all observations arms have exactly the same bound, and which represents a group is drawn."""
    places = np.linspace(0.0, 1.0, 30_000)[:, None]
    first, merged = np.array([0]), (places[:1], np.ones(1), np.array([-1.0]), np.zeros(1))
    sample = SpaceTimeSample(*merged, np.zeros(1), first, np.empty((0, 0)), first)
    model = Model(sample, Candidate("smooth", 1e-4, 80.0, 0.03, 1))
    model.prepare()
    lists = []
    for seed in range(50):
        searched = Shortlist(places)
        searched.search(model, 1.0, np.random.default_rng(seed))
        lists.append(searched._all.arms[searched._representatives])
    tenths = np.bincount(np.concatenate(lists) // 3000, minlength=10)
    assert np.abs(tenths / tenths.sum() - 0.1).max() < 0.01
    assert len(set(np.concatenate(lists).tolist())) > 10_000


@pytest.mark.slow
@pytest.mark.parametrize(("dimension", "metric"), [(2, "euclidean"), (5, "euclidean"), (16, "cosine")])
def test_the_index_of_the_choice_is_close_to_the_largest(monkeypatch, dimension, metric):
    """Clusters of arms with a few far from all others, which searches from coarse to fine miss."""
    monkeypatch.setattr(shortlist, "WORK", 1_000_000)  # a tenth of the usual: room for some hundred of 20,000 arms
    random = np.random.default_rng(dimension)
    centres = random.normal(size=(50, dimension))
    spread = 0.5 * random.normal(size=(20_000, dimension)) * random.gamma(2, 0.5, size=(20_000, 1))
    arms = qd.Arms(centres[random.integers(50, size=20_000)] + spread, metric=metric)
    wave, phase = random.normal(size=(2, dimension)), random.uniform(0, 6, 2)
    policy, losses = qd.AdaptiveQuickDraw(arms, seed=0), []
    for k in range(160):
        arm = policy.select(float(k))
        reward = np.sin(wave @ arms.points[arm] + phase + 0.01 * k).sum() + 0.1 * random.normal()
        policy.update(float(k), arm, float(reward))
        if k >= 60 and k % 4 == 0:
            policy._stay = None  # a stay plays on without a search
            chosen = copy.deepcopy(policy).select(float(k + 1))
            twin = copy.deepcopy(policy)
            twin.select(float(k + 1))
            index = twin.index(float(k + 1))
            losses.append((index.max() - index[chosen]) / twin.scales.gamma)
    assert np.mean(losses) <= 0.01
    assert max(losses) <= 0.05


@pytest.mark.parametrize("n", [10, 150])
def test_narrow_coordinates_and_observations_elsewhere(n, monkeypatch):
    """A part of the arms: kept as they are, in blocks, with observations of arms before and behind them."""
    monkeypatch.setattr(shortlist, "BLOCK", 1000)
    narrow = np.random.default_rng(0).random((20_000, 2)).astype(np.float32)
    wide = narrow.astype(np.float64)
    model = model_of(wide, n, 4)
    model.sample.arms[: n // 2] -= 20_000
    model.sample.arms[n // 2 : n // 2 + 2] += 20_000
    lists = Shortlist(narrow), Shortlist(wide)
    for seed in range(5):
        found, same = (each.search(model, 1.0, np.random.default_rng(seed)) for each in lists)
        assert found.targets.columns.dtype == np.float64
        np.testing.assert_array_equal(found.targets.arms, same.targets.arms)
        np.testing.assert_allclose(found.bounds, same.bounds, rtol=1e-12)
