"""The compiled search for a shortlist against the plain one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.policies.adaptive import reference
from quickdraw_bandits.policies.adaptive.correlation import FAMILIES
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.narrowing import narrow
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.shortlist import BEAM, FINEST, FIRST_HALVINGS, Shortlist
from quickdraw_bandits.policies.adaptive.space import Targets


def model_of(places, n, seed):
    """Return a model of some rewards at some of the places."""
    random = np.random.default_rng(seed)
    arms = random.integers(len(places), size=n)
    times = -np.sort(random.random(n)) * 100
    merged = places[arms], np.ones(n), random.uniform(-1, 1, n), np.zeros(n)
    sample = SpaceTimeSample(*merged, times, arms, np.empty((0, 0)), np.arange(n))
    candidate = Candidate(FAMILIES[seed % 3], 0.1, 80.0, 0.03, np.zeros(places.shape[1]), 0.3 * (seed % 2))
    model = Model(sample, candidate)
    model.prepare()
    return model


@settings(max_examples=25, deadline=None)
@given(
    n_arms=st.sampled_from([4097, 4100, 6000, 9001]),
    dimension=st.integers(1, 4),
    n=st.sampled_from([1, 20, 61]),
    gamma=st.sampled_from([0.0, 0.3, 2.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_same_arms_as_in_plain_numpy(n_arms, dimension, n, gamma, seed):
    places = np.random.default_rng(seed).random((n_arms, dimension))
    model = model_of(places, n, seed)
    searched = Shortlist(places)
    order = searched._order

    def bound(positions):
        arms = order[positions].astype(np.int64)
        return model.bounds(Targets(np.ascontiguousarray(places[arms].T), np.empty((0, 0)), arms), gamma)[1]

    seen = set(np.flatnonzero(np.isin(order, model.sample.arms)).tolist())
    order_of_ties = np.random.default_rng(seed).permutation(2**FIRST_HALVINGS)
    positions = reference.shortlist(n_arms, FIRST_HALVINGS, BEAM, FINEST, bound, seen, order_of_ties)
    columns, _, arms = searched.search(model, gamma, np.random.default_rng(seed))
    np.testing.assert_array_equal(arms, order[positions])
    np.testing.assert_array_equal(columns, places[arms].T)


def test_every_arm_has_one_position():
    places = np.random.default_rng(0).random((5000, 2))
    searched = Shortlist(places)
    assert sorted(searched._order.tolist()) == list(range(5000))
    np.testing.assert_array_equal(searched._order[searched._position], np.arange(5000))
    np.testing.assert_array_equal(searched._points, places[searched._order])


def test_the_arms_of_observations_are_on_the_list():
    places = np.random.default_rng(1).random((7000, 3))
    model = model_of(places, 50, seed=3)
    arms = Shortlist(places).search(model, 0.1, np.random.default_rng(0)).arms
    assert set(model.sample.arms.tolist()) <= set(arms.tolist())
    assert len(arms) == len(set(arms.tolist())) <= FINEST * (BEAM + 50)


@given(
    values=st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0, 3.0]), min_size=2, max_size=40),
    beam=st.integers(1, 39),
    lengths=st.integers(1, 9),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_ranges_of_the_largest_index_are_halved(values, beam, lengths, seed):
    """Of equal ones the first; ranges of at most four positions stay whole."""
    index, beam = np.array(values), min(beam, len(values) - 1)
    random = np.random.default_rng(seed)
    edges = np.cumsum(random.integers(1, lengths + 1, size=len(index) + 1))
    begin, end = edges[:-1], edges[1:]
    points, order = random.random((int(edges[-1]) + 1, 2)), random.permutation(2 * len(index))
    expected = []
    for k in sorted(np.argsort(-index, kind="stable")[:beam]):
        middle = (begin[k] + end[k]) // 2
        whole = end[k] - begin[k] <= FINEST
        expected += [(begin[k], end[k])] if whole else [(begin[k], middle), (middle, end[k])]
    least = np.sort(index)[-beam]
    low, high, middles = narrow(points, index, least, begin, end, beam, FINEST, order)
    assert sorted(zip(low.tolist(), high.tolist(), strict=True)) == sorted(expected)
    if len(expected) > beam:
        assert list(zip(low, high, strict=True)) == [expected[k] for k in order if k < len(expected)]
        np.testing.assert_array_equal(middles, points[(low + high) // 2].T)
    else:
        assert middles.shape == (2, 0)


@pytest.mark.parametrize("n_arms", [4097, 5000])
def test_arms_all_in_one_place(n_arms):
    places = np.zeros((n_arms, 2))
    columns, _, arms = Shortlist(places).search(model_of(places, 5, seed=0), 1.0, np.random.default_rng(0))
    assert BEAM <= len(set(arms.tolist())) == columns.shape[1]


def test_where_nothing_is_known_the_list_is_of_arms_everywhere():
    """Far from all observations arms have exactly the same bound, and which are listed is drawn."""
    places = np.linspace(0.0, 1.0, 20000)[:, None]
    first, merged = np.array([0]), (places[:1], np.ones(1), np.array([-1.0]), np.zeros(1))
    sample = SpaceTimeSample(*merged, np.zeros(1), first, np.empty((0, 0)), first)
    model = Model(sample, Candidate("smooth", 1e-4, 80.0, 0.03, np.zeros(1)))
    model.prepare()
    searched = Shortlist(places)
    lists = [searched.search(model, 1.0, np.random.default_rng(seed)).arms for seed in range(50)]
    elsewhere = np.concatenate(lists)
    tenths = np.bincount(elsewhere[elsewhere >= FINEST] // 2000, minlength=10)
    # A tenth each, of 50 times 64 ranges: three standard errors are 0.016.
    assert np.abs(tenths / tenths.sum() - 0.1).max() < 0.02
