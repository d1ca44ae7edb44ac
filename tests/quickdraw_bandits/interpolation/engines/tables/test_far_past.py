"""Sums over the far past against the plain ones."""

import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation.engines.tables.far_past import LARGEST_DIMENSION, FarPast
from quickdraw_bandits.interpolation.engines.tables.geometry import Geometry

ERROR = 1e-5


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("sharpness", [1, 2, 3])
def test_sums_are_within_the_error_from_the_least_term_on(metric, sharpness):
    random = np.random.default_rng(0)
    arms = Arms(3 + random.normal(size=(3000, 5)), metric=metric)
    geometry = Geometry(arms)
    far = FarPast(arms, geometry.centre, geometry.radius, 50.0 / arms.unit**2, sharpness, ERROR)
    seen = random.integers(3000, size=40)
    terms, rewards = far.least_term * (1 + random.random((4, 40))), random.normal(size=40)
    terms[:, 0] = far.least_term
    tables = np.empty((4, 2, 3000), dtype=np.float32)
    features = far.features(arms.points[seen].T)
    assert features.shape == (40, far.n_features)
    moments = np.stack([features, features * rewards[:, None]], axis=1)
    far.fill(far.sums(moments, terms), arms.points, tables)
    squared = 50.0 * np.array([arms.distances(arm) for arm in seen]) ** 2
    nu = (terms[:, :, None] + squared) ** -float(sharpness)
    off = np.abs(tables[:, 0] - nu.sum(axis=1)) / nu.sum(axis=1)
    assert off.max() <= ERROR + 1e-6
    assert np.abs(tables[:, 1] - np.einsum("s,ksi->ki", rewards, nu)).max() <= (
        (ERROR + 1e-6) * np.einsum("s,ksi->ki", np.abs(rewards), nu).max()
    )
    # One observation alone shows that the bound is not wide of the mark.
    far.fill(far.sums(moments[:1], terms[:, :1]), arms.points, tables)
    assert (np.abs(tables[:, 0] - nu[:, 0]) / nu[:, 0]).max() <= ERROR + 1e-6


def test_observations_are_far_from_the_least_age_on():
    arms = Arms(np.random.default_rng(1).normal(size=(10, 3)))
    far = FarPast(arms, np.zeros(3), 1.0, 100.0, 1, ERROR)
    assert 1 + far.least_age**2 == pytest.approx(far.least_term)
    assert far.least_age > 10


def test_other_metrics_have_no_far_past():
    arms = Arms([[0.0, 1.0], [0.5, 2.0]], metric="haversine")
    assert FarPast(arms, np.zeros(2), 1.0, 1.0, 1, ERROR).least_age == np.inf


def test_directions_in_very_many_dimensions_have_no_far_past():
    """Their moments would take more memory than tables of the far past."""
    arms = Arms(np.random.default_rng(2).normal(size=(3, LARGEST_DIMENSION + 1)), metric="cosine")
    assert FarPast(arms, np.zeros(arms.dimension), 1.0, 1.0, 1, ERROR).least_age == np.inf
