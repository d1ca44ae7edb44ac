"""A polynomial through some indices says which arms of many groups are promising."""

import copy
import itertools

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive import screening
from quickdraw_bandits.policies.adaptive.screening import (
    MIXED,
    Polynomial,
    Screen,
    fit,
    in_groups,
    moments,
    products_of,
)

EDGES = np.array([0, 3, 4, 90, 200])


def some_polynomial(dimension, mixed, seed=0):
    random = np.random.default_rng(seed)
    curvature = random.normal(size=(dimension, dimension))
    curvature = curvature + curvature.T if mixed else np.diag(curvature.diagonal())
    return Polynomial(random.normal(size=dimension), random.normal(size=dimension), curvature, mixed)


def plainly(polynomial, place):
    x = place - polynomial.centre
    return polynomial.slope @ x + x @ polynomial.curvature @ x


@pytest.mark.parametrize("mixed", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_are_those_of_the_formula(mixed, dtype):
    polynomial = some_polynomial(9, mixed)
    columns = np.random.default_rng(1).normal(size=(9, 200)).astype(dtype)
    wanted = [plainly(polynomial, place) for place in columns.T.astype(float)]
    np.testing.assert_allclose(polynomial.at(columns), wanted, rtol=1e-9, atol=1e-9)
    level = np.array([1.0, 2.0, 3.0, 4.0])
    rows, values = in_groups(columns, EDGES, np.array([0, 2]), level, *polynomial)
    assert rows.tolist() == [0, 1, 2, *range(4, 90)]
    expected = np.array(wanted)[rows] + np.where(rows < 3, 1.0, 3.0)
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (5, 255), (6, 256), (17, 700), (20, 1024)])
def test_products_are_those_of_numpy(shape):
    rows = np.random.default_rng(0).normal(size=shape)
    np.testing.assert_allclose(products_of(rows), rows @ rows.T, rtol=1e-12, atol=1e-12)


def test_moments_are_those_of_numpy():
    columns = np.random.default_rng(2).normal(size=(5, 200)).astype(np.float32)
    means, variances = moments(columns, EDGES)
    for g, (begin, end) in enumerate(itertools.pairwise(EDGES)):
        part = columns[:, begin:end].astype(float)
        np.testing.assert_allclose(means[:, g], part.mean(axis=1), rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(variances[:, g], part.var(axis=1), rtol=1e-6, atol=1e-7)


def test_mean_and_deviation_in_groups():
    """The mean is exact for independent coordinates, and the deviation where groups are narrow."""
    polynomial, random = some_polynomial(6, True), np.random.default_rng(3)
    centre, widths = random.normal(size=(6, 1)), 0.05 * random.random((6, 1))
    values = polynomial.at(centre + widths * random.normal(size=(6, 200_000)))
    mean, deviation = polynomial.range(centre, widths**2)
    assert mean[0] == pytest.approx(values.mean(), abs=4 * values.std() / 200_000**0.5)
    assert deviation[0] == pytest.approx(values.std(), rel=0.05)


@pytest.mark.parametrize("dimension", [3, 16, MIXED + 6])
def test_a_polynomial_is_found_again(dimension):
    """Up to a constant; with many coordinates only one without mixed products is."""
    mixed, random = dimension <= MIXED, np.random.default_rng(4)
    polynomial = some_polynomial(dimension, mixed)
    places, others = random.normal(size=(dimension, 1500)), random.normal(size=(dimension, 50))
    found = fit(places, 7.0 + polynomial.at(places))
    assert found.mixed == mixed
    np.testing.assert_allclose(np.diff(found.at(others)), np.diff(polynomial.at(others)), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("dimension", [3, 16])
def test_the_fit_is_that_of_least_squares(dimension):
    """With values that are no polynomial, against NumPy's solution with all terms and a constant."""
    random = np.random.default_rng(0)
    places = random.random((dimension, 800))
    values = np.sin(3 * places).sum(axis=0) + 0.1 * random.normal(size=800)
    x = places - places.mean(axis=1, keepdims=True)
    i, j = np.triu_indices(dimension)
    terms = np.concatenate([np.ones((1, 800)), x, x[i] * x[j]])
    expected = np.linalg.lstsq(terms.T, values, rcond=None)[0] @ terms
    found = fit(places, values).at(places)
    np.testing.assert_allclose(found - found.mean(), expected - expected.mean(), atol=1e-4)


def test_coordinates_that_never_differ_do_no_harm():
    places = np.random.default_rng(5).normal(size=(10, 400))
    places[3], places[4] = 2.0, places[5]
    found = fit(places, 2 * places[0] - places[5])
    np.testing.assert_allclose(np.diff(found.at(places)), np.diff(2 * places[0] - places[5]), atol=1e-4)
    assert np.isfinite(fit(np.ones((10, 400)), np.ones(400)).at(places)).all()


def test_the_best_arms_of_all_groups_are_chosen(monkeypatch):
    """Of 20,000 arms 100 are chosen after a look at a tenth of them; the best ten are among these."""
    monkeypatch.setattr(screening, "CHOSEN", 100)
    monkeypatch.setattr(screening, "SCREENED", 2000 * 12)
    monkeypatch.setattr(screening, "IN_TURN", 100 * 12)
    random = np.random.default_rng(6)
    columns = random.normal(size=(12, 20_000))
    edges = np.arange(0, 20_001, 50)
    polynomial = some_polynomial(12, True)._replace(curvature=-0.05 * np.eye(12))
    columns = columns[:, np.argsort(polynomial.slope @ columns + random.normal(size=20_000))]  # so that groups differ
    values = polynomial.at(columns)
    heads = np.arange(0, 20_000, 50) + 7
    chosen, following = Screen(columns, edges).promising(columns[:, heads], values[heads], np.zeros(400), 0)
    assert following > 0
    assert len(chosen) == 100
    assert (np.diff(chosen) > 0).all()
    assert set(np.argsort(-values)[:10]) <= set(chosen)


def test_a_group_that_is_better_than_the_polynomial_says_is_chosen(monkeypatch):
    monkeypatch.setattr(screening, "CHOSEN", 60)
    columns, edges = np.random.default_rng(7).normal(size=(10, 20_000)), np.arange(0, 20_001, 20)
    index = np.zeros(1000)
    index[42] = 5.0
    for alike, found in ((1.0, True), (0.0, False)):
        chosen, _ = Screen(columns, edges).promising(columns[:, edges[:-1]], index, np.full(1000, alike), 500)
        assert (set(range(840, 860)) <= set(chosen)) == found


def test_an_arm_far_from_its_group_is_found_in_turn(monkeypatch):
    """It is better than all others, but its group seems to be the worst."""
    monkeypatch.setattr(screening, "CHOSEN", 10)
    monkeypatch.setattr(screening, "SCREENED", 4000 * 10)
    monkeypatch.setattr(screening, "IN_TURN", 4000 * 10)
    columns, edges = np.random.default_rng(11).normal(size=(10, 80_000)), np.arange(0, 80_001, 200)
    columns[0] = np.sort(columns[0])
    columns[0, 13] = 9.0
    screen, heads, turn, found = Screen(columns, edges), columns[:, edges[:-1]], 0, []
    for _ in range(20):
        rows, turn = screen.promising(heads, heads[0], np.zeros(400), turn)
        found.append(13 in rows)
    assert any(found)
    assert not all(found)


def test_few_values_are_not_fitted_by_many_products():
    places = np.random.default_rng(10).normal(size=(20, 100))
    assert not fit(places, places[0]).mixed
    assert fit(places[:3], places[0]).mixed


def test_choices_are_the_best_of_all_arms_and_survive_a_copy():
    """In 12 dimensions, with so many observations that not all arms are looked at."""
    points = np.random.default_rng(8).random((40_000, 12))
    policy, random = qd.AdaptiveQuickDraw(qd.Arms(points), seed=1), np.random.default_rng(9)
    slope = random.normal(size=12)
    below = []
    for k in range(90):
        policy._stay = None
        if k == 60:
            twin = copy.deepcopy(policy)
        arm = policy.select(k)
        if k > 60:
            assert twin.select(k) == arm
        if k >= 60:
            index = policy.index(k)
            below.append((index.max() - index[arm]) / policy.scales.gamma)
        reward = float(np.sin(3 * slope @ points[arm] + 0.02 * k)) + 0.1 * random.normal()
        for each in (policy, twin) if k >= 60 else (policy,):
            each._stay = None
            each.update(k, arm, reward)
    assert "_screen" in policy._shortlist.__dict__
    assert "_screen" not in policy._shortlist.__getstate__()
    assert np.mean(below) < 0.01
    assert max(below) < 0.05
