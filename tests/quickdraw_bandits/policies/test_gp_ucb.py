import sys
from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.gaussian_process import log_marginal_likelihood
from quickdraw_bandits.policies import GPUCB
from quickdraw_bandits.policies.gp_libraries import Library

LIBRARIES: tuple[Library, ...] = ("own", "scikit-learn", "george")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads of BLAS slow down small matrices tenfold where other processes use the same cores."""
    with threadpool_limits(1):
        yield


def observed(library: Library, dimension: int = 1, n: int = 25, **options: object) -> GPUCB:
    random = np.random.default_rng(dimension)
    policy = GPUCB(Arms(random.random((60, dimension))), library, seed=0, **options)  # type: ignore[arg-type]
    arms = random.integers(60, size=n)
    rewards = np.sin(6 * policy.arms.points[arms, 0]) + 0.1 * random.normal(size=n)
    policy.update(np.arange(n), arms, rewards)
    return policy


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_libraries_agree_for_the_same_parameters(dimension: int) -> None:
    own, *others = [
        observed(name, dimension, fit=False, signal_variance=2.0, length_scale=0.15, noise_variance=0.02).estimate(0.0)
        for name in LIBRARIES
    ]
    for other in others:
        np.testing.assert_allclose(own[0], other[0], atol=1e-8)
        np.testing.assert_allclose(own[1], other[1], atol=1e-8)


@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.parametrize("library", LIBRARIES)
def test_fitting_finds_a_maximum(library: Library, dimension: int) -> None:
    policy = observed(library, dimension, noise_variance=0.1)
    before = policy.parameters
    policy.select(0.0)
    points = policy.arms.points[policy.observations[1]] / policy.arms.unit
    start, _ = log_marginal_likelihood(before, points, policy.observations[2])
    value, gradient = log_marginal_likelihood(policy.parameters, points, policy.observations[2])
    assert value > start + 1
    np.testing.assert_allclose(gradient, 0, atol=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("fit", [True, False])
def test_finds_the_best_arm_of_a_smooth_function(library: Library, fit: bool) -> None:
    policy = GPUCB(Arms.grid(-1, 1, 101), library, fit, seed=1)
    pay = np.exp(-(((np.arange(101) - 70) / 20) ** 2))
    for time in range(25):
        arm = policy.select(time)
        policy.update(time, arm, pay[arm])
    assert abs(policy.select(25.0) - 70) <= 2


def test_parameters_stay_as_given_unless_fitted() -> None:
    policy = observed("own", fit=False, length_scale=0.3)
    before = policy.parameters
    policy.select(0.0)
    assert policy.parameters is before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"library": "gpy"}, "library must be one of own, scikit-learn, george, got 'gpy'"),
        ({"length_scale": 0.0}, "length_scale must be above 0"),
        ({"exploration": -1.0}, "exploration must be at least 0"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GPUCB(Arms.grid(0, 1, 4), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("library", "module"), [("scikit-learn", "sklearn"), ("george", "george")])
def test_a_missing_library_says_what_to_install(library: Library, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"{library}: pip install .quickdraw-bandits\[gaussian-processes\]"):
        observed(library)
