import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from quickdraw_bandits.policies.distribution_functions import beta, beta_quantiles, log_beta, log_normal

parameters = st.one_of(st.integers(1, 50).map(float), st.floats(1, 1e5))


@settings(max_examples=300)
@given(a=parameters, b=parameters, deviations=st.floats(-8, 8))
def test_beta_distribution_is_scipys(a, b, deviations):
    """From eight standard deviations below the mean to eight above it."""
    mean = a / (a + b)
    x = min(max(mean + deviations * np.sqrt(mean * (1 - mean) / (a + b + 1)), 0.0), 1.0)
    np.testing.assert_allclose(beta(a, b, x), special.betainc(a, b, x), rtol=1e-8)
    np.testing.assert_allclose(beta(b, a, 1 - x), special.betainc(b, a, 1 - x), rtol=1e-8)


def test_logarithms_are_of_every_distribution_at_every_point():
    one, other, x = np.array([1.0, 3.0, 20.0]), np.array([2.0, 1.0, 40.0]), np.array([0.0, 0.1, 0.5, 1.0])
    with np.errstate(divide="ignore"):
        expected = np.maximum(np.log(special.betainc(one[:, None], other[:, None], x)), np.log(1e-300))
    np.testing.assert_allclose(log_beta(one, other, x), expected, rtol=1e-10)


@given(a=parameters, b=parameters)
def test_quantiles_have_their_probabilities(a, b):
    """To what a ten-thousandth of a standard deviation changes; above 1 - 1e-7 the rounding of x counts too."""
    deviations = np.linspace(-7.5, 7.5, 31)
    found = beta_quantiles(np.array([a]), np.array([b]), special.ndtr(deviations))[0]
    lower, upper = special.betainc(a, b, found), special.betaincc(a, b, found)
    np.testing.assert_allclose(lower[:16], special.ndtr(deviations[:16]), rtol=0.01)
    np.testing.assert_allclose(upper[15:26], special.ndtr(-deviations[15:26]), rtol=0.01)


def test_normal_distribution_is_scipys():
    z = np.linspace(-37, 37, 2001).reshape(3, -1)
    np.testing.assert_allclose(log_normal(z), special.log_ndtr(z), rtol=1e-12)
