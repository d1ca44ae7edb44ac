import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.gaussian_process.rolling_factor import FIRST_JITTER, RollingFactor, factorise_with_jitter


def covariance(seed: int, n: int, noise: float = 0.1) -> np.ndarray:
    points = np.random.default_rng(seed).random((n, 2))
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    return 2.0 * np.exp(-squared / 0.1) + noise * np.eye(n)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), steps=st.lists(st.sampled_from(["append", "drop", "remake"]), max_size=60))
def test_follows_any_appends_and_drops(seed: int, steps: list[str]) -> None:
    matrix = covariance(seed, 61)
    factor = RollingFactor(capacity=61)
    first = last = 0
    for step in steps:
        if step == "append":
            assert factor.append(matrix[last, first:last], matrix[last, last])
            last += 1
        elif step == "drop" and last > first:
            factor.drop_oldest()
            first += 1
        elif step == "remake":
            factor.remake(matrix[first:last, first:last])
        assert len(factor) == last - first
        expected = np.linalg.cholesky(matrix[first:last, first:last])
        np.testing.assert_allclose(factor.lower, expected, rtol=0, atol=1e-13)
        assert factor.jitter == 0.0


def test_errors_do_not_build_up_even_if_it_is_never_made_afresh() -> None:
    """Ten thousand appends and drops of a matrix of condition 1e8, each error being of 1e-16 times that."""
    points = np.random.default_rng(1).random(10_060)

    def block(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return np.exp(-((rows[:, None] - columns) ** 2) / 0.1) + 1e-6 * (rows[:, None] == columns)

    factor = RollingFactor(capacity=60)
    factor.remake(block(points[:59], points[:59]))
    errors = []
    for k in range(59, len(points)):
        assert factor.append(block(points[k : k + 1], points[k - 59 : k])[0], 1.0 + 1e-6)
        if k % 1000 == 59:
            inside = points[k - 59 : k + 1]
            errors.append(np.abs(factor.lower @ factor.lower.T - block(inside, inside)).max())
        factor.drop_oldest()
    assert len(errors) == 11
    assert max(errors) < 1e-13
    assert factor.due


def test_is_due_after_as_many_drops_as_rows() -> None:
    factor = RollingFactor(capacity=5)
    matrix = covariance(0, 20)
    factor.remake(matrix[:5, :5])
    for k in range(5):
        assert not factor.due
        factor.drop_oldest()
        factor.append(matrix[5 + k, 1 + k : 5 + k], matrix[5 + k, 5 + k])
    assert factor.due
    factor.remake(matrix[5:10, 5:10])
    assert not factor.due


def test_a_row_that_says_nothing_new_is_refused_and_changes_nothing() -> None:
    matrix = covariance(0, 4, noise=0.0)
    factor = RollingFactor(capacity=5)
    factor.remake(matrix)
    before = factor.lower.copy()
    assert not factor.append(matrix[2].copy(), matrix[2, 2])
    np.testing.assert_array_equal(factor.lower, before)
    assert len(factor) == 4


def test_jitter_is_added_only_where_it_is_needed() -> None:
    well = covariance(0, 30)
    lower, jitter = factorise_with_jitter(well)
    assert jitter == 0.0
    np.testing.assert_allclose(lower @ lower.T, well, atol=1e-14)

    twice = np.ones((3, 3)) * 4.0
    lower, jitter = factorise_with_jitter(twice)
    assert jitter == pytest.approx(4 * FIRST_JITTER)
    np.testing.assert_allclose(lower @ lower.T, twice + jitter * np.eye(3), rtol=1e-14)


def test_jitter_grows_until_an_indefinite_matrix_can_be_factored() -> None:
    matrix = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.9], [0.1, 0.9, 1.0]])
    least = -np.linalg.eigvalsh(matrix).min()
    lower, jitter = factorise_with_jitter(matrix)
    assert least < jitter <= 10 * least
    np.testing.assert_allclose(lower @ lower.T, matrix + jitter * np.eye(3), rtol=1e-14)


def test_appended_rows_have_the_jitter_too() -> None:
    factor = RollingFactor(capacity=3)
    factor.remake(np.ones((2, 2)))
    assert factor.append(np.ones(2), 1.0)
    np.testing.assert_allclose(factor.lower @ factor.lower.T, np.ones((3, 3)) + FIRST_JITTER * np.eye(3), rtol=1e-14)
