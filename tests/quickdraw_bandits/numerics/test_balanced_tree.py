import numpy as np
import pytest

from quickdraw_bandits.numerics.balanced_tree import balanced_tree, node_range, partition


@pytest.mark.parametrize("n", [1, 2, 16, 17, 33, 1000])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_every_node_is_a_range_with_the_bounds_of_its_points(n, dimension):
    points = np.random.default_rng(n).normal(size=(n, dimension))
    ordered, order, bounds = balanced_tree(points, 16)
    assert sorted(order) == list(range(n))
    np.testing.assert_array_equal(ordered, points[order])
    in_leaves = 0
    for node, corners in enumerate(bounds):
        begin, end = node_range(node, n)
        assert begin < end
        np.testing.assert_array_equal(corners[:dimension], ordered[begin:end].min(axis=0))
        np.testing.assert_array_equal(corners[dimension:], ordered[begin:end].max(axis=0))
        if 2 * node + 1 < len(bounds):
            middle = node_range(2 * node + 1, n)[1]
            assert node_range(2 * node + 1, n) == (begin, middle)
            assert node_range(2 * node + 2, n) == (middle, end)
        else:
            assert end - begin <= 16
            in_leaves += end - begin
    assert in_leaves == n


@pytest.mark.parametrize(
    "values",
    [np.arange(64.0), -np.arange(64.0), np.zeros(64), np.random.default_rng(2).integers(10, size=64).astype(float)],
    ids=["sorted", "reversed", "equal", "random"],
)
def test_partition_puts_the_smaller_half_first(values):
    rows = np.column_stack([values, np.arange(64.0)])
    partition(rows, 5, 60, 30, 0)
    assert rows[5:30, 0].max() <= rows[30:60, 0].min()
    np.testing.assert_array_equal(np.sort(rows[5:60, 1]), np.arange(5, 60))
    np.testing.assert_array_equal(values[rows[:, 1].astype(int)], rows[:, 0])
    np.testing.assert_array_equal(rows[:5, 1], np.arange(5))
