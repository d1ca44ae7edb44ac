import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation.arm_tree import LEAF_ARMS, ArmTree
from quickdraw_bandits.interpolation.compiled_forest import arm_range


@pytest.mark.parametrize("n", [1, 2, 16, 17, 33, 1000])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_every_box_is_as_tight_as_its_arms_allow(n, dimension):
    points = np.random.default_rng(n).normal(size=(n, dimension))
    tree = ArmTree(qd.Arms(points), weight=3.0)
    assert sorted(tree.permutation) == list(range(n))
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    ordered = (points[tree.permutation] - middle) * 3.0
    leaves = 0
    for node, box in enumerate(tree.bounds):
        begin, end = arm_range(node, n)
        assert begin < end
        np.testing.assert_allclose(box[:dimension], ordered[begin:end].min(axis=0), rtol=1e-12)
        np.testing.assert_allclose(box[dimension:], ordered[begin:end].max(axis=0), rtol=1e-12)
        if 2 * node + 1 < len(tree.bounds):
            assert arm_range(2 * node + 1, n)[0] == begin
            assert arm_range(2 * node + 1, n)[1] == arm_range(2 * node + 2, n)[0]
            assert arm_range(2 * node + 2, n)[1] == end
        else:
            assert end - begin <= LEAF_ARMS
            leaves += end - begin
    assert leaves == n


def test_a_continuum_is_one_box():
    tree = ArmTree(qd.Box([0.0, 2.0], [1.0, 6.0]), weight=2.0)
    np.testing.assert_allclose(tree.bounds, [[-1.0, -4.0, 1.0, 4.0]])
