import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from quickdraw_bandits.gaussian_process import Parameters, Sample, posterior
from quickdraw_bandits.gaussian_process.posterior import BLOCK, factorise


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 40),
    n_points=st.integers(1, 30),
    dimension=st.integers(1, 3),
    log_signal=st.floats(-3, 3),
    log_length=st.floats(-3, 1),
    log_noise=st.floats(-5, 1),
)
def test_agrees_with_scikit_learn_whether_or_not_points_repeat(
    seed: int, n: int, n_points: int, dimension: int, log_signal: float, log_length: float, log_noise: float
) -> None:
    random = np.random.default_rng(seed)
    points = random.random((n_points, dimension))
    positions, values = random.integers(n_points, size=n), random.normal(size=n)
    signal, length = float(np.exp(log_signal)), float(np.exp(log_length))
    noise = signal * float(np.exp(log_noise))
    mean, std = posterior(Parameters(signal, length, noise), Sample.merged(points, positions, values), points)

    kernel = ConstantKernel(signal) * RBF(length)
    theirs = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None).fit(points[positions], values)
    their_mean, their_std = theirs.predict(points, return_std=True)
    np.testing.assert_allclose(mean, their_mean, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(std, their_std, rtol=1e-8, atol=1e-8 * np.sqrt(signal))


def test_blocks_make_no_difference() -> None:
    random = np.random.default_rng(0)
    points = random.random((2 * BLOCK + 7, 2))
    sample = Sample.merged(points, random.integers(len(points), size=30), random.normal(size=30))
    parameters = Parameters(1.0, 0.3, 0.01)
    mean, std = posterior(parameters, sample, points)
    for some in (slice(0, 5), slice(BLOCK - 3, BLOCK + 3), slice(2 * BLOCK, None)):
        part_mean, part_std = posterior(parameters, sample, points[some])
        np.testing.assert_allclose(mean[some], part_mean, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(std[some], part_std, rtol=1e-10, atol=1e-12)


def test_a_singular_covariance_is_factored_with_little_added() -> None:
    matrix = np.ones((5, 5)) - 1e-15 * np.eye(5)
    factor = factorise(matrix)
    np.testing.assert_allclose(factor @ factor.T, matrix, atol=1e-10)


@pytest.mark.parametrize("name", ["signal_variance", "length_scale", "noise_variance"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_parameters_are_above_zero(name: str, value: float) -> None:
    given_values = {"signal_variance": 1.0, "length_scale": 1.0, "noise_variance": 1.0, name: value}
    with pytest.raises(ValueError, match=name):
        Parameters(**given_values)
