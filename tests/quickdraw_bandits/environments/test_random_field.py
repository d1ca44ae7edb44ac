import pickle

import gstools
import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.environments import RandomField
from quickdraw_bandits.environments.plane_waves import gaussian_waves


def small(**settings):
    return RandomField(**{"n_arms": 30, "n_rounds": 40, "seed": 2, **settings})


def test_mean_is_the_scaled_field_to_the_power():
    field = gaussian_waves(0.3, 0.2, seed=2).on_grid(np.linspace(-1, 1, 30), np.arange(40) / 40)
    scaled = (field - field.min()) / (field.max() - field.min())
    np.testing.assert_allclose(small(length_x=0.3, length_t=0.2).mean, scaled, atol=1e-15)
    np.testing.assert_allclose(small(length_x=0.3, length_t=0.2, power=3.0).mean, scaled**3, atol=1e-15)


def test_the_field_is_the_one_that_gstools_makes_of_the_same_seed():
    model = gstools.Gaussian(dim=2, var=1.0, len_scale=[0.3, 0.2])
    field = gstools.SRF(model, seed=2).structured([np.linspace(-1, 1, 30), np.arange(40) / 40]).T
    scaled = (field - field.min()) / (field.max() - field.min())
    np.testing.assert_allclose(small(length_x=0.3, length_t=0.2).mean, scaled, rtol=0, atol=1e-10)


def test_arms_and_times_are_those_of_the_paper():
    env = RandomField()
    assert (len(env.arms), env.n_rounds) == (1000, 1000)
    assert env.arms.points[0, 0] == -1
    assert env.arms.points[-1, 0] == 1
    assert env.arms.unit == 2.0  # D = |dx| / 2
    assert env.times[1] == 1e-3
    assert "mean" not in vars(env)  # nothing is made before it is asked for


def test_the_prior_is_that_of_the_scaled_draw():
    field = gaussian_waves(0.3, 0.2, seed=2).on_grid(np.linspace(-1, 1, 30), np.arange(40) / 40)
    env = small(length_x=0.3, length_t=0.2, noise=0.1)
    mean, variance = env.prior
    np.testing.assert_allclose(mean + np.sqrt(variance) * field, env.mean, atol=1e-14)
    assert env.vary(power=3.0).prior == env.prior


def test_seeds_give_different_fields_and_the_same_seed_the_same():
    np.testing.assert_array_equal(small().mean, small().mean)
    assert not np.allclose(small().mean, small(seed=3).mean)


def test_vary_shares_the_field_and_the_noise():
    env = small(length_x=0.05, noise=0.1)
    noisier, sharper = env.vary(noise=0.4), env.vary(power=2.0)
    assert noisier.mean is env.mean
    assert (noisier.noise, noisier.power, sharper.noise, sharper.power) == (0.4, 1.0, 0.1, 2.0)
    np.testing.assert_array_equal(sharper.mean, env.mean**2.0)
    np.testing.assert_allclose(noisier.rewards - noisier.mean, 4 * (env.rewards - env.mean), atol=1e-15)
    np.testing.assert_allclose(sharper.rewards - sharper.mean, env.rewards - env.mean, atol=1e-15)
    np.testing.assert_array_equal(sharper.rewards, small(length_x=0.05, noise=0.1, power=2.0).rewards)
    np.testing.assert_array_equal(sharper.vary(power=1.0).mean, env.mean)


def test_vary_before_the_field_is_made_makes_it_once(monkeypatch):
    calls = []
    real = gaussian_waves
    monkeypatch.setattr(
        "quickdraw_bandits.environments.random_field.gaussian_waves", lambda *a: calls.append(a) or real(*a)
    )
    env = small()
    varied = [env.vary(power=p) for p in (1.0, 2.0, 3.0)]
    for each in [env, *varied]:
        assert each.mean.max() == 1.0
    assert len(calls) == 1


def test_pickles_without_its_arrays():
    env = RandomField(noise=0.1, n_arms=300, n_rounds=300)
    assert env.rewards.nbytes > 700_000
    assert len(pickle.dumps(env)) < 10_000


@pytest.mark.parametrize(
    ("argument", "bad"),
    [
        ("length_x", 0.0),
        ("length_x", -1.0),
        ("length_t", 0.0),
        ("length_t", np.inf),
        ("power", 0.0),
        ("power", "x"),
        ("n_arms", 1),
        ("n_arms", 2.5),
        ("n_rounds", 0),
    ],
)
def test_refuses_bad_settings(argument, bad):
    with pytest.raises(ValueError, match=f"{argument} must be .*, got {bad!r}"):
        small(**{argument: bad})


def test_refuses_bad_variations():
    with pytest.raises(ValueError, match="power must be above 0"):
        small().vary(power=-1)
    with pytest.raises(ValueError, match="noise must be at least 0"):
        small().vary(noise=-1)


def test_a_field_that_does_not_vary_is_refused():
    with pytest.raises(ValueError, match="small enough for the field to vary, got length_x=1e"):
        _ = small(length_x=1e12, length_t=1e12).mean


def test_is_exported():
    assert qd.environments.RandomField is RandomField
