import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.gaussian_process import ArmCorrelations, Directions


def correlations(dimension, length_scale, n=80):
    arms = ArmCorrelations(Arms(np.random.default_rng(dimension).random((n, dimension))), length_scale)
    return arms, arms.rows(np.arange(n), slice(None))


@pytest.mark.parametrize(("dimension", "length_scale"), [(1, 0.1), (2, 0.3), (6, 0.05)])
def test_directions_and_rest_add_up_to_the_correlations(dimension, length_scale):
    arms, c = correlations(dimension, length_scale)
    directions = Directions(arms, most=80)
    assert directions.rest.max() <= 1e-6
    np.testing.assert_allclose(directions.phi @ directions.phi.T, c, atol=2e-6)


def test_few_directions_explain_what_they_can_and_say_what_is_left():
    arms, c = correlations(2, 0.1)
    directions = Directions(arms, most=10)
    assert len(directions) == 10
    left = c - directions.phi @ directions.phi.T
    np.testing.assert_allclose(np.diag(left), directions.rest, atol=1e-9)
    # What is left is a covariance, and that of ten arms is nothing.
    assert np.linalg.eigvalsh(left).min() > -1e-9
    assert np.count_nonzero(np.abs(left).max(axis=0) < 1e-9) >= 10


def test_along_its_axes_what_all_arms_show_is_independent():
    directions = Directions(correlations(2, 0.2)[0], most=80)
    turned = directions.phi @ directions.axes
    np.testing.assert_allclose(turned.T @ turned, np.diag(directions.sizes), atol=1e-9)
    np.testing.assert_allclose(directions.axes.T @ directions.axes, np.eye(len(directions)), atol=1e-9)


def test_arms_at_one_place_need_one_direction():
    directions = Directions(ArmCorrelations(Arms([[0.0, 0.0]] * 5), 0.1), most=80)
    np.testing.assert_allclose(np.abs(directions.phi), np.ones((5, 1)))
