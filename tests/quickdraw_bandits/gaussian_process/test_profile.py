import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quickdraw_bandits.arms.metrics import squared_distances
from quickdraw_bandits.gaussian_process import Parameters, Sample, log_marginal_likelihood
from quickdraw_bandits.gaussian_process.profile import LIMIT, Profile, invert, length_slopes


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 40))
def test_inverse_and_slopes_agree_with_numpy(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    root, means, squared = random.normal(size=(n, n)), random.normal(size=n), random.random((n, n))
    matrix, squared = root @ root.T + np.eye(n), squared + squared.T
    np.fill_diagonal(squared, 0.0)
    inverse = invert(np.ascontiguousarray(np.linalg.cholesky(matrix).T))
    np.testing.assert_allclose(inverse, np.tril(np.linalg.inv(matrix)), rtol=1e-8, atol=1e-10)
    alpha = np.empty(n)
    trace, form = length_slopes(inverse, matrix, squared, means, alpha)
    change = matrix * squared
    np.testing.assert_allclose(alpha, np.linalg.solve(matrix, means), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(trace, np.trace(np.linalg.solve(matrix, change)), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(form, alpha @ change @ alpha, rtol=1e-8, atol=1e-8)


def test_where_the_covariance_is_singular_nothing_is_likely() -> None:
    sample = Sample(np.zeros((2, 1)), np.ones(2), np.ones(2), 0.0)
    assert Profile(sample, np.zeros((2, 2)))(0.0, -60.0)[0] == np.inf


def random_sample(seed: int, n: int, n_points: int) -> tuple[np.ndarray, np.ndarray, Sample]:
    random = np.random.default_rng(seed)
    points = random.random((n_points, 2))
    positions, values = random.integers(n_points, size=n), random.normal(size=n)
    return points[positions], values, Sample.merged(points, positions, values)


def profile_of(sample: Sample, log_length: float, log_ratio: float) -> tuple[float, float, float, float]:
    return Profile(sample, squared_distances(sample.points, sample.points))(log_length, log_ratio)


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
