"""Interpolation in time against the precisions themselves."""

import numpy as np
import pytest

from quickdraw_bandits.interpolation.engines.tables.levels import RECENT, left_out, top_number
from quickdraw_bandits.interpolation.engines.tables.node_sums import carry_over
from quickdraw_bandits.interpolation.engines.tables.nodes import TimeNodes
from quickdraw_bandits.numerics.chebyshev import lagrange_basis


def basis_of(nodes, after, length):
    """Return the Lagrange polynomials, one row for each time after the start of a stretch."""
    rows = np.empty((len(after), len(nodes)))
    for row, u in zip(rows, 2 * after / length - 1, strict=True):
        lagrange_basis.py_func(u, nodes.places, nodes.weights, row)
    return rows


@pytest.mark.parametrize("wanted", [np.inf, 1e-7])
@pytest.mark.parametrize("sharpness", [1, 2, 3])
def test_precisions_are_interpolated_within_the_error(sharpness, wanted):
    nodes = TimeNodes(sharpness, wanted)
    assert nodes.error <= wanted
    after = np.linspace(0, nodes.share, 301)
    basis = basis_of(nodes, after, nodes.share)
    at = nodes.after_start(nodes.share)
    worst = 0.0
    # Observations as young as they may be, and older, at distances from nothing to far more than their age.
    for age in (1.0, 1.1, 2.0, 10.0):
        for b2 in (0.0, 1e-6, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 1e3):
            true = ((after + age) ** 2 + b2) ** -float(sharpness)
            found = basis @ ((at + age) ** 2 + b2) ** -float(sharpness)
            worst = max(worst, np.abs(found / true - 1).max())
    assert worst <= nodes.error
    assert worst >= nodes.error / 1000  # the bound is not wide of the mark
    # An error of one unit at every node, relative to the sum there, in the least favourable direction.
    values = (at + 1.0) ** (-2.0 * sharpness)
    grown = np.abs(basis) @ values / (after + 1.0) ** (-2.0 * sharpness)
    assert grown.max() <= nodes.growth


def test_tables_are_carried_over_to_a_shorter_stretch_without_error():
    """They are polynomials in time, which their values at the nodes of any stretch determine."""
    nodes = TimeNodes(1)
    tables = np.random.default_rng(0).random((len(nodes), 2, 300)).astype(np.float32)
    shorter = np.empty_like(tables)
    moments = 2 * (0.3 + nodes.after_start(0.4)) - 1  # from 0.3 to 0.7 of a stretch of length 1
    carry_over(tables, nodes.places, nodes.weights, moments, shorter, 0)
    after = np.linspace(0, 0.4, 9)
    found = np.tensordot(basis_of(nodes, after, 0.4), shorter, axes=1)
    expected = np.tensordot(basis_of(nodes, 0.3 + after, 1.0), tables, axes=1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=3e-6)


def test_the_highest_level_has_at_least_half_of_the_observations():
    for n in range(2 * RECENT + 1, 5000, 7):
        assert left_out(top_number(n)) <= n / 2 < 2 * left_out(top_number(n)) + 1
