import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quickdraw_bandits.gaussian_process import Parameters, Sample, log_marginal_likelihood
from quickdraw_bandits.gaussian_process.compiled import (
    LIMIT,
    cholesky,
    invert,
    profile,
    rbf,
    squared_distances,
)


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32),
    shape=st.tuples(st.integers(1, 30), st.integers(1, 30), st.integers(1, 4)),
    log_length=st.floats(-12, 12),
)
def test_rbf_is_its_formula(seed: int, shape: tuple[int, int, int], log_length: float) -> None:
    random = np.random.default_rng(seed)
    a, b = random.random((shape[0], shape[2])), random.random((shape[1], shape[2]))
    squared = ((a[:, None] - b[None]) ** 2).sum(axis=2)
    length = float(np.exp(log_length))
    np.testing.assert_allclose(squared_distances(a, b), squared, rtol=1e-12)
    np.testing.assert_allclose(rbf(a, b, length), np.exp(-squared / (2 * length**2)), rtol=1e-11, atol=1e-20)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 40))
def test_factor_and_inverse_agree_with_numpy(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    root = random.normal(size=(n, n))
    matrix = root @ root.T + np.eye(n)
    positive, factor = cholesky(np.tril(matrix))
    assert positive
    np.testing.assert_allclose(factor, np.linalg.cholesky(matrix), rtol=1e-8, atol=1e-10)
    positive, log_determinant, lower = invert(np.tril(matrix))
    assert positive
    np.testing.assert_allclose(log_determinant, np.linalg.slogdet(matrix)[1], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(lower, np.tril(np.linalg.inv(matrix)), rtol=1e-8, atol=1e-10)


def test_an_indefinite_matrix_is_said_to_be_one() -> None:
    matrix = np.array([[1.0, 0.0], [2.0, 1.0]])
    assert not cholesky(matrix)[0]
    assert not invert(matrix)[0]


def random_sample(seed: int, n: int, n_points: int) -> tuple[np.ndarray, np.ndarray, Sample]:
    random = np.random.default_rng(seed)
    points = random.random((n_points, 2))
    positions, values = random.integers(n_points, size=n), random.normal(size=n)
    return points[positions], values, Sample.merged(points, positions, values)


def profile_of(sample: Sample, log_length: float, log_ratio: float) -> tuple[float, float, float, float]:
    squared = squared_distances(sample.points, sample.points)
    result: tuple[float, float, float, float] = profile(
        squared, sample.counts, sample.means, sample.spread, log_length, log_ratio
    )
    return result


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 40),
    n_points=st.integers(1, 40),
    log_length=st.floats(-3, 2),
    log_ratio=st.floats(-4, 4),
)
def test_profile_agrees_with_the_plain_likelihood(
    seed: int, n: int, n_points: int, log_length: float, log_ratio: float
) -> None:
    points, values, sample = random_sample(seed, n, n_points)
    loss, in_length, in_ratio, s2 = profile_of(sample, log_length, log_ratio)
    # At a limit of the variances it is not the best one that is used; the next test is about that.
    assume(min(s2, s2 * np.exp(log_ratio)) > 1.001e-5 and max(s2, s2 * np.exp(log_ratio)) < 0.999e5)
    parameters = Parameters(s2, float(np.exp(log_length)), s2 * float(np.exp(log_ratio)))
    value, gradient = log_marginal_likelihood(parameters, points, values)
    np.testing.assert_allclose(-loss, value, rtol=1e-8, atol=1e-8)
    # At the best signal variance a common factor of signal and noise changes nothing, so that the slope in the
    # ratio is that in the noise.
    np.testing.assert_allclose([in_length, in_ratio], -gradient[1:], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(gradient[0] + gradient[2], 0.0, atol=1e-6)


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32),
    log_scale=st.floats(-14, 14),
    log_length=st.floats(-3, 1),
    log_ratio=st.floats(-8, 8).filter(lambda ratio: abs(ratio) > 1e-3),
)
def test_profile_has_the_slope_of_its_value_also_at_the_limits(
    seed: int, log_scale: float, log_length: float, log_ratio: float
) -> None:
    _, _, sample = random_sample(seed, 25, 15)
    scale = np.exp(log_scale)
    sample = Sample(sample.points, sample.counts, sample.means * scale, sample.spread * scale**2)
    loss, in_length, in_ratio, s2 = profile_of(sample, log_length, log_ratio)
    within = np.array([np.log(s2), np.log(s2) + log_ratio])
    assert (np.abs(within) <= LIMIT + 1e-9).all()
    step = 1e-5
    by_length = (
        profile_of(sample, log_length + step, log_ratio)[0] - profile_of(sample, log_length - step, log_ratio)[0]
    )
    by_ratio = profile_of(sample, log_length, log_ratio + step)[0] - profile_of(sample, log_length, log_ratio - step)[0]
    margin = 1e-5 * (abs(loss) + 1)
    np.testing.assert_allclose(in_length, by_length / (2 * step), rtol=1e-4, atol=margin)
    np.testing.assert_allclose(in_ratio, by_ratio / (2 * step), rtol=1e-4, atol=margin)
