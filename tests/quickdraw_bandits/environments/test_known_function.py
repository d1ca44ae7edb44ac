import math

import numpy as np
import pytest

from quickdraw_bandits.environments import KnownFunction


def plain(x, t):
    return max(x, 0.0) + math.sin(t)  # refuses arrays


def test_function_of_x_and_t_against_single_calls():
    env = KnownFunction(lambda x, t: np.sin(3 * x) + t, n_arms=7, n_rounds=5, low=-2, high=3)
    x = [-2 + 5 * k / 6 for k in range(7)]
    expected = [[math.sin(3 * a) + s / 5 for a in x] for s in range(5)]
    np.testing.assert_allclose(env.mean, expected, atol=1e-14)
    np.testing.assert_allclose(env.arms.points[:, 0], x, atol=1e-14)


def test_plain_functions_are_called_point_by_point():
    env = KnownFunction(plain, n_arms=3, n_rounds=4)
    np.testing.assert_allclose(env.mean, [[plain(x, s / 4) for x in (-1, 0, 1)] for s in range(4)])
    np.testing.assert_allclose(KnownFunction(math.exp, n_arms=3, n_rounds=2).mean[1], [math.exp(x) for x in (-1, 0, 1)])


def test_function_of_x_stays_and_takes_one_row():
    env = KnownFunction(lambda x, width=0.5: np.exp(-((x / width) ** 2)), n_arms=9, n_rounds=10_000)
    np.testing.assert_allclose(env.mean[0], np.exp(-((np.linspace(-1, 1, 9) / 0.5) ** 2)))
    np.testing.assert_array_equal(env.mean[0], env.mean[-1])
    assert env.mean.strides[0] == 0


def test_constants_and_ufuncs():
    assert (KnownFunction(lambda x: 0.25, n_arms=4, n_rounds=3).mean == 0.25).all()
    assert (KnownFunction(lambda x, t: 0.25, n_arms=4, n_rounds=3).mean == 0.25).all()
    np.testing.assert_allclose(KnownFunction(np.square, n_arms=3, n_rounds=1).mean, [[1, 0, 1]])
    np.testing.assert_allclose(KnownFunction(np.add, n_arms=3, n_rounds=2).mean, [[-1, 0, 1], [-0.5, 0.5, 1.5]])


def test_refuses_what_is_not_a_function_of_x():
    with pytest.raises(ValueError, match="function must be a function of x, or of x and t, got 3"):
        KnownFunction(3)
    with pytest.raises(ValueError, match="takes 3 arguments"):
        KnownFunction(lambda a, b, c: a)
    with pytest.raises(ValueError, match="takes 0 arguments"):
        KnownFunction(lambda: 1.0)


def test_refuses_values_that_are_not_finite():
    with (
        np.errstate(divide="ignore"),
        pytest.raises(ValueError, match=r"function must be finite at every arm and time, got inf at x=0$"),
    ):
        KnownFunction(lambda x: 1 / np.abs(x), n_arms=3, n_rounds=2)
    with pytest.raises(ValueError, match=r"got nan at x=-1, t=0\.5"):
        KnownFunction(lambda x, t: np.where(t > 0, np.nan, x), n_arms=3, n_rounds=2)


def test_what_the_function_raises_comes_through():
    with pytest.raises(ZeroDivisionError):
        KnownFunction(lambda x: 1 / 0, n_arms=3, n_rounds=2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"low": 1, "high": 1}, "low must be below high"),
        ({"n_arms": 0}, "n_arms must be an integer of at least 1"),
        ({"n_rounds": 0}, "n_rounds must be an integer of at least 1"),
    ],
)
def test_refuses_bad_grids(settings, message):
    with pytest.raises(ValueError, match=message):
        KnownFunction(np.cos, **settings)
