import numpy as np
import pytest

from quickdraw_bandits.gaussian_process import Parameters, Sample, WarmFit, fit, log_marginal_likelihood
from quickdraw_bandits.gaussian_process.fit import minimise

START = Parameters(1.0, 0.1, 0.05)


def sample_of(positions: np.ndarray, values: np.ndarray, n_points: int = 100) -> tuple[np.ndarray, Sample]:
    points = np.linspace(0, 1, n_points)[:, None]
    return points[positions], Sample.merged(points, positions, values)


def test_the_gradient_is_zero_at_the_optimum_and_the_likelihood_is_the_plain_one() -> None:
    random = np.random.default_rng(0)
    positions = random.integers(100, size=80)
    values = 3 * np.sin(positions / 8) + random.normal(size=80)
    points, sample = sample_of(positions, values)
    found = fit(sample, START)
    value, gradient = log_marginal_likelihood(found.parameters, points, values)
    assert found.log_likelihood == pytest.approx(value, abs=1e-8)
    np.testing.assert_allclose(gradient, 0, atol=2e-3)


@pytest.mark.parametrize("scale", [1e-100, 1e-6, 1e6, 1e100])
def test_the_unit_of_the_values_does_not_matter(scale: float) -> None:
    random = np.random.default_rng(1)
    positions, values = random.integers(100, size=50), random.normal(size=50)
    plain = fit(sample_of(positions, values)[1], START).parameters
    scaled = fit(sample_of(positions, values * scale)[1], START).parameters
    assert scaled.length_scale == pytest.approx(plain.length_scale, rel=1e-3)
    assert scaled.signal_variance / scale**2 == pytest.approx(plain.signal_variance, rel=1e-3)
    assert scaled.noise_variance / scale**2 == pytest.approx(plain.noise_variance, rel=1e-3)


@pytest.mark.parametrize(
    "values",
    [np.zeros(30), np.full(30, 0.3), np.full(30, 1e9), 1e9 + np.arange(30.0), np.eye(30)[3], np.array([0.7])],
    ids=["zeros", "equal", "equal and huge", "huge offset", "one spike", "one observation"],
)
@pytest.mark.parametrize("repeated", [False, True])
def test_odd_values_are_fitted_within_the_bounds(values: np.ndarray, repeated: bool) -> None:
    positions = np.zeros(len(values), dtype=np.int64) if repeated else np.arange(len(values))
    points, sample = sample_of(positions, values)
    found = fit(sample, START)
    unit = np.mean(values**2) or 1.0
    assert 0.99e-5 * unit <= found.parameters.signal_variance <= 1.01e5 * unit
    assert 0.99e-5 * unit <= found.parameters.noise_variance <= 1.01e5 * unit
    assert 0.99e-5 <= found.parameters.length_scale <= 1.01e5
    assert (
        found.log_likelihood
        >= log_marginal_likelihood(Parameters(unit, START.length_scale, START.noise_variance * unit), points, values)[0]
        - 1e-6
    )


def test_a_warm_fit_leaves_a_worse_maximum_once_the_starts_have_taken_turns() -> None:
    # A wave that is short for 12 points can also be read as noise; both are maxima of the likelihood.
    random = np.random.default_rng(3)
    positions = random.choice(100, size=40, replace=False)
    values = np.sin(positions / 2) + 0.1 * random.normal(size=40)
    _, sample = sample_of(positions, values)
    noisy, wavy = (fit(sample, Parameters(1.0, length, 0.5)) for length in (3.0, 0.02))
    assert wavy.log_likelihood > noisy.log_likelihood + 1
    warm = WarmFit([Parameters(1.0, 3.0, 0.5)])
    assert warm(sample).log_likelihood == pytest.approx(noisy.log_likelihood, abs=1e-3)
    warm.starts = [Parameters(1.0, 3.0, 0.5), Parameters(1.0, 0.02, 0.5)]
    assert warm(sample).log_likelihood == pytest.approx(wavy.log_likelihood, abs=1e-3)
    assert warm(sample).log_likelihood == pytest.approx(wavy.log_likelihood, abs=1e-3)


def test_rounding_does_not_decide_between_equal_likelihoods() -> None:
    """Two points so far apart that every short length scale is as likely: the first start is kept."""
    sample = Sample(np.array([[0.0], [1.0]]), np.ones(2), np.array([1.0, -0.6]), 0.0)
    starts = [Parameters(1.0, length, 0.05) for length in (0.01, 0.02, 0.03)]
    for order in (starts, starts[::-1]):
        assert WarmFit(order)(sample).parameters.length_scale == pytest.approx(order[0].length_scale)


@pytest.mark.parametrize("start", [(3.0, -2.0), (-4.0, 4.5), (0.0, 0.0)])
def test_a_function_in_a_box_is_minimised(start: tuple[float, float]) -> None:
    """A bent valley with its lowest point inside the box, and one outside it: the nearest point of the box is found."""
    for centre in (0.7, 9.0):

        def valley(x: float, y: float, centre: float = centre) -> tuple[float, float, float, float]:
            bend = y - 0.2 * x * x
            value = (x - centre) ** 2 + 3 * bend**2
            return value, 2 * (x - centre) - 2.4 * bend * x, 6 * bend, value + 1

        value, extra, (x, y), _ = minimise(valley, start, np.eye(2) * 10, (2.0, 5.0))
        best = min(centre, 2.0)
        assert (x, y) == pytest.approx((best, 0.2 * best**2), abs=1e-3)
        assert extra == value + 1
