import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from threadpoolctl import threadpool_limits

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.gaussian_process import Parameters, log_marginal_likelihood
from quickdraw_bandits.policies import SlidingGPUCB

N_ARMS, N_ROUNDS, WARMUP = 1000, 400, 100


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads of BLAS slow down small matrices tenfold where other processes use the same cores."""
    with threadpool_limits(1):
        yield


def drifting_field(seed: int) -> np.ndarray:
    """A sum of 300 plane waves: about a Gaussian field with length 0.1 over [-1, 1], and 0.1 of 1000 rounds."""
    random = np.random.default_rng(seed)
    across = np.linspace(-1, 1, N_ARMS)[:, None] * random.normal(size=300) * np.sqrt(np.pi / 2) / 0.1
    along = np.arange(N_ROUNDS)[:, None] / 1000 * random.normal(size=300) * np.sqrt(np.pi / 2) / 0.1
    phase = random.uniform(0, 2 * np.pi, size=300)
    field = np.cos(along + phase) @ np.cos(across).T - np.sin(along + phase) @ np.sin(across).T
    return np.asarray((field - field.min()) / (field.max() - field.min()))


def warmed_up(field: np.ndarray, **options: object) -> SlidingGPUCB:
    policy = SlidingGPUCB(Arms.grid(-1, 1, N_ARMS), seed=0, **options)  # type: ignore[arg-type]
    arms = np.random.default_rng(0).integers(N_ARMS, size=WARMUP)
    policy.update(np.arange(WARMUP), arms, field[np.arange(WARMUP), arms])
    return policy


def their_process(start: Parameters) -> GaussianProcessRegressor:
    kernel = ConstantKernel(start.signal_variance) * RBF(start.length_scale) + WhiteKernel(start.noise_variance)
    return GaussianProcessRegressor(kernel, alpha=0.0)


@pytest.mark.slow
def test_the_fit_is_as_likely_as_scikit_learns_on_the_windows_of_a_game() -> None:
    """Within 0.01 of the log likelihood that scikit-learn reaches from each start, or above it, 19 times of 20."""
    field = drifting_field(1)
    policy = warmed_up(field)
    short = []
    for round_ in range(WARMUP, N_ROUNDS):
        arm = policy.select(round_)
        if round_ % 6 == 0:
            points, rewards = policy._points[policy._seen.arms], policy._seen.rewards
            unit = np.sqrt(np.mean(rewards**2))
            assert policy.parameters is not None
            ours, _ = log_marginal_likelihood(policy.parameters, points, rewards)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                start = policy._fit.starts[round_ // 6 % len(policy._fit.starts)]
                theirs = their_process(start).fit(points, rewards / unit).log_marginal_likelihood_value_
            short.append(theirs - (ours + len(rewards) * np.log(unit)))
        policy.update(round_, arm, field[round_, arm])
    assert len(short) == 50
    assert np.mean(np.array(short) < 0.01) >= 0.95


@pytest.mark.parametrize("prior_mean", ["zero", "average"])
def test_the_estimate_is_scikit_learns_with_the_fitted_parameters(prior_mean: str) -> None:
    policy = warmed_up(drifting_field(2), prior_mean=prior_mean)
    mean, std = policy.estimate(0.0)
    fitted = policy.parameters
    assert fitted is not None
    offset = policy._seen.rewards.mean() if prior_mean == "average" else 0.0
    theirs = their_process(fitted)
    theirs.optimizer = None
    theirs.fit(policy._points[policy._seen.arms], policy._seen.rewards - offset)
    their_mean, their_std = theirs.predict(policy._points, return_std=True)
    np.testing.assert_allclose(mean, their_mean + offset, atol=1e-8)
    np.testing.assert_allclose(std, np.sqrt(their_std**2 - fitted.noise_variance), atol=1e-7)
    np.testing.assert_allclose(policy.index(0.0), mean + 2.0 * std)


def test_follows_a_drifting_field_better_than_chance() -> None:
    field = drifting_field(3)
    policy = warmed_up(field)
    regret = []
    for round_ in range(WARMUP, N_ROUNDS):
        arm = policy.select(round_)
        policy.update(round_, arm, field[round_, arm])
        regret.append(field[round_].max() - field[round_, arm])
    chance = np.mean(field[WARMUP:].max(axis=1) - field[WARMUP:].mean(axis=1))
    assert np.mean(regret) < chance / 2


def test_only_the_window_counts() -> None:
    whole, recent = (SlidingGPUCB(Arms.grid(-1, 1, 50), window=20, seed=0) for _ in range(2))
    random = np.random.default_rng(4)
    arms, rewards = random.integers(50, size=60), random.random(60)
    whole.update(np.arange(60), arms, rewards)
    recent.update(np.arange(40, 60), arms[40:], rewards[40:])
    np.testing.assert_array_equal(whole.index(0.0), recent.index(0.0))


def test_asking_twice_changes_nothing() -> None:
    policy = warmed_up(drifting_field(5))
    first = policy.index(0.0)
    first_parameters = policy.parameters
    first[:] = 7.0
    assert policy.index(1.0).max() < 7.0
    assert policy.parameters is first_parameters


@pytest.mark.parametrize("prior_mean", ["zero", "average"])
@pytest.mark.parametrize(
    "rewards",
    [
        [0.4],
        [0.1] * 30,
        [0.0] * 30,
        [-3.0] * 5,
        [1e12] * 29 + [1e12 + 1],
        [1e-200] * 9,
        [1e-160] * 9,
        [0.0] * 29 + [1e150],
    ],
)
@pytest.mark.parametrize("repeated", [False, True])
def test_odd_rewards_are_played_on(prior_mean: str, rewards: list[float], repeated: bool) -> None:
    policy = SlidingGPUCB(Arms.grid(-1, 1, 40), prior_mean=prior_mean, seed=0)  # type: ignore[arg-type]
    n = len(rewards)
    policy.update(np.arange(n), np.zeros(n, dtype=int) if repeated else np.arange(n), rewards)
    for time in range(3):
        policy.update(n + time, policy.select(n + time), rewards[-1])
    mean, std = policy.estimate(0.0)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()


def test_equal_rewards_make_it_look_elsewhere() -> None:
    policy = SlidingGPUCB(Arms.grid(-1, 1, 41), prior_mean="average", seed=0)
    rewards = np.full(3, 0.1)
    assert rewards.mean() != 0.1  # by rounding
    policy.update(np.arange(3), np.full(3, 20), rewards)
    _, std = policy.estimate(0.0)
    assert std.max() > 1e-6
    assert abs(policy.select(10.0) - 20) > 5


@pytest.mark.parametrize("metric", ["cosine", "haversine"])
def test_plays_on_other_metrics(metric: str) -> None:
    random = np.random.default_rng(6)
    arms = Arms(random.uniform(-1.5, 1.5, size=(200, 2)), metric=metric)  # type: ignore[arg-type]
    policy = SlidingGPUCB(arms, seed=0)
    pay = np.exp(-20 * arms.distances(17) ** 2)
    for time in range(40):
        arm = policy.select(time)
        policy.update(time, arm, pay[arm])
    assert pay[policy.select(40.0)] > 0.9


def test_distances_alone_are_refused() -> None:
    with pytest.raises(ValueError, match=r"arms must have the metric euclidean, cosine or haversine.*'precomputed'"):
        SlidingGPUCB(Arms([[0.0, 1.0], [1.0, 0.0]], metric="precomputed"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 0}, "window must be an integer of at least 1"),
        ({"exploration": np.nan}, "exploration must be a finite number"),
        ({"prior_mean": "one"}, "prior_mean must be 'zero' or 'average', got 'one'"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SlidingGPUCB(Arms.grid(0, 1, 4), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [45, 55, 57])
def test_rare_clicks_do_not_break_the_fit(seed):
    """Rewards of 0 with a 1 now and then, where the curvature carried over from the last round can be worthless."""
    random = np.random.default_rng(seed)
    arms = Arms(random.choice(np.linspace(-1, 1, 20), 46))
    policy = SlidingGPUCB(arms, window=[5, 20, 100][seed % 3], seed=0)
    rate = [0.0, 0.005, 0.05][seed // 3 % 3]
    for k in range(60):
        mean, std = policy.estimate(k * 1e-3)
        assert np.isfinite(mean).all()
        assert np.isfinite(std).all()
        policy.update(k * 1e-3, int(random.integers(46)), float(random.random() < rate))
