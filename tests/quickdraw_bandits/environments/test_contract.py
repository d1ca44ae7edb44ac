"""What may differ from environment to environment and must not; checks of input are shared and tested once."""

import copy
import pickle

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.environments import Environment, KnownFunction, RandomField, Recorded

N_ROUNDS, N_ARMS = 6, 5
SIZE = {"n_arms": N_ARMS, "n_rounds": N_ROUNDS}


def random_field(noise, seed):
    return RandomField(noise=noise, seed=seed, **SIZE)


def drifting_function(noise, seed):
    return KnownFunction(lambda x, t: x * t, noise=noise, seed=seed, **SIZE)


def standing_function(noise, seed):
    return KnownFunction(np.cos, noise=noise, seed=seed, **SIZE)


def recorded(noise, seed):
    rewards = np.random.default_rng(9).random((N_ROUNDS, N_ARMS))
    return Recorded(rewards, qd.Arms.grid(0, 1, N_ARMS), noise=noise, seed=seed)


@pytest.fixture(params=[random_field, drifting_function, standing_function, recorded])
def make(request):
    return request.param


def test_shapes_and_times(make):
    env = make(noise=0.1, seed=0)
    assert env.n_rounds == N_ROUNDS
    assert len(env.arms) == N_ARMS
    assert env.mean.shape == env.rewards.shape == (N_ROUNDS, N_ARMS)
    assert env.mean.dtype == env.times.dtype == np.float64
    np.testing.assert_array_equal(env.times, [i / N_ROUNDS for i in range(N_ROUNDS)])
    np.testing.assert_array_equal(env.best_mean, [max(row) for row in env.mean.tolist()])


def test_pull_pays_the_same_every_time(make):
    env = make(noise=0.3, seed=4)
    everything = [[env.pull(s, k) for k in range(N_ARMS)] for s in range(N_ROUNDS)]
    np.testing.assert_array_equal(everything, env.rewards)
    backwards = [[env.pull(s, k) for k in reversed(range(N_ARMS))][::-1] for s in reversed(range(N_ROUNDS))][::-1]
    assert everything == backwards
    assert type(env.pull(np.int64(1), np.int32(2))) is float


def test_no_noise_pays_the_mean_itself(make):
    env = make(noise=0.0, seed=4)
    assert env.rewards is env.mean


def test_noise_is_one_array_per_seed_scaled(make):
    small, large, other = make(0.1, 5), make(0.4, 5), make(0.1, 6)
    draws = np.random.default_rng(np.random.SeedSequence(5).spawn(2)[1]).standard_normal((N_ROUNDS, N_ARMS))
    np.testing.assert_allclose(small.rewards - small.mean, 0.1 * draws, atol=1e-15)
    np.testing.assert_allclose(large.rewards - large.mean, 0.4 * draws, atol=1e-15)
    assert not np.allclose(other.rewards - other.mean, 0.1 * draws)


def test_arrays_are_read_only(make):
    env = make(noise=0.1, seed=0)
    for array in (env.mean, env.rewards, env.times, env.best_mean):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7.0


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_pays_the_same(make, copied):
    env = make(noise=0.2, seed=3)
    np.testing.assert_array_equal(copied(env).rewards, env.rewards)  # before the arrays are made
    assert "rewards" in vars(env)
    assert "rewards" not in vars(copied(env))
    np.testing.assert_array_equal(copied(env).rewards, env.rewards)
    np.testing.assert_array_equal(copied(env).best_mean, env.best_mean)


def test_its_name_and_size_are_shown(make):
    env = make(0.25, 3)
    assert repr(env) == f"{type(env).__name__}(6 rounds, 5 arms, noise=0.25, seed=3)"


class Flat(Environment):
    """Pays 0 everywhere."""

    mean = np.zeros((N_ROUNDS, N_ARMS))


def flat(arms=None, noise=0.0, seed=0):
    return Flat(qd.Arms.grid(0, 1, N_ARMS) if arms is None else arms, np.arange(float(N_ROUNDS)), noise, seed)


@pytest.mark.parametrize("bad", [-1, N_ROUNDS, 1.0, True, None, "1"])
def test_pull_refuses_bad_rounds_and_arms(bad):
    with pytest.raises(ValueError, match=f"round must be an integer from 0 to {N_ROUNDS - 1}, got {bad!r}"):
        flat().pull(bad, 0)
    bad = N_ARMS if bad == N_ROUNDS else bad
    with pytest.raises(ValueError, match=f"arm must be an integer from 0 to {N_ARMS - 1}, got {bad!r}"):
        flat().pull(0, bad)


@pytest.mark.parametrize(
    ("argument", "bad", "message"),
    [
        ("noise", -0.1, "noise must be at least 0, got -0.1"),
        ("noise", np.nan, "noise must be a finite number, got nan"),
        ("seed", -1, "seed must be an integer of at least 0, got -1"),
        ("seed", 1.5, "seed must be an integer of at least 0, got 1.5"),
        ("arms", [0.0, 1.0], r"arms must be an Arms set, got list; build one with Arms\(points\)"),
        ("arms", qd.Box(0.0, 1.0), r"arms must be an Arms set, got Box; choose points of the box: Arms\(points\)"),
    ],
)
def test_bad_settings_are_refused(argument, bad, message):
    with pytest.raises(ValueError, match=message):
        flat(**{argument: bad})


def test_is_abstract():
    with pytest.raises(TypeError, match="abstract"):
        Environment(qd.Arms.grid(0, 1, 2), np.arange(3.0), 0.0, 0)
