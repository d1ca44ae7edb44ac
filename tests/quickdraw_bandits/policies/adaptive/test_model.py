"""The compiled model against the plain one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.policies.adaptive import model, plain
from quickdraw_bandits.policies.adaptive.model import Model, Sample, rates
from quickdraw_bandits.policies.adaptive.scales import Candidate

problems = st.fixed_dictionaries(
    {
        "n": st.sampled_from([1, 2, 17, 60, 192]),
        "n_arms": st.sampled_from([1, 5, 33, 300]),
        "dimension": st.integers(1, 4),
        "matrix": st.booleans(),
        "doublings": st.sampled_from([0, 4]),
        "length": st.sampled_from([0.004, 0.1, 0.5]),
        "age": st.sampled_from([4.0, 80.0, 1e3]),
        "noise": st.sampled_from([1e-3, 0.3, 3.0]),
        "speed": st.sampled_from([0.0, 0.01, -0.5]),
        "seed": st.integers(0, 2**32 - 1),
    }
)


def build(problem):
    """Return a sample, a candidate, and the arms as the model takes them and as squared distances to them."""
    random = np.random.default_rng(problem["seed"])
    n, n_arms, dimension = problem["n"], problem["n_arms"], problem["dimension"]
    everywhere = random.random((n_arms, dimension))
    arms = random.integers(n_arms, size=n)
    times = -np.sort(random.random(n)) * 100
    rewards = random.uniform(-1, 1, n)
    counts, within = random.integers(1, 5, n).astype(float), float(random.random())
    velocity = np.zeros(dimension)
    if problem["matrix"]:
        matrix = ((everywhere[:, None] - everywhere) ** 2).sum(axis=2)
        sample = Sample(np.empty((n, 0)), arms, matrix, times, rewards, counts, within)
        between, towards = matrix[np.ix_(arms, arms)], matrix[arms]
        targets, rows = np.empty((0, n_arms)), towards
        velocity = np.zeros(1)
    else:
        velocity[0] = problem["speed"]
        sample = Sample(everywhere[arms], arms, np.empty((0, 0)), times, rewards, counts, within)
        now = everywhere[arms] - times[:, None] * velocity
        between = ((now[:, None] - now) ** 2).sum(axis=2)
        towards = ((now[:, None] - everywhere) ** 2).sum(axis=2)
        targets, rows = np.ascontiguousarray(everywhere.T), np.empty((0, 0))
    candidate = Candidate(problem["doublings"], problem["length"], problem["age"], problem["noise"], velocity)
    return sample, candidate, targets, rows, between, towards


def plain_posterior(sample, candidate, between, towards):
    kernel = candidate.doublings, *rates(candidate)
    ages = sample.times[:, None] - sample.times
    return plain.posterior(
        plain.correlation(between, ages, *kernel),
        plain.correlation(towards, sample.times[:, None], *kernel),
        sample.rewards,
        candidate.noise,
        sample.counts,
        sample.within,
    )


@given(problems)
@settings(max_examples=60)
def test_the_model_is_the_plain_posterior(problem):
    sample, candidate, targets, rows, between, towards = build(problem)
    built = Model(sample, candidate)
    assert built.fits
    built.prepare()
    mean, variance, score, signal, weights = plain_posterior(sample, candidate, between, towards)
    found, bound = built.bounds(targets, rows)
    everywhere = np.arange(towards.shape[1])
    np.testing.assert_allclose(found, mean, atol=1e-8)
    np.testing.assert_allclose(built.deviations(targets, rows, everywhere) ** 2, np.maximum(variance, 0), atol=1e-8)
    assert (bound**2 >= variance - 1e-9).all()
    np.testing.assert_allclose([built.score, built.signal], [score, signal], rtol=1e-8, atol=1e-8)
    first = rows[:, :1] if len(rows) else rows
    np.testing.assert_allclose(built.influence(targets[:, :1], first), weights[:, 0], atol=1e-7)


@given(problems, st.sampled_from([0.1, 1.0, 5.0]), st.sampled_from([0.0, 0.02, 0.3]))
@settings(max_examples=60)
def test_the_largest_index_is_found_without_looking_at_all(problem, gamma, slack):
    """Or one that is less by the slack at most."""
    sample, candidate, targets, rows, between, towards = build(problem)
    built = Model(sample, candidate)
    built.prepare()
    mean, variance, *_ = plain_posterior(sample, candidate, between, towards)
    exact_index = mean + gamma * np.sqrt(np.maximum(variance, 0))
    _, index, exact, best = built.largest(targets, rows, gamma, slack)
    assert best == index[exact].max() >= index[~exact].max(initial=-np.inf) - slack
    assert exact_index.max() - slack - 1e-6 <= best <= exact_index.max() + 1e-6
    np.testing.assert_allclose(index[exact], exact_index[exact], atol=1e-4)
    assert (index >= exact_index - 1e-6).all()


@given(problems, st.sampled_from([3, 10, 100]), st.sampled_from([1e-5, 0.03, 3.0]))
@settings(max_examples=60)
def test_observations_almost_alike_are_taken_together(problem, most, noise):
    problem["noise"] = noise
    sample, candidate, _, _, between, _ = build(problem)
    merges = noise > model.NOISELESS
    keep = min(model.MERGED * noise, model.MOST_MERGED) if merges else model.LEFT_OUT
    kernel = candidate.doublings, *rates(candidate)
    groups = plain.condense(between, sample.times, most, kernel, keep)
    kept = sample.condensed(candidate, most)
    np.testing.assert_array_equal(kept.rows, [group[0] for group in groups])
    np.testing.assert_array_equal(kept.arms, sample.arms[kept.rows])
    groups = groups if merges else [group[:1] for group in groups]
    np.testing.assert_allclose(kept.times, [sample.times[group].mean() for group in groups])
    np.testing.assert_allclose(kept.places, [sample.places[group].mean(axis=0) for group in groups])
    rewards = [sample.rewards[group] for group in groups]
    np.testing.assert_array_equal(kept.counts, [len(group) for group in groups])
    np.testing.assert_allclose(kept.rewards, [group.mean() for group in rewards])
    np.testing.assert_allclose(kept.within, sum(np.sum((group - group.mean()) ** 2) for group in rewards), atol=1e-12)


def test_the_likelihood_of_repeated_observations_is_that_of_each():
    """Means with counts and squares within are all that repeated pulls say, up to a constant."""
    random = np.random.default_rng(0)
    places = np.repeat(random.random((6, 1)), 3, axis=0)
    each = Sample(places, np.arange(18), np.empty((0, 0)), np.zeros(18), random.uniform(-1, 1, 18), np.ones(18))
    groups = each.rewards.reshape(6, 3)
    within = float(np.sum((groups - groups.mean(axis=1, keepdims=True)) ** 2))
    arguments = np.arange(6), np.empty((0, 0)), np.zeros(6), groups.mean(axis=1), np.full(6, 3.0), within
    together = Sample(places[::3], *arguments)
    candidates = [Candidate(d, x, 4.0, r, np.zeros(1)) for d in (0, 4) for x in (0.1, 0.5) for r in (0.03, 3.0)]
    differences = [Model(each, c).score - Model(together, c).score for c in candidates]
    np.testing.assert_allclose(differences, differences[0], atol=1e-8)
    for c in candidates:
        assert Model(each, c).signal == pytest.approx(Model(together, c).signal)


def test_a_matrix_that_is_no_distance_of_any_space_does_not_fit():
    # Three arms far from each other and all close to a fourth.
    matrix = np.full((4, 4), 4.0)
    matrix[3] = matrix[:, 3] = 0.01
    np.fill_diagonal(matrix, 0.0)
    sample = Sample(np.empty((4, 0)), np.arange(4), matrix, np.zeros(4), np.ones(4), np.ones(4))
    assert not Model(sample, Candidate(4, 0.5, 4.0, 1e-5, np.zeros(1))).fits
    assert Model(sample, Candidate(4, 0.5, 4.0, 3.0, np.zeros(1))).fits
