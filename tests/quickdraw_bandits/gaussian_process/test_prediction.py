import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.gaussian_process.prediction import predict
from quickdraw_bandits.numerics.cholesky import TILE

sizes = st.one_of(st.integers(1, 40), st.integers(TILE - 2, TILE + 3), st.integers(2 * TILE - 2, 2 * TILE + 3))


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), n=sizes, spare=st.integers(0, 3), n_arms=sizes, first=st.integers(0, 10**6))
def test_mean_and_explained_variance_are_those_of_a_plain_solution(
    seed: int, n: int, spare: int, n_arms: int, first: int
) -> None:
    """Wherever in the ring buffer the observations begin, and whether or not they fill it."""
    random = np.random.default_rng(seed)
    points = random.random((n, 2))
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    lower = np.linalg.cholesky(2.0 * np.exp(-squared / 0.1) + 0.05 * np.eye(n))
    ring, scales, white = random.normal(size=(n + spare, n_arms)), random.random(n), random.normal(size=n)
    first %= n + spare
    mean, explained = np.full(n_arms, np.nan), np.full(n_arms, np.nan)
    predict(np.ascontiguousarray(lower.T), ring, first, scales, white, mean, explained)
    solved = np.linalg.solve(lower, np.roll(ring, -first, axis=0)[:n] * scales[:, None])
    np.testing.assert_allclose(mean, white @ solved, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(explained, (solved**2).sum(axis=0), rtol=1e-10, atol=1e-10)
