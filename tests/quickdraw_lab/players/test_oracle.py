import gstools
import numpy as np
import pytest

from quickdraw_bandits.environments import RandomField
from quickdraw_bandits.environments.plane_waves import gaussian_waves
from quickdraw_bandits.policies import SpaceTimeGPUCB
from quickdraw_lab.players.oracle import oracle


def test_the_covariance_is_that_of_gstools():
    env = RandomField(length_x=0.3, length_t=0.05, n_arms=41, n_rounds=20, seed=1)
    process = oracle(env).process
    x = env.arms.points[:, 0]
    theirs = gstools.Gaussian(dim=1, len_scale=0.3).correlation(np.abs(x - x[7]))
    np.testing.assert_allclose(process.arms.rows(np.array([7]), slice(None))[0], theirs, rtol=1e-10)
    theirs = gstools.Gaussian(dim=1, len_scale=0.05).correlation(env.times)
    np.testing.assert_allclose(process.drift(env.times), theirs, rtol=1e-10)


def test_mean_and_variance_are_those_of_the_process_that_was_drawn_from():
    env = RandomField(n_arms=41, n_rounds=20, noise=0.2, seed=1)
    policy = oracle(env)
    drawn = gaussian_waves(0.1, 0.1, seed=1).on_grid(env.arms.points[:, 0], env.times)
    # Scaled as the policy believes, the draw is the environment's mean.
    scaled = policy.prior_mean + np.sqrt(policy.process.signal_variance) * drawn
    np.testing.assert_allclose(scaled, env.mean, atol=1e-12)
    assert policy.process.noise_variance == pytest.approx(0.04)


def test_other_powers_have_the_moments_of_the_rewards():
    env = RandomField(n_arms=41, n_rounds=20, power=3.0, seed=1)
    policy = oracle(env)
    assert policy.prior_mean == pytest.approx(env.mean.mean())
    assert policy.process.signal_variance == pytest.approx(env.mean.var())


def test_its_errors_are_as_large_as_it_says():
    """Over 60 fields, the mean square of the errors in units of the deviations is 1, within three standard errors.

    Five arms of each field, so far apart that they are independent, make 300 squares of standard normal numbers. The
    mean of those has a deviation of sqrt(2 / 300).
    """
    squares = {0.02: [], 0.2: []}
    for seed in range(60):
        field = RandomField(n_arms=100, n_rounds=200, seed=seed)
        arms = np.random.default_rng(seed).integers(100, size=100)
        for noise, found in squares.items():
            env = field.vary(noise=noise)
            policy = oracle(env, window=100)
            policy.update(env.times[:100], arms, env.rewards[np.arange(100), arms])
            mean, std = policy.estimate(env.times[105])
            found.append(((env.mean[105] - mean) / std)[10::20] ** 2)
    for found in squares.values():
        assert np.mean(found) == pytest.approx(1.0, abs=3 * np.sqrt(2 / 300))


@pytest.mark.parametrize(("noise", "share"), [(0.0, 1 / 4), (0.1, 1 / 3)])
def test_its_regret_is_a_small_part_of_that_of_random_play(beats_random, noise, share):
    """On the base setting with 250 arms."""
    fields = [RandomField(noise=noise, n_arms=250, seed=seed) for seed in range(5)]
    beats_random(fields, lambda env, seed: oracle(env, window=100, seed=seed), share)


def test_no_other_parameters_estimate_better():
    """Told the truth, the estimate has a smaller mean square error than with length scales half or twice as long.

    Over 40 fields, by three standard errors of the paired difference: that is what makes it an oracle.
    """
    differences = {0.5: [], 2.0: []}
    for seed in range(40):
        env = RandomField(n_arms=100, n_rounds=200, noise=0.1, seed=seed)
        arms = np.random.default_rng(seed).integers(100, size=100)
        told = oracle(env, window=100)

        def squares(policy, env=env, arms=arms):
            policy.update(env.times[:100], arms, env.rewards[np.arange(100), arms])
            return ((policy.estimate(env.times[102])[0] - env.mean[102]) ** 2).mean()

        truth = squares(told)
        for factor, found in differences.items():
            other = SpaceTimeGPUCB(
                env.arms,
                length_scale=factor * told.process.arms.length_scale,
                time_scale=factor * told.process.drift.time_scale,
                signal_variance=told.process.signal_variance,
                noise_variance=told.process.noise_variance,
                prior_mean=told.prior_mean,
                window=100,
            )
            found.append(squares(other) - truth)
    for found in differences.values():
        assert np.mean(found) > 3 * np.std(found, ddof=1) / np.sqrt(40)
