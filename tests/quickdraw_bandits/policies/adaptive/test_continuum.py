"""The search for the place of the largest index in a box."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive.continuum import Continuum, _apart
from quickdraw_bandits.policies.adaptive.correlation import FAMILIES
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.space import NONE, Targets

NO_PULLS = np.empty(0)


def model_of(dimension, n, family, noise=0.03, length=0.2, seed=0):
    """Return a model of random rewards in a cube of diagonal 1."""
    random = np.random.default_rng(seed)
    places = random.random((n, dimension)) / np.sqrt(dimension)
    times = -np.sort(random.random(n)) * 40
    merged = places, np.ones(n), random.uniform(-1, 1, n), np.zeros(n)
    sample = SpaceTimeSample(*merged, times, np.zeros(n, dtype=np.int64), np.empty((0, 0)), np.arange(n))
    model = Model(sample, Candidate(family, length, 80.0, noise, dimension))
    model.prepare()
    return model


def index_at(model, places, gamma):
    targets = Targets(np.ascontiguousarray(np.atleast_2d(places).T), NONE, np.zeros(len(places), dtype=np.int64))
    mean, deviation = model.estimate(targets)
    return mean + gamma * deviation


def cube(dimension):
    return np.full(dimension, 1 / np.sqrt(dimension))


@settings(max_examples=30, deadline=None)
@given(
    dimension=st.integers(1, 8),
    n=st.sampled_from([1, 7, 40]),
    family=st.sampled_from(FAMILIES),
    gamma=st.sampled_from([0.0, 0.5, 2.0]),
    seed=st.integers(0, 10**6),
)
def test_a_climb_raises_the_index_and_stays_in_the_box(dimension, n, family, gamma, seed):
    model, high = model_of(dimension, n, family, seed=seed), cube(dimension)
    starts = np.random.default_rng(seed + 1).random((6, dimension)) * high
    before, places = index_at(model, starts, gamma), starts.copy()
    unmoved = model.ascend(starts.copy(), high, gamma, 0)
    np.testing.assert_allclose(unmoved, before, rtol=1e-7, atol=1e-7)
    after = model.ascend(places, high, gamma, 40)
    np.testing.assert_allclose(after, index_at(model, places, gamma), rtol=1e-7, atol=1e-7)
    assert (after >= before - 1e-9).all()
    assert ((places >= 0) & (places <= high)).all()


@settings(max_examples=30, deadline=None)
@given(dimension=st.integers(1, 4), family=st.sampled_from(("rough", "medium", "smooth")), seed=st.integers(0, 10**6))
def test_at_the_end_of_a_climb_no_direction_goes_up(dimension, family, seed):
    model, high = model_of(dimension, 25, family, seed=seed), cube(dimension)
    places = np.random.default_rng(seed).random((4, dimension)) * high
    reached = model.ascend(places, high, 1.0, 400)
    step = 1e-3 * model.candidate.length
    for axis in range(dimension):
        for side in (-step, step):
            moved = places.copy()
            moved[:, axis] = np.clip(moved[:, axis] + side, 0, high[axis])
            assert (index_at(model, moved, 1.0) <= reached + 1e-5).all()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("length", "noise"), [(0.01, 1e-5), (0.05, 0.1), (0.3, 3.0)])
def test_no_point_of_a_grid_has_a_larger_index(family, length, noise):
    box, side = Continuum(qd.Box([0.0, 0.0], [1.0, 1.0])), np.linspace(0, np.sqrt(0.5), 200)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    for seed in range(4):
        model = model_of(2, 90, family, noise=noise, length=length, seed=seed)
        chosen = box.best(model, 0.5, np.random.default_rng(seed), NO_PULLS)
        index = index_at(model, box.places(chosen[None]), 0.5)[0]
        assert index >= index_at(model, grid, 0.5).max() - 0.01 * 0.5


def test_a_pending_place_is_not_chosen_again():
    """A mean so high that no deviation elsewhere makes up for it: the peak of a jagged model is at an observation."""
    place = np.array([[0.3]])
    merged = place, np.ones(1), np.ones(1), np.zeros(1)
    sample = SpaceTimeSample(*merged, np.zeros(1), np.zeros(1, dtype=np.int64), np.empty((0, 0)), np.arange(1))
    model = Model(sample, Candidate("jagged", 0.2, 80.0, 0.03, 1))
    model.prepare()
    box = Continuum(qd.Box(0.0, 1.0))
    for seed in range(10):
        np.testing.assert_allclose(box.best(model, 0.0, np.random.default_rng(seed), NO_PULLS), [0.3], atol=1e-6)
        assert box.best(model, 0.0, np.random.default_rng(seed), place)[0] != 0.3


def test_where_nothing_is_known_any_place_is_as_likely():
    model = model_of(2, 1, "smooth", length=1e-3)
    box = Continuum(qd.Box([2.0, -1.0], [4.0, 1.0]))
    chosen = np.array([box.best(model, 1.0, np.random.default_rng(seed), NO_PULLS) for seed in range(300)])
    assert ((chosen >= [2.0, -1.0]) & (chosen <= [4.0, 1.0])).all()
    inside = chosen[((chosen > [2.0, -1.0]) & (chosen < [4.0, 1.0])).all(axis=1)]
    assert len(inside) > 150
    quarters = np.bincount((inside[:, 0] > 3.0) * 2 + (inside[:, 1] > 0.0), minlength=4) / len(inside)
    assert np.abs(quarters - 0.25).max() < 0.1


def test_climbs_begin_at_the_best_places_that_are_apart():
    places = np.array([[0.0], [0.01], [0.5], [0.52], [0.9]])
    index = np.array([1.0, 0.9, 2.0, 3.0, 0.5])
    np.testing.assert_array_equal(_apart(places, index, 0.1), [[0.52], [0.0], [0.9]])


def test_units_of_coordinates_do_not_matter():
    """Units that differ by a power of two, so that nothing is rounded: the same choices."""

    def choices(unit):
        policy, chosen = qd.AdaptiveQuickDraw(qd.Box([0.0, 0.0], [unit, 2 * unit]), seed=1), []
        for k in range(25):
            arm = policy.select(float(k))
            chosen.append(arm / unit)
            policy.update(float(k), arm, float(np.sin(3 * arm.sum() / unit)))
        return np.array(chosen)

    np.testing.assert_array_equal(choices(2.0**-20), choices(1.0))


@pytest.mark.parametrize("dimension", [1, 2, 4, 8])
def test_a_peak_is_found_and_followed(dimension):
    lost = []
    for seed in range(2):
        policy = qd.AdaptiveQuickDraw(qd.Box([0.0] * dimension, [1.0] * dimension), seed=seed)
        random = np.random.default_rng(seed)
        for k in range(120):
            arm = policy.select(float(k))
            below = float(np.square(arm - 0.3 - 0.002 * k).mean())
            policy.update(float(k), arm, -below + 0.01 * random.normal())
            if k >= 60:
                lost.append(below)
        assert policy.scales.own_level == 0
    by_chance = np.square(np.random.default_rng(1).random((1000, dimension)) - 0.45).mean()
    assert np.mean(lost) < 0.4 * by_chance
