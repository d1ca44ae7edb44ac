"""Interpolation in time against the precisions themselves."""

import numpy as np
import pytest

from quickdraw_bandits.interpolation.time_levels import RECENT, ChebyshevNodes, left_out, top_number


@pytest.mark.parametrize("sharpness", [1, 2, 3])
def test_precisions_are_interpolated_within_the_error(sharpness):
    nodes = ChebyshevNodes(sharpness)
    after = np.linspace(0, nodes.share, 301)
    basis = nodes.basis(after, nodes.share)
    at = nodes.after_start(nodes.share)
    worst = 0.0
    # Observations as young as they may be, and older, at distances from nothing to far more than their age.
    for age in (1.0, 1.1, 2.0, 10.0):
        for b2 in (0.0, 1e-6, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 1e3):
            true = ((after + age) ** 2 + b2) ** -float(sharpness)
            found = basis @ ((at + age) ** 2 + b2) ** -float(sharpness)
            worst = max(worst, np.abs(found / true - 1).max())
    assert worst <= nodes.error
    assert worst >= nodes.error / 300  # the bound is not wide of the mark
    # An error of one unit at every node, relative to the sum there, in the least favourable direction.
    values = (at + 1.0) ** (-2.0 * sharpness)
    grown = np.abs(basis) @ values / (after + 1.0) ** (-2.0 * sharpness)
    assert grown.max() <= nodes.growth


def test_a_polynomial_is_carried_over_to_a_shorter_stretch_without_error():
    nodes = ChebyshevNodes(1)
    random = np.random.default_rng(0)
    values = random.random(len(nodes))
    shorter = nodes.basis(0.3 + nodes.after_start(0.4), 1.0) @ values
    moments = np.linspace(0, 0.4, 9)
    np.testing.assert_allclose(
        nodes.basis(moments, 0.4) @ shorter, nodes.basis(0.3 + moments, 1.0) @ values, rtol=0, atol=1e-13
    )


def test_the_highest_level_has_at_least_half_of_the_observations():
    for n in range(2 * RECENT + 1, 5000, 7):
        assert left_out(top_number(n)) <= n / 2 < 2 * left_out(top_number(n)) + 1
