"""Compiled squared distances against the plain formulas of ``arms.metrics``."""

import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.metrics import distances
from quickdraw_bandits.numerics.distances import (
    METRIC_CODES,
    squared_differences,
    squared_distance,
    squared_distances,
)
from quickdraw_bandits.numerics.jit import compiled


@compiled
def to_all(metric, points, row, columns, positions, start, out):
    squared_distances(metric, points[row], columns, positions, start, out)


@compiled
def to_one(metric, points, row, position):
    return squared_distance(metric, points[row], points[position], position)


@compiled
def differences(point, columns, out):
    squared_differences(point, columns, out)


def make_arms(metric, dtype, random):
    points = random.normal(size=(30, 5))
    if metric == "haversine":
        points = np.column_stack([random.uniform(-1.5, 1.5, 30), random.uniform(-3, 3, 30)])
    elif metric == "precomputed":
        points = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    return Arms(points.astype(dtype), metric=metric)


@pytest.mark.parametrize("metric", METRIC_CODES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_are_those_of_the_metric(metric, dtype):
    random = np.random.default_rng(0)
    arms, code = make_arms(metric, dtype, random), METRIC_CODES[metric]
    positions = random.integers(30, size=20)
    columns = np.empty((0, 20)) if metric == "precomputed" else arms.points[positions].T.astype(float).copy()
    expected = distances(arms.metric, arms.points, arms.points[7:8])[0][positions] ** 2
    out = np.empty(17)
    to_all(code, arms.points, 7, columns, positions, 3, out)
    np.testing.assert_allclose(out, expected[3:], rtol=1e-9, atol=1e-14)
    one_by_one = [to_one(code, arms.points, 7, position) for position in positions]
    np.testing.assert_allclose(one_by_one, expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("dimension", [1, 7, 8, 9, 19])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squared_differences_in_either_type(dimension, dtype):
    random = np.random.default_rng(dimension)
    point, columns = random.normal(size=dimension).astype(dtype), random.normal(size=(dimension, 33)).astype(dtype)
    out = np.empty(33, dtype=dtype)
    differences(point, columns, out)
    expected = ((point.astype(float)[:, None] - columns) ** 2).sum(axis=0)
    np.testing.assert_allclose(out, expected, rtol=20 * np.finfo(dtype).eps)
