import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.numerics.cholesky import PANEL, TILE, factorise, solve, solve_few, solve_tile, solve_transposed

sizes = st.one_of(st.integers(0, 3 * PANEL), st.integers(TILE - 2, TILE + 3), st.integers(2 * TILE - 2, 2 * TILE + 3))
"""Few rows, and about as many as one tile and two."""


def covariance(seed: int, n: int) -> np.ndarray:
    """Of condition 1e4 at most, so that what is compared agrees to about 1e-12."""
    points = np.random.default_rng(seed).random((n, 2))
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    return 2.0 * np.exp(-squared / 0.1) + 0.05 * np.eye(n)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), n=sizes, further=st.integers(0, 5))
def test_factor_and_further_columns_are_numpys(seed: int, n: int, further: int) -> None:
    """Whatever is below the diagonal, which is neither read nor written."""
    matrix, columns = covariance(seed, n), np.random.default_rng(seed).normal(size=(n, further))
    upper = np.triu(matrix) + np.tril(np.full((n, n), np.nan), -1)
    upper = np.concatenate([upper, columns], axis=1)
    assert factorise(upper, np.zeros(n))
    lower = np.linalg.cholesky(matrix)
    np.testing.assert_allclose(np.triu(upper[:, :n]), lower.T, rtol=0, atol=1e-12)
    np.testing.assert_allclose(upper[:, n:], np.linalg.solve(lower, columns), rtol=0, atol=1e-10)
    assert np.isnan(upper[np.tril_indices(n, -1)]).all()


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), n=sizes, spare=st.integers(0, 3))
def test_solutions_are_numpys(seed: int, n: int, spare: int) -> None:
    """Also where the factor has more rows than there are values, and whatever is in the spare row of a tile."""
    lower = np.linalg.cholesky(covariance(seed, n))
    upper = np.full((n + spare, n + spare), np.nan)
    upper[:n, :n] = lower.T
    values = np.random.default_rng(seed).normal(size=n)
    tile = np.full((n + 1, TILE), 7.0)
    tile[:n] = np.random.default_rng(seed + 1).normal(size=(n, TILE))
    expected = np.linalg.solve(lower, values), np.linalg.solve(lower.T, values), np.linalg.solve(lower, tile[:n])
    forward, backward, flat, few = values.copy(), values.copy(), tile.ravel().copy(), tile[:n].copy()
    solve(upper, forward)
    solve_transposed(upper, backward)
    solve_tile(upper, flat, n)
    solve_few(upper, few)
    expected = *expected, expected[2]
    for found, wanted in zip((forward, backward, flat.reshape(n + 1, TILE)[:n], few), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10)


@pytest.mark.parametrize("n", [3, PANEL + 1, TILE + 1, 2 * TILE + 5])
def test_a_row_that_repeats_another_is_refused_wherever_it_is(n: int) -> None:
    for repeated in {1, n // 2, n - 1}:
        matrix = covariance(0, n)
        matrix[repeated], matrix[:, repeated] = matrix[0], matrix[:, 0]
        matrix[repeated, repeated] = matrix[0, 0]
        assert not factorise(matrix.copy(), np.full(n, 1e-12))
        assert factorise(matrix + 1e-6 * np.eye(n), np.full(n, 1e-12))


def test_every_pivot_must_exceed_its_least() -> None:
    matrix = np.array([[4.0, 2.0], [2.0, 5.0]])  # with the squared pivots 4 and 4
    assert factorise(matrix.copy(), np.array([3.9, 3.9]))
    assert not factorise(matrix.copy(), np.array([3.9, 4.1]))
    assert not factorise(matrix.copy(), np.array([4.1, 3.9]))


def test_a_matrix_without_numbers_is_refused() -> None:
    assert not factorise(np.full((2, 2), np.nan), np.zeros(2))
