"""The forest keeps every observation, and every node describes its group rightly."""

import numpy as np
import pytest

from quickdraw_bandits.interpolation import compiled_forest as cf
from quickdraw_bandits.interpolation.forest import Forest


def sorted_rows(rows):
    return rows[np.lexsort(rows.T)]


@pytest.mark.parametrize("steps", [[1] * 100, [3, 20, 1, 1, 300, 7], [8], [1000], [5, 5, 5]])
@pytest.mark.parametrize("dimension", [2, 3])
def test_observations_are_kept_however_they_come(steps, dimension):
    random = np.random.default_rng(0)
    rows = random.normal(size=(sum(steps), dimension + 1))
    forest = Forest(dimension)
    start = 0
    for step in steps:
        forest.add(rows[start : start + step])
        start += step
    assert forest.n == len(rows)
    assert forest.buffered + sum(8 << k for k in range(20) if forest.occupied >> k & 1) == len(rows)
    np.testing.assert_array_equal(sorted_rows(forest.all_rows()), sorted_rows(rows))


def group_of(forest, node):
    """Return the rows below a node by walking down to its leaves."""
    first = forest.first[node]
    if first < 0:
        return forest.rows[-1 - first : -1 - first + cf.LEAF]
    return np.concatenate([group_of(forest, first), group_of(forest, first + 1)])


@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_nodes_have_the_moments_of_their_groups(dimension):
    random = np.random.default_rng(1)
    forest = Forest(dimension)
    forest.add(random.normal(size=(8 * 13, dimension + 1)) * np.arange(1, dimension + 2))
    checked = 0
    for level in (0, 2, 3):
        assert forest.occupied >> level & 1
        for node in range((2 << level) + 1, 4 << level):
            group = group_of(forest, node)
            places, y = group[:, :-1], group[:, -1]
            delta = places - places.mean(axis=0)
            upper = np.triu_indices(dimension)
            expected = np.concatenate(
                [
                    [len(y), y.sum(), np.linalg.norm(delta, axis=1).max(), np.sqrt((delta**2).sum() / len(y))],
                    [y.min(), y.max()],
                    places.mean(axis=0),
                    y @ delta,
                    (delta.T @ delta)[upper],
                    (delta.T @ (delta * y[:, None]))[upper],
                ]
            )
            np.testing.assert_allclose(forest.nodes[node], expected, rtol=1e-11, atol=1e-11)
            checked += 1
    assert checked == 1 + 7 + 15
    scaled = forest.nodes[3].copy()
    cf.describe(forest.rows * ([1.0] * dimension + [10.0]), 8, 16, dimension, scaled)
    columns = cf.reward_columns(dimension)
    np.testing.assert_allclose(scaled[columns], 10 * forest.nodes[3, columns], rtol=1e-11)


@pytest.mark.parametrize("order", ["sorted", "random", "equal", "reversed"])
def test_partition_puts_the_smaller_half_first(order):
    random = np.random.default_rng(2)
    values = {
        "sorted": np.arange(64.0),
        "reversed": -np.arange(64.0),
        "equal": np.zeros(64),
        "random": random.integers(10, size=64).astype(float),
    }[order]
    rows = np.column_stack([values, np.arange(64.0)])
    cf.partition(rows, 5, 60, 30, 0)
    assert rows[5:30, 0].max() <= rows[30:60, 0].min()
    np.testing.assert_array_equal(sorted_rows(rows), sorted_rows(np.column_stack([values, np.arange(64.0)])))
    np.testing.assert_array_equal(rows[:5, 1], np.arange(5))
