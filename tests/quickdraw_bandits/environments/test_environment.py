"""The contract that every environment keeps."""

import copy
import pickle

import numpy as np
import pytest

import quickdraw_bandits as qd

N_ROUNDS, N_ARMS = 6, 5


def random_field(noise, seed):
    return qd.environments.RandomField(noise=noise, n_arms=N_ARMS, n_rounds=N_ROUNDS, seed=seed)


def known_function(noise, seed):
    return qd.environments.KnownFunction(lambda x, t: x * t, n_arms=N_ARMS, n_rounds=N_ROUNDS, noise=noise, seed=seed)


def standing_function(noise, seed):
    return qd.environments.KnownFunction(np.cos, n_arms=N_ARMS, n_rounds=N_ROUNDS, noise=noise, seed=seed)


def recorded(noise, seed):
    rewards = np.random.default_rng(9).random((N_ROUNDS, N_ARMS))
    return qd.environments.Recorded(rewards, qd.Arms.grid(0, 1, N_ARMS), noise=noise, seed=seed)


@pytest.fixture(params=[random_field, known_function, standing_function, recorded])
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


@pytest.mark.parametrize("copied", [copy.copy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_pays_the_same(make, copied):
    env = make(noise=0.2, seed=3)
    np.testing.assert_array_equal(copied(env).rewards, env.rewards)  # before the arrays are made
    assert "rewards" in vars(env)
    assert "rewards" not in vars(copied(env))
    np.testing.assert_array_equal(copied(env).rewards, env.rewards)
    np.testing.assert_array_equal(copied(env).best_mean, env.best_mean)


@pytest.mark.parametrize("bad", [-1, N_ROUNDS, 1.0, True, None, "1"])
def test_pull_refuses_bad_rounds(make, bad):
    with pytest.raises(ValueError, match=f"round must be an integer from 0 to {N_ROUNDS - 1}, got {bad!r}"):
        make(0.0, 0).pull(bad, 0)


@pytest.mark.parametrize("bad", [-1, N_ARMS, 1.0, False, None, "1"])
def test_pull_refuses_bad_arms(make, bad):
    with pytest.raises(ValueError, match=f"arm must be an integer from 0 to {N_ARMS - 1}, got {bad!r}"):
        make(0.0, 0).pull(0, bad)


@pytest.mark.parametrize(("argument", "bad"), [("noise", -0.1), ("noise", np.nan), ("seed", -1), ("seed", 1.5)])
def test_refuses_bad_noise_and_seed(make, argument, bad):
    with pytest.raises(ValueError, match=f"{argument} must be .*, got {bad!r}"):
        make(**{"noise": 0.0, "seed": 0, argument: bad})


def test_repr_says_what_it_is(make):
    assert repr(make(0.25, 3)).endswith("(6 rounds, 5 arms, noise=0.25, seed=3)")


def test_is_abstract():
    with pytest.raises(TypeError, match="abstract"):
        qd.environments.Environment(qd.Arms.grid(0, 1, 2), np.arange(3.0), 0.0, 0)
