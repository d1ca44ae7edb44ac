"""Chebyshev nodes and Lagrange polynomials against NumPy's polynomials."""

import numpy as np
import pytest

from quickdraw_bandits.numerics.chebyshev import lagrange_basis, largest_growth, nodes_and_weights


def basis_at(u, m):
    out = np.empty(m)
    lagrange_basis.py_func(u, *nodes_and_weights(m), out)
    return out


@pytest.mark.parametrize("m", [1, 2, 7, 10])
def test_nodes_are_the_zeros_of_chebyshevs_polynomial(m):
    nodes, _ = nodes_and_weights(m)
    np.testing.assert_allclose(np.polynomial.Chebyshev.basis(m)(nodes), 0, atol=1e-13)


@pytest.mark.parametrize("m", [1, 2, 7, 10])
def test_polynomials_of_lower_degree_are_interpolated_exactly(m):
    polynomial = np.polynomial.Polynomial(np.random.default_rng(m).normal(size=m))
    values = polynomial(nodes_and_weights(m)[0])
    for u in (-1.0, -0.3, 0.2, 1.0, nodes_and_weights(m)[0][0]):
        assert basis_at(u, m) @ values == pytest.approx(polynomial(u), abs=1e-12)


@pytest.mark.parametrize("m", [2, 7, 10])
def test_errors_at_the_nodes_grow_by_no_more_than_the_bound(m):
    growth = max(np.abs(basis_at(u, m)).sum() for u in np.linspace(-1, 1, 401))
    assert 0.8 * largest_growth(m) < growth <= largest_growth(m)
