"""The compiled sums of the tables engine against plain ones."""

import numpy as np
import pytest

from quickdraw_bandits.interpolation.engines.tables.arm_index import ROUND, index_at_arms
from quickdraw_bandits.interpolation.engines.tables.geometry import Geometry
from quickdraw_bandits.interpolation.engines.tables.node_sums import (
    BY_COORDINATES,
    Observed,
    ScaledArms,
    Units,
    add_observations,
    measure,
)
from quickdraw_bandits.numerics.chebyshev import lagrange_basis, nodes_and_weights
from quickdraw_bandits.numerics.distances import METRIC_CODES

METRICS = ["euclidean", "cosine", "haversine", "precomputed"]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("sharpness", [1, 2, 3])
@pytest.mark.parametrize("narrow", [np.float32, np.float64])
def test_sums_at_every_moment(make_arms, metric, sharpness, narrow):
    random = np.random.default_rng(1)
    arms = make_arms(metric, 200, 5, random)
    centre = Geometry(arms).centre
    seen, times, rewards = random.integers(200, size=290), random.random(290), random.normal(size=290)
    places = (arms.points[seen, : len(centre)] - centre).astype(narrow)
    scaled = ScaledArms(METRIC_CODES[metric], arms.points, centre, 2.0 / arms.unit**2)
    after, units = np.array([0.5, 0.2, 0.1, 0.0]), Units(0.7, 0.3, 2.0)
    out = np.ones((4, 2, 200), dtype=np.float32)
    observed, positions = Observed(places, times, rewards), None if scaled.metric in BY_COORDINATES else seen
    for begin, end in ((128, 200), (0, 128)):
        add_observations(scaled, observed, positions, 1.0, after, units, sharpness, out, begin, end)
    squared = np.array([arms.distances(arm) for arm in seen]) ** 2
    terms = 1 + ((1.0 - times + after[:, None]) / 0.7) ** 2
    nu = 1 / (terms[:, None] + 2.0 * squared.T[None]) ** sharpness
    np.testing.assert_allclose(out[:, 0], 1 + nu.sum(axis=2), rtol=3e-6)
    np.testing.assert_allclose(out[:, 1], 1 + nu @ ((rewards - 0.3) / 2.0), rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("metric", METRICS)
def test_distances_of_the_latest_observations(make_arms, metric):
    arms = make_arms(metric, 30, 5, np.random.default_rng(3))
    squared = np.zeros((4, 30), dtype=np.float32)
    pulled = np.array([2, 7, 11])
    places = np.empty((3, 0)) if metric == "precomputed" else arms.points[pulled].astype(np.float64)
    measure(METRIC_CODES[metric], arms.points, 9.0 / arms.unit**2, places, pulled, 2, squared)
    for row, arm in ((2, 2), (3, 7), (0, 11)):
        np.testing.assert_allclose(squared[row], 9.0 * arms.distances(arm) ** 2, rtol=1e-5, atol=1e-12)
    assert (squared[1] == 0).all()


@pytest.mark.parametrize("sharpness", [1, 2, 3])
@pytest.mark.parametrize("recent", [0, 3, 7])
@pytest.mark.parametrize("moments", [1, 5])
def test_the_index_at_every_arm(sharpness, recent, moments):
    """Also where the sums of some arms are too small, which are marked by infinity."""
    random = np.random.default_rng(4)
    n_arms, (nodes, weights) = 1100, nodes_and_weights(5)
    tables = 5 + random.random((moments, 2, n_arms)).astype(np.float32)
    squared, times, rewards = random.random((8, n_arms)).astype(np.float32), random.random(20), random.random(20)
    for lacking in (5, 1090):
        tables[:, 0, lacking], squared[:, lacking] = 0, 1e36
    basis = np.ones(1)
    if moments > 1:
        basis = np.empty(5)
        lagrange_basis.py_func(0.3, nodes, weights, basis)
    asked = np.array([(2.0, 0, 11, 11 + recent, 0.3, 0.7, 0.3, 2.0, 1.5, sharpness, 1e-20)], dtype=ROUND)
    out = np.empty(n_arms, dtype=np.float32)
    best = index_at_arms(tables, nodes, weights, squared, times, rewards, asked, out)
    rows = np.arange(11, 11 + recent)
    terms = 1 + ((2.0 - times[rows]) / 0.7) ** 2
    nu = 1 / (terms[:, None] + squared[rows % 8].astype(float)) ** sharpness
    s0 = np.tensordot(basis, tables[:, 0], axes=1) + nu.sum(axis=0)
    s1 = np.tensordot(basis, tables[:, 1], axes=1) + ((rewards[rows] - 0.3) / 2.0) @ nu
    with np.errstate(divide="ignore"):
        expected = np.where(s0 > 1e-20, s1 / s0 + 1.5 * s0 ** (-0.5 / sharpness), np.inf)
    np.testing.assert_allclose(out, expected, rtol=2e-5)
    assert np.isinf(out).sum() == 2
    assert best == out[np.isfinite(out)].max()
