"""Bounds in single precision, and groups searched with them, against plain computations."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive.correlation import FAMILIES, Rates, correlation
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.rough_bounds import (
    Groups,
    Wanted,
    bound_rounded,
    highest,
    members,
    potentials,
    renew,
    to_search,
)
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.space import NONE, Targets
from quickdraw_bandits.policies.adaptive.upper_bounds import ROUNDING

GAMMA = 0.7


def model_of(places, n, seed, length=0.2, noise=1e-3):
    """Return a model of rewards that vary smoothly over the places."""
    random = np.random.default_rng(seed)
    arms = random.choice(len(places), size=n, replace=False)
    merged = places[arms], np.ones(n), np.sin(5 * places[arms].sum(axis=1) / length / 5), np.zeros(n)
    sample = SpaceTimeSample(*merged, -np.sort(random.random(n)) * 50, arms, NONE, np.arange(n))
    family, share = FAMILIES[seed % len(FAMILIES)], 0.3 * (seed // len(FAMILIES) % 2)
    model = Model(sample, Candidate(family, length, 80.0, noise, places.shape[1], share))
    model.prepare()
    return model


def targets_of(places):
    return Targets(np.ascontiguousarray(places.T), NONE, np.arange(len(places)))


def exact_index(model, places):
    mean, deviation = model.estimate(targets_of(places))
    return mean + GAMMA * deviation


cases = given(
    dimension=st.sampled_from([1, 2, 3, 4, 5, 8]),
    n=st.sampled_from([1, 2, 33, 90]),
    scale=st.sampled_from([1.0, 1e-6]),
    seed=st.integers(0, 2**32 - 1),
)


@settings(max_examples=40, deadline=None)
@cases
def test_they_are_the_bounds_in_double_precision_but_for_rounding(dimension, n, scale, seed):
    """Also where all arms are within a millionth of the diameter, far from the origin."""
    places = 0.5 + scale * np.random.default_rng(seed).random((700, dimension))
    model = model_of(places, n, seed, length=0.2 * scale)
    mean, bounds = model.bounds(targets_of(places), GAMMA)
    means, rounded = bound_rounded(targets_of(places), *model.observed, GAMMA)
    # Sums are rounded in proportion to the sum of the absolute weights. Deviations of almost 0 are too large by 0.002.
    off = 1e-5 * np.abs(model.observed[0].weights).sum()
    np.testing.assert_allclose(means, mean, atol=off)
    np.testing.assert_allclose(rounded, bounds + ROUNDING * GAMMA + model.observed[0].error, atol=off + 0.003 * GAMMA)
    assert (rounded >= exact_index(model, places) - off).all()


@pytest.mark.parametrize("seed", range(3))
def test_rewards_without_noise_have_bounds_too(seed):
    """Smooth rewards make large weights that cancel: means in single precision are off by far more than ROUNDING."""
    policy = qd.AdaptiveQuickDraw(qd.Arms(np.linspace(0, 1, 5000)), seed=seed)
    random, off, above = np.random.default_rng(seed), [], []
    for k in range(100):
        policy.select(float(k))
        arm = int(random.integers(5000))
        policy.update(float(k), arm, -((arm / 5000 - 0.4) ** 2))
        if k > 20 and k % 8 == 0:
            belief = policy._model(float(k), 0)
            targets = policy._space.towards(np.arange(0, 5000, 7), belief.model.sample.arms)
            mean, deviation = belief.model.estimate(targets)
            rounded, bounds = bound_rounded(targets, *belief.model.observed, belief.gamma)
            off.append(np.abs(rounded - mean).max() / belief.gamma)
            above.append((bounds - mean - belief.gamma * deviation).min() / belief.gamma)
    assert max(off) > 10 * ROUNDING
    assert min(above) >= 0


def grouped(places, size):
    """Return groups of arms in the order in which they are given, each represented by its first."""
    edges = np.append(np.arange(0, len(places), size), len(places))
    parts = [places[a:b] for a, b in pairwise(edges)]
    diagonals = np.array([np.linalg.norm(np.ptp(part, axis=0)) for part in parts])
    columns = np.ascontiguousarray(places[edges[:-1]].T)
    return Groups(edges, diagonals, edges[:-1].copy(), columns, np.full(len(parts), np.inf))


def test_members_of_groups_and_others():
    places = np.random.default_rng(0).random((100, 3))
    groups, names = grouped(places, 8), np.random.default_rng(1).permutation(100)
    rows, columns, arms = members(
        np.ascontiguousarray(places.T), names, groups, np.array([0, 5, 12]), np.array([99, 41])
    )
    np.testing.assert_array_equal(rows, [*range(8), *range(40, 48), *range(96, 100), 99, 41])
    np.testing.assert_array_equal(columns, places[rows].T)
    np.testing.assert_array_equal(arms, names[rows])


@settings(max_examples=30, deadline=None)
@cases
@example(dimension=2, n=90, scale=1.0, seed=2)  # smooth, without own levels: some bounds must be lowered
def test_bounds_lowered_by_the_representative_are_still_bounds(dimension, n, scale, seed):
    places = scale * np.sort(np.random.default_rng(seed).random((600, dimension)), axis=0)
    model, groups = model_of(places, n, seed, length=0.2 * scale), grouped(places, 64)
    index, heads = exact_index(model, places), groups.heads.copy()
    deviations = GAMMA * model.estimate(targets_of(places[heads]))[1]
    some = np.array([1, 3, 9])
    rows, columns, names = members(targets_of(places).columns, np.arange(600), groups, some, np.arange(0))
    targets = Targets(columns, NONE, names)
    means, bounds = bound_rounded(targets, *model.observed, GAMMA)
    before = bounds.copy()
    renew(groups, some, targets, model.observed[0], GAMMA, -np.inf, deviations[some], np.zeros(3), means, bounds)
    off = 1e-5 * np.abs(model.observed[0].weights).sum()
    assert (bounds <= before).all()
    assert (bounds >= index[rows] - off).all()
    assert (bounds < before).any() or n < 90 or model.candidate.family != "smooth" or model.candidate.share > 0
    ends = np.cumsum([64, 64, 24])
    for g, its, part in zip(some, np.split(rows, ends[:-1]), np.split(bounds, ends[:-1]), strict=True):
        assert groups.heads[g] == its[part.argmax()]
        assert groups.found[g] == part.max()
        np.testing.assert_array_equal(groups.columns[:, g], places[groups.heads[g]])
    others = np.setdiff1d(np.arange(len(heads)), some)
    np.testing.assert_array_equal(groups.heads[others], heads[others])


def test_of_equal_bounds_each_is_drawn():
    places = np.zeros((12, 2))
    model, groups = model_of(places, 3, seed=2), grouped(places, 6)
    targets = targets_of(places[:6])
    drawn = []
    for draw in (0.0, 0.4, 0.99):
        means, bounds = np.zeros(6, np.float32), np.array([0, 1, 0, 1, 1, 0], np.float32)
        renew(
            groups, np.arange(1), targets, model.observed[0], GAMMA, 2.0, np.zeros(1), np.array([draw]), means, bounds
        )
        drawn.append(int(groups.heads[0]))
    assert drawn == [1, 3, 4]


def test_potentials_against_the_formula():
    random = np.random.default_rng(0)
    widths = np.where(np.arange(80) % 2, 0.002, 0.1)[:, None, None]  # narrow and wide, in length scales of 0.05
    places = (random.random((80, 1, 2)) + widths * random.random((80, 8, 2))).reshape(640, 2)
    groups, rates = grouped(places, 8), Rates.of(0.05, 80.0, "rough")
    groups.found[:40], groups.found[40:] = 0.3, np.inf
    before, index = groups.found.copy(), np.random.default_rng(1).random(80)
    reach = np.sqrt(2 - 2 * correlation(groups.diagonals**2, 0.0, False, rates))
    latest = np.array([[0.5], [0.5]])
    got = potentials(groups, 3 * reach, latest, index, GAMMA, rates.near)
    for g in range(80):
        length = 1 / math.sqrt(rates.near)
        near = math.dist(places[groups.heads[g]], (0.5, 0.5)) < groups.diagonals[g] + length
        found = max(np.inf if near and groups.diagonals[g] > length / 2 else before[g] + 0.02 * GAMMA, index[g])
        assert groups.found[g] == pytest.approx(found)
        assert got[g] == pytest.approx(min(found, index[g] + 3 * reach[g]))
    assert 0 < np.isinf(groups.found[0:40:2]).sum() < 20
    assert np.isfinite(groups.found[1:40:2]).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40), st.integers(1, 10))
def test_the_highest_values(values, count):
    values = np.array(values, dtype=np.float64)
    found = highest(values, count, -np.inf)
    assert len(set(found.tolist())) == len(found) == min(count, len(values))
    np.testing.assert_array_equal(values[found], np.sort(values)[::-1][:count])


@settings(max_examples=30, deadline=None)
@cases
def test_rounded_bounds_are_tightened_to_the_largest_index(dimension, n, scale, seed):
    """With and without lowering the bounds of neighbours, which changes how much is computed and not what."""
    places = scale * np.sort(np.random.default_rng(seed).random((500, dimension)), axis=0)
    model = model_of(places, n, seed, length=0.2 * scale)
    index = exact_index(model, places)
    off = 1e-5 * np.abs(model.observed[0].weights).sum()
    for around in (0, 32):
        means, bounds = (each.astype(np.float64) for each in bound_rounded(targets_of(places), *model.observed, GAMMA))
        got, exact, best = model.largest(targets_of(places), GAMMA, 0.01 * GAMMA, means, bounds, True, around)
        np.testing.assert_allclose(got[exact], index[exact], atol=1e-7)
        assert (got >= index - off).all()
        assert index.max() - 0.01 * GAMMA - off <= best <= index.max() + 1e-7
        assert got.max() <= best + 0.01 * GAMMA + 1e-12


def test_nothing_below_the_floor_is_among_the_highest():
    values = np.array([3.0, 1.0, np.inf, 2.0, 2.5])
    assert highest(values, 4, 2.5).tolist() == [2, 0, 4]
    assert highest(values, 2, 2.5).tolist() == [2, 0]
    assert highest(values, 3, 9.0).tolist() == [2]


@pytest.mark.parametrize("room", [0, 300, 10**6])
def test_groups_to_search_are_those_of_the_rule(room):
    """As plain NumPy says it."""
    random = np.random.default_rng(room)
    edges = np.concatenate([[0], np.cumsum(random.integers(1, 90, size=500))])
    potential, index = random.normal(size=500), random.normal(size=500)
    nothing = np.empty(500)
    groups = Groups(edges, nothing, edges[:-1], np.empty((2, 500)), nothing)
    last = np.array([7, 7, 499])
    found = to_search(groups, potential, index, Wanted(5, 40, 0.8, room, 495, 10, last))
    most = np.argsort(-potential)[:40]
    fits = np.cumsum(np.diff(edges)[most]) <= room
    fits[:5] = True
    most = most[fits & (potential[most] >= 0.8)]
    wanted = np.concatenate([np.argsort(-index)[:5], most, (495 + np.arange(10)) % 500, last])
    assert found.tolist() == np.unique(wanted).tolist()
