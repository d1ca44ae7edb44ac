"""Rewards far from what was expected: bounded if single; without noise two in a row make the policy forget."""

import math

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive.pool import Pool
from quickdraw_bandits.policies.adaptive.surprises import Expectation, Surprises

SHARP = 0.01


def expectation(arm: int = 3) -> Expectation:
    return Expectation(arm, mean=0.5, variance=SHARP, level=0.0, unknown=1.2, centre=2.0, unit=4.0)


def reward(value: float) -> float:
    """In units of the rewards."""
    return 2.0 + 4.0 * value


def pool_of(*rewards: float) -> Pool:
    pool = Pool(600)
    pool.append(np.arange(len(rewards), dtype=float), np.full(len(rewards), 3), np.array(rewards))
    return pool


def many() -> Pool:
    """Return a pool of rewards that all differ, of which none that is judged below is an outlier."""
    return pool_of(*np.linspace(-10.0, 14.0, 120))


def judged(surprises: Surprises, pool: Pool, value: float, noisy: bool = False) -> tuple[float, float]:
    """Judge a reward and put it into the pool, as the policy does; return it in units of the model."""
    time = float(pool.times[-1]) + 1
    surprises.expected = expectation()._replace(noisy=noisy)
    taken, since = surprises.judged(pool, time, 3, reward(value))
    pool.append(np.array([time]), np.array([3]), np.array([taken]), np.array([reward(value)]))
    return (taken - 2.0) / 4.0, since


def noisy_policy(rounds: int) -> qd.AdaptiveQuickDraw[int]:
    """Return a policy that has played on noisy rewards."""
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 50), seed=0)
    random = np.random.default_rng(1)
    for time in range(rounds):
        arm = policy.select(time)
        policy.update(time, arm, math.sin(arm / 8) + 0.1 * float(random.standard_normal()))
    return policy


@pytest.mark.parametrize("value", [-3.0, -0.2, 0.5, 0.61, 7.0])
def test_the_surprise_is_a_ratio_of_normal_densities(value):
    def log_density(mean, variance):
        return -((value - mean) ** 2) / (2 * variance) - 0.5 * math.log(2 * math.pi * variance)

    plain = log_density(0.0, 1.2) - log_density(0.5, SHARP)
    np.testing.assert_allclose(expectation().surprise(reward(value)), plain, rtol=1e-12)


@pytest.mark.parametrize("far", [1.7e308, -1.7e308])
def test_the_largest_rewards_are_judged(far):
    assert math.isfinite(expectation().surprise(far))
    assert abs(expectation().bounded(far)) < 10


def test_the_expectation_is_that_of_the_model():
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 50), seed=0)
    for time in range(40):
        arm = policy.select(time)
        policy.update(time, arm, math.sin(arm / 8))
    arm = policy.select(40)
    expected, belief = policy._surprises.expected, policy._model(40.0, 0)
    sample, candidate = belief.model.sample, belief.model.candidate
    assert expected.arm == arm

    def correlations(points, times):
        r2 = (np.subtract.outer(points, sample.points[:, 0]) / candidate.length) ** 2
        r2 = r2 + (np.subtract.outer(times, sample.times) / candidate.age) ** 2
        return {
            "jagged": 1 / (1 + np.sqrt(r2)),
            "rough": 1 / (1 + r2 / 2),
            "medium": (1 + r2 / 8) ** -4.0,
            "smooth": (1 + r2 / 32) ** -16.0,
        }[candidate.family]

    assert candidate.share == 0
    covariance = correlations(sample.points[:, 0], sample.times) + np.diag(candidate.noise / sample.counts)
    towards = correlations(np.array([arm / 49]), np.zeros(1))[0]
    weights = np.linalg.solve(covariance, towards)
    precisions = np.linalg.solve(covariance, np.ones(len(sample)))
    level = precisions @ sample.means / (1 + precisions.sum())
    np.testing.assert_allclose(expected.mean, level + weights @ (sample.means - level), rtol=1e-6, atol=1e-9)
    plain = belief.model.signal * (1 - towards @ weights + candidate.noise)
    np.testing.assert_allclose(expected.variance, plain, rtol=1e-6)
    np.testing.assert_allclose(expected.unknown, belief.model.signal * (1 + candidate.noise), rtol=1e-12)


def test_where_little_is_known_the_level_of_rewards_is_not_sure():
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 50), seed=0)
    random = np.random.default_rng(0)
    for time in range(30):
        policy.update(time, arm := int(random.integers(25)), math.sin(arm / 3) + 2 + 0.1 * random.standard_normal())
    policy.select(30)
    belief, far = policy._model(30.0, 0), np.array([49])
    towards = policy._space.towards(far, belief.model.sample.arms)
    plain = Expectation.of(belief, 49, towards, predicts=False)
    found = Expectation.of(belief, 49, towards, predicts=True)
    assert plain.doubt == 0.0
    upper = belief.model._upper[:, :-2]
    factor = np.triu(upper)
    inverse = np.linalg.inv(factor.T @ factor)
    weights = belief.model.influence(towards)
    share, precision = 1 - weights.sum(), inverse.sum()
    assert share > 0.3
    assert found.doubt == pytest.approx(belief.model.signal * share**2 / (1 + precision))
    value = 0.3
    variance = found.variance + found.doubt
    expected = -0.5 * ((value - found.mean) ** 2 / variance + math.log(2 * math.pi * variance))
    given = found.centre + found.unit * value
    assert found.log_density(given) == pytest.approx(expected - math.log(found.unit))


def test_a_single_surprise_counts_as_two_deviations():
    surprises, pool = Surprises(), many()
    for value in (0.9, 9.0, 0.5, -9.0):
        judged(surprises, pool, value)
    # 0.9 is four deviations from the mean.
    np.testing.assert_allclose((pool.rewards[120:] - 2.0) / 4.0, [0.9, 0.7, 0.5, 0.3])


def test_no_other_entry_is_restored():
    surprises, pool = Surprises(), many()
    judged(surprises, pool, 9.0)
    pool.append(np.array([120.5]), np.array([5]), np.array([1.0]))
    judged(surprises, pool, 9.0)
    np.testing.assert_allclose(pool.rewards[120:], [reward(0.7), 1.0, reward(9.0)])


@pytest.mark.parametrize("noisy", [False, True])
def test_an_outlier_is_left_to_the_pool_and_the_next_surprise_is_single(noisy):
    surprises, pool = Surprises(), many()
    found = [judged(surprises, pool, value, noisy) for value in (1e6, 2.0, 0.5)]
    assert all(since == -math.inf for _, since in found)
    bounded = 0.6 if noisy else 0.7
    np.testing.assert_allclose([taken for taken, _ in found], [1e6, bounded, 0.5])
    assert 120 not in pool.standardised()[0]


def test_two_outliers_in_a_row_prove_a_change():
    surprises, pool = Surprises(), many()
    assert [judged(surprises, pool, value)[1] for value in (1e6, 1e6)] == [-math.inf, 120.0]


def test_rewards_that_repeat_are_not_judged():
    surprises, pool = Surprises(), pool_of(*[0.0] * 120, *range(250), *[0.0] * 5)
    for value in (9.0, -9.0, 9.0):
        assert judged(surprises, pool, value) == (pytest.approx(value), -math.inf)


def test_few_rewards_are_not_judged():
    surprises, pool = Surprises(), pool_of(*np.linspace(1.9, 2.1, 90))
    for value in (9.0, -9.0, 9.0):
        assert judged(surprises, pool, value) == (pytest.approx(value), -math.inf)


def test_two_surprises_in_a_row_prove_a_change_and_restore_the_first():
    surprises, pool = Surprises(), many()
    found = [judged(surprises, pool, value) for value in (0.5, -0.6, -0.7, -0.8, 0.5, -0.6)]
    assert [since for _, since in found] == [-math.inf, -math.inf, 121.0, -math.inf, -math.inf, -math.inf]
    # The last is single again.
    np.testing.assert_allclose((pool.rewards[120:] - 2.0) / 4.0, [0.5, -0.6, -0.7, -0.8, 0.5, 0.3])


def test_surprises_that_are_not_in_a_row_prove_no_change():
    surprises, pool = Surprises(), many()
    assert all(judged(surprises, pool, value)[1] == -math.inf for value in (-0.6, 0.5) * 5)


def test_with_noise_a_single_reward_beyond_three_deviations_counts_as_one():
    surprises, pool = Surprises(), many()
    for value in (0.79, 0.81, 0.5, 0.21, 0.19, 7.0, 0.5):
        judged(surprises, pool, value, noisy=True)
    np.testing.assert_allclose((pool.rewards[120:] - 2.0) / 4.0, [0.79, 0.6, 0.5, 0.21, 0.4, 0.6, 0.5])


def test_with_noise_two_surprises_on_one_side_count_as_they_are_and_nothing_is_forgotten():
    surprises, pool = Surprises(), many()
    found = [judged(surprises, pool, value, noisy=True) for value in (0.9, 1.1, 1.2, 0.5, 0.9)]
    assert all(since == -math.inf for _, since in found)
    # The first is restored, and the last is single again.
    np.testing.assert_allclose((pool.rewards[120:] - 2.0) / 4.0, [0.9, 1.1, 1.2, 0.5, 0.6])


def test_with_noise_the_model_says_what_is_expected():
    policy = noisy_policy(60)
    arm = policy.select(60)
    belief, expected = policy._model(60.0, 0), policy._surprises.expected
    assert expected.noisy
    mean, deviation = belief.model.estimate(policy._space.towards(np.array([arm]), belief.model.sample.arms))
    plain = belief.model.signal * (deviation[0] ** 2 + belief.model.candidate.noise)
    np.testing.assert_allclose(
        [expected.mean, expected.variance], [belief.model.level + mean[0], plain], rtol=1e-9, atol=1e-12
    )


def test_with_pulls_pending_nothing_is_expected():
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 50), seed=0)
    for time in range(20):
        policy.update(time, policy.select(time), math.sin(time))
    policy.expect(20, 7)
    policy.select(21)
    assert policy._surprises.expected is None


def test_a_policy_bounds_a_single_far_reward_among_noisy_ones():
    policy = noisy_policy(150)
    arm = policy.select(150)
    expected = policy._surprises.expected
    policy.update(150, arm, -1.5)
    centre, deviation = (expected.centre + expected.unit * expected.mean), expected.unit * math.sqrt(expected.variance)
    assert centre - 3 * deviation > -1.5
    np.testing.assert_allclose(policy._pool.rewards[-1], centre - deviation)
    assert policy.observations[2][-1] == -1.5


def test_the_reward_of_another_arm_is_not_judged():
    surprises, pool = Surprises(), many()
    surprises.expected = expectation(arm=4)
    assert surprises.judged(pool, 2.0, 3, 1e6) == (1e6, -math.inf)
    assert surprises.expected is None


def test_the_pool_forgets_all_before_a_time_but_the_latest():
    pool = pool_of(1.0, 2.0, 3.0, 4.0)
    pool.forget(-math.inf)
    assert len(pool.times) == 4
    pool.forget(1.5)
    np.testing.assert_array_equal(pool.rewards, [3.0, 4.0])
    pool.forget(99.0)
    np.testing.assert_array_equal(pool.rewards, [4.0])


def played(means, rounds=200):
    """Play a game whose mean rewards are a function of the round and the arm; return the policy and all arms."""
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 100), seed=3)
    arms = []
    for time in range(rounds):
        arms.append(policy.select(time))
        policy.update(time, arms[-1], means(time, arms[-1]))
    return policy, np.array(arms)


def peak(time, arm, change):
    place = 0.25 if time < change else 0.75
    height = 1.0 if time < change else 0.8
    return height * math.exp(-(((arm / 99 - place) / 0.1) ** 2)) + 0.05 * math.sin(time / 30)


def test_after_a_change_of_everything_the_new_peak_is_found():
    policy, arms = played(lambda time, arm: peak(time, arm, 150))
    assert abs(np.median(arms[120:150]) - 25) <= 5
    assert abs(np.median(arms[170:]) - 74) <= 5
    assert policy._pool.times[0] >= 150


def test_without_a_change_nothing_is_forgotten():
    policy, _ = played(lambda time, arm: peak(time, arm, 1000))
    assert policy._pool.times[0] == 0


@pytest.mark.parametrize("changed", [lambda y: y - 100, lambda y: y + 1e6, lambda y: 100 * y])
def test_after_a_change_of_level_what_is_left_are_no_outliers(changed):
    """The first rewards of a new level are beyond the limits of the old one, and all that the policy has."""
    places = np.linspace(0, 1, 50)
    policy = qd.AdaptiveQuickDraw(qd.Arms(places), seed=0)
    chosen = []
    for k in range(260):
        arm = policy.select(float(k))
        reward = np.sin(5 * places[arm] + k / 20)
        policy.update(float(k), arm, changed(reward) if k > 200 else reward)
        chosen.append(arm)
    best = np.array([np.argmax(np.sin(5 * places + k / 20)) for k in range(230, 260)])
    # Of 50 arms at random, the median would be about 15 away.
    assert np.median(np.abs(np.array(chosen[230:]) - best)) <= 3
