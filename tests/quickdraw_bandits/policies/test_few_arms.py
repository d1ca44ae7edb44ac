"""Policies that look at each arm by itself, against their formulas and on five arms that stand still."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

import quickdraw_bandits as qd
from quickdraw_bandits.policies.largest_draw import largest_draw

P = qd.policies
ARMS = qd.Arms.grid(-1, 1, 5)
AVERAGES = [0.2, 0.5, 0.4, 0.7, 0.3]


def averages(arms, rewards, n_arms, unseen):
    own = [[r for a, r in zip(arms, rewards, strict=True) if a == i] for i in range(n_arms)]
    return [sum(each) / len(each) if each else unseen for each in own]


@pytest.mark.parametrize(
    ("policy_class", "arguments", "share"),
    [
        (P.ExploreFirst, {}, 0.2),  # it explores in a tenth of the rounds
        (P.EpsilonGreedy, {}, 0.2),  # so does it
        (P.EpsilonGreedy, {"epsilon": qd.exploration.Decaying(5, gap=0.4, factor=1.0)}, 0.2),
        (P.UCB1, {}, 0.4),
        (P.ThompsonSampling, {}, 0.3),
        (P.ThompsonSampling, {"noise_std": 0.1}, 0.1),
        (P.ThompsonSampling, {"rewards": "bernoulli"}, 0.3),
        (P.Softmax, {}, 0.7),  # what it never tried counts as 0, so that it stays with the second best at times
        (P.Softmax, {"initial_mean": 1.0}, 0.2),
    ],
)
def test_few_arms_that_stand_still(beats_random, policy_class, arguments, share):
    beats_random(
        [qd.environments.Recorded(np.tile(AVERAGES, (1000, 1)), ARMS, noise=0.05, seed=seed) for seed in range(5)],
        lambda env, seed: policy_class(ARMS, seed=seed, **arguments),
        share,
        warmup=0,
    )


def test_explore_first_tries_all_arms_as_often_then_plays_one():
    policy = P.ExploreFirst(ARMS, explore=20, seed=0)
    explored = []
    for k in range(20):
        explored.append(policy.select(k))
        policy.update(k, explored[-1], AVERAGES[explored[-1]])
    assert np.bincount(explored).tolist() == [4] * 5
    for k in range(20, 40):
        assert policy.select(k) == 3
        policy.update(k, 3, -1.0)  # whatever it pays


def test_explore_first_chooses_by_the_first_observations_to_arrive():
    policy = P.ExploreFirst(ARMS, explore=3)
    policy.update([5.0, 4.0, 3.0, 2.0], [1, 2, 1, 4], [0.4, 0.5, 0.8, 9.0])
    assert policy.select(6.0) == 1


@pytest.mark.parametrize("seed", range(5))
def test_epsilon_greedy_and_softmax_in_numbers(seed):
    random = np.random.default_rng(seed)
    arms, rewards = random.integers(4, size=12), random.random(12)
    greedy = P.EpsilonGreedy(ARMS, epsilon=lambda n: 1 / n)
    softmax = P.Softmax(ARMS, temperature=lambda n: 2.4 / n, initial_mean=0.3)
    for policy in (greedy, softmax):
        policy.update(np.arange(12.0), arms, rewards)
    means = averages(arms, rewards, 5, -math.inf)
    expected = [1 / 12 / 5 + (11 / 12 if mean == max(means) else 0) for mean in means]
    np.testing.assert_allclose(greedy.probabilities(12.0), expected, rtol=1e-12)
    weights = [math.exp(mean / 0.2) for mean in averages(arms, rewards, 5, 0.3)]
    np.testing.assert_allclose(softmax.probabilities(12.0), np.array(weights) / sum(weights), rtol=1e-12)


def test_softmax_at_any_temperature_is_finite():
    policy = P.Softmax(ARMS, temperature=1e-300, seed=0)
    policy.update([0.0, 1.0], [1, 2], [-1e10, 1e10])
    assert policy.select(2.0) == 2
    assert policy.probabilities(2.0).tolist() == [0, 0, 1, 0, 0]


def test_the_schedule_of_auer():
    schedule = qd.exploration.Decaying(n_arms=7, gap=0.5, factor=2.0)
    for n in (0, 55, 56, 1000):
        assert schedule(n) == pytest.approx(min(1, 2 * 7 / (0.25 * (n + 1))), rel=1e-15)


def test_ucb1_plays_every_arm_and_then_the_largest_index():
    random = np.random.default_rng(3)
    policy = P.UCB1(ARMS, exploration=0.7)
    arms, rewards = [], []
    for k in range(100):
        arm = policy.select(k)
        if k < 5:
            assert arm == k
        else:
            counts = [arms.count(i) for i in range(5)]
            means = averages(arms, rewards, 5, None)
            index = [m + math.sqrt(0.7 * math.log(k) / c) for m, c in zip(means, counts, strict=True)]
            assert index[arm] == pytest.approx(max(index), rel=1e-12)
        arms.append(arm)
        rewards.append(float(random.random()))
        policy.update(k, arm, rewards[-1])


def test_gaussian_thompson_sampling_draws_from_the_posterior():
    policy = P.ThompsonSampling(ARMS, prior_mean=0.4, prior_std=0.5, noise_std=0.2)
    policy.update([0.0, 1.0, 2.0], [1, 1, 3], [0.9, 0.6, 0.1])
    means, stds = policy._posteriors(None)
    x = np.linspace(-4, 5, 200_001)
    for arm, paid in enumerate([[], [0.9, 0.6], [], [0.1], []]):
        # Prior times likelihood on a fine grid.
        density = stats.norm.pdf(x, 0.4, 0.5) * np.prod([stats.norm.pdf(y, x, 0.2) for y in paid], axis=0)
        density /= density.sum()
        mean = (x * density).sum()
        assert means[arm] == pytest.approx(mean, abs=1e-9)
        assert stds[arm] == pytest.approx(np.sqrt(((x - mean) ** 2 * density).sum()), abs=1e-9)


def test_thompson_sampling_as_agrawal_and_goyal_have_it():
    policy = P.ThompsonSampling(ARMS)
    policy.update([0.0, 1.0, 2.0], [1, 1, 3], [0.9, 0.6, 0.1])
    means, stds = policy._posteriors(None)
    np.testing.assert_allclose(means, [0, 1.5 / 3, 0, 0.1 / 2, 0], atol=1e-15)
    np.testing.assert_allclose(stds**2, [1, 1 / 3, 1, 1 / 2, 1])


def test_bernoulli_thompson_sampling_counts_a_fraction_as_often_as_it_says():
    policy = P.ThompsonSampling(qd.Arms([0.0, 1.0]), rewards="bernoulli", seed=0)
    policy.update(np.arange(3000.0), np.arange(3000) % 2, np.where(np.arange(3000) % 2, 0.25, 1.0))
    successes, failures = policy._posteriors(None)
    assert (successes[0], failures[0]) == (1501, 1)
    assert successes[1] + failures[1] == 1502
    # 1500 trials at 0.25: standard deviation 17; five of them allowed.
    assert abs(successes[1] - 376) < 85


def test_bernoulli_rewards_are_from_0_to_1():
    policy = P.ThompsonSampling(ARMS, rewards="bernoulli", seed=0)
    with pytest.raises(ValueError, match=r"reward must be from 0 to 1 .* got 1\.5"):
        policy.update([0.0, 1.0], [1, 2], [0.5, 1.5])
    assert policy._tallies.n_observations == 0
    assert policy._random.random() == np.random.default_rng(0).random()


@pytest.mark.parametrize(
    ("family", "one", "other", "sizes", "distribution"),
    [
        ("gaussian", [0.0, 0.5, 0.45, -3.0], [1.0, 0.01, 0.2, 0.5], [3, 1, 2, 1], stats.norm),
        ("gaussian", [0.0, 1e-3, 0.0], [1e-4, 1e-2, 1.0], [5, 1, 4], stats.norm),
        ("bernoulli", [1.0, 50.0, 2.0, 900.0], [1.0, 30.0, 1.0, 300.0], [4, 1, 2, 1], stats.beta),
    ],
)
def test_the_probability_of_the_largest_draw_is_its_integral(family, one, other, sizes, distribution):
    said = largest_draw(family, np.array(one), np.array(other), np.array(sizes))
    assert said @ np.array(sizes) == pytest.approx(1, abs=1e-12)
    each = [distribution(a, b) for a, b in zip(one, other, strict=True)]
    for i, own in enumerate(each):

        def integrand(u, i=i, own=own):
            x = own.ppf(u)
            return math.prod(d.cdf(x) ** (n - (j == i)) for j, (d, n) in enumerate(zip(each, sizes, strict=True)))

        cuts = sorted({float(own.cdf(d.ppf(q))) for d in each for q in (0.01, 0.5, 0.99)} - {0.0, 1.0})
        exact = integrate.quad(integrand, 0, 1, points=cuts, limit=400)[0]
        assert said[i] == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize("rewards", ["gaussian", "bernoulli"])
def test_thompson_sampling_draws_as_often_as_it_says(rewards):
    policy = P.ThompsonSampling(ARMS, rewards=rewards, prior_std=0.5, noise_std=0.3, seed=0)
    policy.update(np.arange(9.0), [0, 0, 1, 1, 1, 2, 4, 4, 4], [0, 1, 1, 1, 0, 1, 0, 0, 0])
    said = policy.probabilities(9.0)
    n = 20_000
    seen = np.bincount([policy.select(9.0) for _ in range(n)], minlength=5)
    # Five standard deviations of a binomial count, and the error of the integral.
    assert np.all(np.abs(seen - n * said) <= 5 * np.sqrt(n * said * (1 - said)) + 1e-3 * n)


@pytest.mark.parametrize(
    ("policy_class", "arguments", "names"),
    [
        (P.ExploreFirst, {"explore": 0}, "explore"),
        (P.ExploreFirst, {"explore": 2.5}, "explore"),
        (P.EpsilonGreedy, {"epsilon": 1.1}, "epsilon"),
        (P.UCB1, {"exploration": -1}, "exploration"),
        (P.ThompsonSampling, {"rewards": "poisson"}, "rewards must be one of gaussian, bernoulli, got 'poisson'"),
        (P.ThompsonSampling, {"prior_mean": np.nan}, "prior_mean"),
        (P.ThompsonSampling, {"prior_std": 0}, "prior_std"),
        (P.ThompsonSampling, {"noise_std": -1}, "noise_std"),
        (P.Softmax, {"temperature": 0}, "temperature"),
        (P.Softmax, {"initial_mean": None}, "initial_mean"),
    ],
)
def test_bad_parameters_raise(policy_class, arguments, names):
    with pytest.raises(ValueError, match=names):
        policy_class(ARMS, **arguments)


@pytest.mark.parametrize(
    ("policy", "names"),
    [
        (P.EpsilonGreedy(ARMS, epsilon=lambda n: 2.0), r"epsilon\(n_observations\)"),
        (P.Softmax(ARMS, temperature=lambda n: -1.0), r"temperature\(n_observations\)"),
    ],
)
def test_a_bad_schedule_raises_when_it_is_used(policy, names):
    policy.update(0.0, 1, 0.5)
    with pytest.raises(ValueError, match=names):
        policy.select(1.0)


@pytest.mark.parametrize("bad", [{"n_arms": 0}, {"gap": 0}, {"factor": -1}])
def test_a_bad_decay_raises(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        qd.exploration.Decaying(**({"n_arms": 3, "gap": 0.5} | bad))


@pytest.mark.parametrize("reward", [1e15, 1e20, 1e100, 1e300])
def test_a_huge_reward_leaves_probabilities(reward):
    policy = qd.policies.ThompsonSampling(qd.Arms.grid(0, 1, 5), seed=0)
    policy.update(0.0, 1, reward)
    assert policy.probabilities(1.0).tolist() == [0, 1, 0, 0, 0]
