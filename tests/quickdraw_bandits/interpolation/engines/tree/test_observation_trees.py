"""The trees keep every observation once, and every group has the moments of its observations."""

import numpy as np
import pytest

from quickdraw_bandits.interpolation.engines.tree.observation_trees import IN_REWARDS, LEAF, ObservationTrees


def sorted_rows(rows):
    return rows[np.lexsort(rows.T)]


def rows_below(trees, node):
    """Return the rows below a node by walking down to its leaves."""
    child = trees.groups[node]["child"]
    if child < 0:
        return trees.rows[-1 - child : -1 - child + LEAF]
    return np.concatenate([rows_below(trees, child), rows_below(trees, child + 1)])


def roots(trees):
    return [(2 << level) + 1 for level in range(20) if trees.n // LEAF >> level & 1]


@pytest.mark.parametrize("steps", [[1] * 100, [3, 20, 1, 1, 300, 7], [8], [1000], [5, 5, 5]])
@pytest.mark.parametrize("dimension", [2, 3])
def test_every_observation_is_in_one_tree_or_in_the_buffer(steps, dimension):
    rows = np.random.default_rng(0).normal(size=(sum(steps), dimension + 1))
    trees = ObservationTrees(dimension)
    start = 0
    for step in steps:
        trees.add(rows[start : start + step])
        start += step
    assert trees.n == len(rows)
    np.testing.assert_array_equal(sorted_rows(trees.all_rows()), sorted_rows(rows))
    grouped = np.concatenate([*(rows_below(trees, root) for root in roots(trees)), trees.rows[: trees.n % LEAF]])
    np.testing.assert_array_equal(sorted_rows(grouped), sorted_rows(rows))


@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_groups_have_the_moments_of_their_observations(dimension):
    trees = ObservationTrees(dimension)
    trees.add(np.random.default_rng(1).normal(size=(8 * 13, dimension + 1)) * np.arange(1, dimension + 2))
    upper = np.triu_indices(dimension)
    checked = 0
    for root in roots(trees):
        for node in range(root, 2 * (root - 1)):
            group = trees.groups[node]
            rows = rows_below(trees, node)
            places, y = rows[:, :-1], rows[:, -1]
            delta = places - places.mean(axis=0)
            expected = {
                "count": len(y),
                "reward": y.sum(),
                "radius": np.linalg.norm(delta, axis=1).max(),
                "spread": np.sqrt((delta**2).sum() / len(y)),
                "least": y.min(),
                "largest": y.max(),
                "centroid": places.mean(axis=0),
                "first": y @ delta,
                "second": (delta.T @ delta)[upper],
                "second_of_rewards": (delta.T @ (delta * y[:, None]))[upper],
            }
            for name, value in expected.items():
                np.testing.assert_allclose(group[name], value, rtol=1e-11, atol=1e-11, err_msg=name)
            checked += 1
    assert checked == 1 + 7 + 15


def test_rescaled_rewards_are_those_of_rescaled_observations():
    rows = np.random.default_rng(2).normal(size=(8, 3))
    trees, rescaled = ObservationTrees(2), ObservationTrees(2)
    trees.add(rows)
    trees.rescale_rewards(10.0)
    rescaled.add(rows * [1, 1, 10])
    root = trees.groups[3]
    for name in trees.groups.dtype.names:
        np.testing.assert_allclose(root[name], rescaled.groups[3][name], rtol=1e-12, err_msg=name)
    assert set(IN_REWARDS) <= set(trees.groups.dtype.names)
