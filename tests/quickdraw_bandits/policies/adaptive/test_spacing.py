import numpy as np
import pytest

from quickdraw_bandits.policies.adaptive.spacing import farthest, spacing


def plain(points):
    """Sort all distances of all arms."""
    table = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    fourth = [np.sort(row[row > 0])[:4][-1] for row in table if (row > 0).any()]
    return np.median(fourth) / 2 if fourth else np.inf


@pytest.mark.parametrize("shape", [(2, 1), (4, 3), (20, 2), (30, 50)])
def test_it_is_half_the_median_distance_of_the_fourth_neighbour(shape):
    points = np.random.default_rng(0).random(shape)
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    assert spacing(points.T, np.empty((0, 0))) == pytest.approx(plain(points))
    assert spacing(np.empty((0, len(points))), squared) == pytest.approx(plain(points))


def test_arms_on_one_spot_count_once():
    assert spacing(np.zeros((2, 5)), np.empty((0, 0))) == np.inf
    assert spacing(np.empty((0, 3)), np.zeros((3, 3))) == np.inf
    assert spacing(np.repeat([0.0, 0.5, 1.0], 7)[None], np.empty((0, 0))) == pytest.approx(0.25)


def test_the_largest_distance_is_not_the_diagonal_of_the_box():
    angles = np.arange(40) * (2 * np.pi / 40)
    assert farthest(np.stack([np.cos(angles), np.sin(angles)]) / 2) == pytest.approx(1.0)
    for dimension in (1, 2, 5):
        columns = np.random.default_rng(dimension).random((dimension, 300))
        pairs = np.sqrt(((columns[:, :, None] - columns[:, None]) ** 2).sum(axis=0))
        assert 0.95 * pairs.max() <= farthest(columns) <= pairs.max() * (1 + 1e-12)
    assert farthest(np.zeros((2, 5))) == 1.0
