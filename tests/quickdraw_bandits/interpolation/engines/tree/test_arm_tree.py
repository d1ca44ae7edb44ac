import numpy as np

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation.engines.tree.arm_tree import ArmTree


def test_boxes_are_around_scaled_arms():
    points = np.random.default_rng(0).normal(size=(50, 2))
    tree = ArmTree.build(qd.Arms(points), weight=3.0)
    scaled = (points - (points.max(axis=0) + points.min(axis=0)) / 2) * 3.0
    np.testing.assert_allclose(tree.bounds[0], [*scaled.min(axis=0), *scaled.max(axis=0)], rtol=1e-12)
    np.testing.assert_allclose(tree.scaled(points), scaled, rtol=1e-12)


def test_a_continuum_is_one_box():
    tree = ArmTree.build(qd.Box([0.0, 2.0], [1.0, 6.0]), weight=2.0)
    np.testing.assert_allclose(tree.bounds, [[-1.0, -4.0, 1.0, 4.0]])
