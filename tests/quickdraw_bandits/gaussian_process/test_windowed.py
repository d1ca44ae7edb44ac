import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.gaussian_process import (
    ArmCorrelations,
    Directions,
    DriftingProcess,
    Forgetting,
    SquaredExponential,
    WeightedProcess,
    WindowedProcess,
    windowed,
)

ARMS = Arms.grid(0, 1, 37)
X = np.linspace(0, 1, 37)
S2, LENGTH, NOISE = 1.7, 0.15, 0.02
DRIFTS = {"squared": SquaredExponential(0.4), "forgetting": Forgetting(0.3, 0.1)}
KINDS = [*DRIFTS, "weighted"]

each_kind = pytest.mark.parametrize("kind", KINDS)


def make(kind: str, window: int = 20, noise: float = NOISE, arms: Arms = ARMS) -> WindowedProcess:
    correlations = ArmCorrelations(arms, LENGTH)
    if kind == "weighted":
        return WeightedProcess(correlations, S2, noise, window, eta=0.9, time_unit=0.05)
    return DriftingProcess(correlations, S2, noise, window, DRIFTS[kind])


def history(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return np.cumsum(random.exponential(0.03, size=n)), random.integers(37, size=n), random.normal(size=n)


def plain(
    kind: str, times: np.ndarray, arms: np.ndarray, values: np.ndarray, now: float, offset: float, noise: float = NOISE
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation by solving with the whole matrix, in the form of the textbook."""
    x = X[arms]
    among = S2 * np.exp(-((x[:, None] - x) ** 2) / (2 * LENGTH**2))
    cross = S2 * np.exp(-((x[:, None] - X) ** 2) / (2 * LENGTH**2))
    if kind == "weighted":
        among += noise * np.diag(0.9 ** (-np.maximum(now - times, 0) / 0.05))
    else:
        among = among * DRIFTS[kind](times[:, None] - times) + noise * np.eye(len(times))
        cross *= DRIFTS[kind](times - now)[:, None]
    mean = offset + cross.T @ np.linalg.solve(among, values - offset)
    return mean, np.sqrt(np.maximum(S2 - np.einsum("ij,ij->j", cross, np.linalg.solve(among, cross)), 0))


def assert_same(ours: tuple[np.ndarray, np.ndarray], theirs: tuple[np.ndarray, np.ndarray], atol: float) -> None:
    np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=atol)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=0, atol=atol)


@each_kind
@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 60),
    window=st.integers(1, 25),
    loaded=st.integers(0, 60),
    ahead=st.floats(-1.0, 2.0),
    offset=st.floats(-1, 1),
)
def test_agrees_with_the_plain_solution(
    kind: str, seed: int, n: int, window: int, loaded: int, ahead: float, offset: float
) -> None:
    """However many observations were loaded at once, and however many of the window have been replaced since."""
    times, arms, values = history(n, seed)
    process = make(kind, window)
    loaded = min(loaded, n, window)
    process.reload(times[:loaded], arms[:loaded], values[:loaded])
    for k in range(loaded, n):
        process.append(times[k], arms[k], values[k])
    kept = slice(max(0, n - window), None)
    now = float(times[-1]) + ahead
    expected = plain(kind, times[kept], arms[kept], values[kept], now, offset)
    assert_same(process.posterior(now, offset), expected, atol=1e-9)
    assert process.jitter == 0.0
    assert len(process) == min(n, window)


@each_kind
def test_thousands_of_observations_later_it_is_as_accurate_as_at_the_start(kind: str) -> None:
    times, arms, values = history(4000)
    process = make(kind, window=30)
    errors = []
    for k in range(4000):
        process.append(times[k], arms[k], values[k])
        if k % 400 == 399:
            kept = slice(k - 29, k + 1)
            expected = plain(kind, times[kept], arms[kept], values[kept], times[k] + 0.01, 0.0)
            mean, std = process.posterior(times[k] + 0.01)
            errors.append(max(np.abs(mean - expected[0]).max(), np.abs(std - expected[1]).max()))
    assert len(errors) == 10
    assert max(errors) < 1e-11


@each_kind
def test_agrees_with_scikit_learn(kind: str) -> None:
    """To 1e-8, after half of the window has been replaced; arms repeat."""
    times, arms, values = history(90, seed=3)
    process = make(kind, window=60)
    for observation in zip(times, arms, values, strict=True):
        process.append(*observation)
    times, arms, values = times[30:], arms[30:], values[30:]
    assert len(np.unique(arms)) < 60
    now = float(times[-1]) + 0.02
    alone = 1e12  # a length scale beyond which a coordinate does not count
    space = ConstantKernel(S2) * RBF([LENGTH, alone])
    kernel = {
        "squared": space * RBF([alone, 0.4]),
        "forgetting": space * Matern([alone, 0.2 / -np.log(0.7)], nu=0.5),
        "weighted": space,
    }[kind]
    alpha = NOISE * 0.9 ** (-(now - times) / 0.05) if kind == "weighted" else NOISE
    theirs = GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None)
    theirs.fit(np.column_stack([X[arms], times]), values - 0.3)
    mean, std = theirs.predict(np.column_stack([X, np.full(37, now)]), return_std=True)
    assert_same(process.posterior(now, 0.3), (mean + 0.3, std), atol=1e-8)


@each_kind
def test_neither_blocks_nor_the_cache_make_a_difference(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    observations = list(zip(*history(33), strict=True))

    def answer() -> tuple[np.ndarray, np.ndarray]:
        process = make(kind)
        for observation in observations:
            process.append(*observation)
        return process.posterior(2.0)

    usual = answer()
    monkeypatch.setattr(windowed, "LARGEST_CACHE", 0)
    assert make(kind)._rows is None
    assert_same(answer(), usual, atol=1e-13)
    monkeypatch.setattr(windowed, "BLOCK", 10)
    assert_same(answer(), usual, atol=1e-13)


@each_kind
def test_before_any_observation_it_is_the_prior(kind: str) -> None:
    mean, std = make(kind).posterior(1.0, prior_mean=0.4)
    np.testing.assert_array_equal(mean, np.full(37, 0.4))
    np.testing.assert_allclose(std, np.sqrt(S2))


@pytest.mark.parametrize("kind", DRIFTS)
def test_points_that_repeat_without_noise_get_jitter_and_say_so(kind: str) -> None:
    process = make(kind, window=12, noise=0.0)
    for value in (0.5, 0.5, 0.5):
        process.append(1.0, 10, value)
    assert process.jitter == pytest.approx(1e-8 * S2)
    mean, std = process.posterior(1.0)
    assert mean[10] == pytest.approx(0.5, abs=1e-7)
    assert std[10] < 1e-3
    # Contradictions are averaged, as if there were noise.
    process.append(1.0, 10, 0.9)
    assert process.posterior(1.0)[0][10] == pytest.approx(0.6, abs=1e-6)
    # Once they have left the window, and the factor is made afresh, there is no jitter any more.
    for k in range(30):
        process.append(2.0 + 2.0 * k, 0, 0.0)
    assert process.jitter == 0.0


def test_weights_of_old_observations_vanish_without_overflow() -> None:
    process = make("weighted")
    process.append(0.0, 5, 1.0)
    process.append(1e9, 30, 2.0)
    mean, std = process.posterior(1e9)
    assert mean[5] == pytest.approx(plain("weighted", np.array([1e9]), np.array([30]), np.array([2.0]), 1e9, 0)[0][5])
    assert std[5] == pytest.approx(np.sqrt(S2), rel=1e-3)
    assert np.isfinite(process.posterior(1e300)[0]).all()


@each_kind
def test_a_distance_without_straight_lines_is_played_with_jitter(kind: str) -> None:
    """Shortest ways between two hubs and three towns that are neighbours of both: no points in any space have them."""
    ways = np.full((5, 5), 2.0)
    ways[:2, 2:] = ways[2:, :2] = 1.0
    np.fill_diagonal(ways, 0.0)
    arms = Arms(ways, metric="precomputed")
    correlations = ArmCorrelations(arms, 1.0)
    every = correlations.rows(np.arange(5), slice(None))
    assert np.linalg.eigvalsh(every).min() < -1e-3
    process: WindowedProcess
    if kind == "weighted":
        process = WeightedProcess(correlations, 1.0, 1e-6, 20, eta=1.0, time_unit=1.0)
    else:
        process = DriftingProcess(correlations, 1.0, 1e-6, 20, DRIFTS[kind])
    for arm in range(5):
        process.append(0.0, arm, float(arm))
    mean, std = process.posterior(0.0)
    assert process.jitter > 1e-3
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()


@each_kind
def test_a_copy_goes_its_own_way(kind: str) -> None:
    process = make(kind, window=5)
    for observation in zip(*history(9), strict=True):
        process.append(*observation)
    before = process.posterior(1.0)
    twin = copy.deepcopy(process)
    for _ in range(3):
        twin.append(2.0, 3, 9.0)
    assert_same(process.posterior(1.0), before, atol=0.0)


@pytest.mark.parametrize("kind", DRIFTS)
@pytest.mark.parametrize("n", [0, 1, 50])
def test_one_arm_has_the_posterior_that_all_arms_have(kind: str, n: int) -> None:
    process = make(kind)
    for observation in zip(*history(n), strict=True):
        process.append(*observation)
    mean, std = process.posterior(2.0, 0.4)
    for arm in (0, 17, 36):
        assert process.at(2.0, arm, 0.4) == pytest.approx((mean[arm], std[arm]), abs=1e-12)


@each_kind
def test_an_observation_that_comes_late_takes_its_place_by_time(kind: str) -> None:
    process, in_order = make(kind), make(kind)
    observations = list(zip(*history(30), strict=True))
    for k in np.random.default_rng(2).permutation(30):
        process.insert(*observations[k])
    for observation in observations:
        in_order.append(*observation)
    np.testing.assert_array_equal(process.times, in_order.times)
    np.testing.assert_array_equal(process.values, in_order.values)
    assert_same(process.posterior(1.5), in_order.posterior(1.5), atol=1e-10)


@pytest.mark.parametrize("kind", DRIFTS)
@pytest.mark.parametrize("n_more", [0, 4])
def test_the_covariance_of_directions_is_that_of_the_function(kind: str, n_more: int) -> None:
    process, directions = make(kind, window=40), Directions(ArmCorrelations(ARMS, LENGTH), most=37)
    times, arms, values = history(25)
    process.reload(times[: 25 - n_more], arms[: 25 - n_more], values[: 25 - n_more])
    found = process.covariance_of(1.5, directions.phi, times[25 - n_more :], arms[25 - n_more :])
    x = X[arms]
    prior = S2 * np.exp(-((X[:, None] - X) ** 2) / (2 * LENGTH**2))
    among = S2 * np.exp(-((x[:, None] - x) ** 2) / (2 * LENGTH**2)) * DRIFTS[kind](times[:, None] - times)
    cross = prior[arms] * DRIFTS[kind](times - 1.5)[:, None]
    expected = prior - cross.T @ np.linalg.solve(among + NOISE * np.eye(25), cross)
    np.testing.assert_allclose(directions.phi @ found @ directions.phi.T, expected, atol=1e-5)
