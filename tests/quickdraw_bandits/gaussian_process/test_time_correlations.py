import numpy as np

from quickdraw_bandits.gaussian_process import Forgetting, SquaredExponential

LAGS = np.array([[0.0, 0.2, -0.2], [3.0, -3.0, 10.0]])


def test_squared_exponential_is_its_formula() -> None:
    np.testing.assert_allclose(SquaredExponential(0.7)(LAGS), np.exp(-(LAGS**2) / (2 * 0.7**2)), rtol=1e-13)


def test_forgetting_is_the_correlation_of_a_function_that_takes_random_steps() -> None:
    """From f' = sqrt(1 - e) f + sqrt(e) g it follows that cov(f, f') is sqrt(1 - e), a step, of the variance."""
    np.testing.assert_allclose(Forgetting(0.3, 1.0)(np.arange(6.0)), np.sqrt(0.7) ** np.arange(6), rtol=1e-13)
    np.testing.assert_allclose(Forgetting(0.3, 0.25)(LAGS), 0.7 ** (np.abs(LAGS) / 0.5), rtol=1e-12)
    np.testing.assert_array_equal(Forgetting(0.0, 1e-3)(LAGS), np.ones((2, 3)))


def test_times_however_far_apart_are_unlike_and_warn_of_nothing() -> None:
    far = np.array([0.0, 1e300, -1e300])
    for drift in (SquaredExponential(1e-50), Forgetting(0.1, 1e-50)):
        np.testing.assert_array_equal(drift(far), [1.0, 0.0, 0.0])
