import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from quickdraw_bandits.gaussian_process import Parameters, log_marginal_likelihood


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 30),
    dimension=st.integers(1, 3),
    logs=st.tuples(st.floats(-3, 3), st.floats(-3, 1), st.floats(-5, 2)),
)
def test_value_and_gradient_agree_with_scikit_learn(
    seed: int, n: int, dimension: int, logs: tuple[float, float, float]
) -> None:
    random = np.random.default_rng(seed)
    points, values = random.random((n, dimension)), random.normal(size=n)
    value, gradient = log_marginal_likelihood(Parameters(*np.exp(logs)), points, values)
    kernel = ConstantKernel() * RBF() + WhiteKernel()
    theirs = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0).fit(points, values)
    their_value, their_gradient = theirs.log_marginal_likelihood(np.array(logs), eval_gradient=True)
    np.testing.assert_allclose(value, their_value, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(gradient, their_gradient, rtol=1e-6, atol=1e-6)


def test_gradient_is_the_slope_of_the_value() -> None:
    random = np.random.default_rng(1)
    points, values = random.random((20, 2)), random.normal(size=20)
    logs, step = np.log([2.0, 0.3, 0.1]), 1e-5
    _, gradient = log_marginal_likelihood(Parameters(*np.exp(logs)), points, values)
    for i in range(3):
        ahead, behind = logs.copy(), logs.copy()
        ahead[i] += step
        behind[i] -= step
        rise = log_marginal_likelihood(Parameters(*np.exp(ahead)), points, values)[0]
        rise -= log_marginal_likelihood(Parameters(*np.exp(behind)), points, values)[0]
        np.testing.assert_allclose(gradient[i], rise / (2 * step), rtol=1e-6)
