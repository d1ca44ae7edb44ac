import numpy as np
import pytest

from quickdraw_bandits.arms.metrics import distances
from quickdraw_bandits.gaussian_process import coordinates


def straight(points: np.ndarray) -> np.ndarray:
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


def test_euclidean_arms_keep_their_scaled_distances() -> None:
    points = np.random.default_rng(0).random((20, 3))
    np.testing.assert_allclose(
        straight(coordinates(points, "euclidean", 1.7)), distances("euclidean", points, points) / 1.7, atol=1e-12
    )


def test_places_are_as_far_apart_as_the_chord() -> None:
    random = np.random.default_rng(1)
    places = np.column_stack([random.uniform(-1.5, 1.5, 20), random.uniform(-3, 3, 20)])
    chords = 2 * np.sin(distances("haversine", places, places) / 2)
    np.testing.assert_allclose(straight(coordinates(places, "haversine", 0.5)), chords / 0.5, atol=1e-7)


def test_squared_distances_of_directions_are_cosine_distances() -> None:
    vectors = np.random.default_rng(2).normal(size=(20, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(
        straight(coordinates(vectors, "cosine", 1.3)) ** 2, distances("cosine", vectors, vectors) / 1.3, atol=1e-12
    )


def test_other_metrics_are_refused() -> None:
    with pytest.raises(ValueError, match=r"euclidean, cosine or haversine.*'precomputed'"):
        coordinates(np.zeros((2, 2)), "precomputed", 1.0)
