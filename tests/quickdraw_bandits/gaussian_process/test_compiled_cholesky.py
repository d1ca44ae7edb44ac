import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.gaussian_process.compiled_cholesky import PANEL, TILE, explain, factorise

sizes = st.one_of(st.integers(0, 3 * PANEL), st.integers(TILE - 2, TILE + 3), st.integers(2 * TILE - 2, 2 * TILE + 3))
"""Few rows, and about as many as one tile and two."""


def covariance(seed: int, n: int) -> np.ndarray:
    """Of condition 1e4 at most, so that what is compared agrees to about 1e-12."""
    points = np.random.default_rng(seed).random((n, 2))
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    return 2.0 * np.exp(-squared / 0.1) + 0.05 * np.eye(n)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), n=sizes)
def test_the_factor_is_numpys(seed: int, n: int) -> None:
    """Whatever is below the diagonal, which is neither read nor written."""
    matrix = covariance(seed, n)
    upper = np.triu(matrix) + np.tril(np.full((n, n), np.nan), -1)
    assert factorise(upper, np.zeros(n))
    np.testing.assert_allclose(np.triu(upper), np.linalg.cholesky(matrix).T, rtol=0, atol=1e-12)
    assert np.isnan(upper[np.tril_indices(n, -1)]).all()


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32), n=sizes.filter(bool), spare=st.integers(0, 3), n_arms=sizes, first=st.integers(0, 10**6)
)
def test_means_and_what_is_explained_are_those_of_a_plain_solution(
    seed: int, n: int, spare: int, n_arms: int, first: int
) -> None:
    """Wherever in the ring the observations begin, and whether or not they fill it."""
    random = np.random.default_rng(seed)
    lower = np.linalg.cholesky(covariance(seed, n))
    ring, scales, white = random.normal(size=(n + spare, n_arms)), random.random(n), random.normal(size=n)
    first %= n + spare
    mean, explained = np.full(n_arms, np.nan), np.full(n_arms, np.nan)
    explain(np.ascontiguousarray(lower.T), ring, first, scales, white, mean, explained)
    solved = np.linalg.solve(lower, np.roll(ring, -first, axis=0)[:n] * scales[:, None])
    np.testing.assert_allclose(mean, white @ solved, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(explained, (solved**2).sum(axis=0), rtol=1e-10, atol=1e-10)


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
