"""The compiled model against the plain one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.policies.adaptive import reference, sample
from quickdraw_bandits.policies.adaptive.correlation import FAMILIES
from quickdraw_bandits.policies.adaptive.covariance import fill_covariance
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.space import Targets

problems = st.fixed_dictionaries(
    {
        "n": st.sampled_from([1, 2, 17, 60, 192]),
        "n_arms": st.sampled_from([1, 5, 33, 300]),
        "dimension": st.integers(1, 4),
        "matrix": st.booleans(),
        "family": st.sampled_from(["jagged", "rough", "medium", "smooth"]),
        "share": st.sampled_from([0.0, 0.1, 0.6]),
        "length": st.sampled_from([0.004, 0.1, 0.5]),
        "age": st.sampled_from([4.0, 80.0, 1e3]),
        "noise": st.sampled_from([1e-3, 0.3, 3.0]),
        "seed": st.integers(0, 2**32 - 1),
    }
)


def build(problem):
    """Return a sample, a candidate, the arms as the model takes them, and correlations between points and to arms."""
    random = np.random.default_rng(problem["seed"])
    n, n_arms, dimension = problem["n"], problem["n_arms"], problem["dimension"]
    everywhere = random.random((n_arms, dimension))
    arms = random.integers(n_arms, size=n)
    times = -np.sort(random.random(n)) * 100
    means, counts, spreads = random.uniform(-1, 1, n), random.integers(1, 5, n).astype(float), random.random(n)
    if problem["matrix"]:
        matrix = ((everywhere[:, None] - everywhere) ** 2).sum(axis=2)
        seen = SpaceTimeSample(np.empty((n, 0)), counts, means, spreads, times, arms, matrix, np.arange(n))
        between, towards = matrix[np.ix_(arms, arms)], matrix[arms]
        targets = Targets(np.empty((0, 0)), towards, np.arange(n_arms))
    else:
        none = np.empty((0, 0))
        seen = SpaceTimeSample(everywhere[arms], counts, means, spreads, times, arms, none, np.arange(n))
        towards = ((everywhere[arms, None] - everywhere) ** 2).sum(axis=2)
        between = towards[:, arms]
        targets = Targets(np.ascontiguousarray(everywhere.T), none, np.arange(n_arms))
    scales = problem["length"], problem["age"]
    candidate = Candidate(problem["family"], *scales, problem["noise"], max(dimension, 1), problem["share"])
    ages = times[:, None] - times
    between = formula(between, ages, arms[:, None] == arms, problem)
    towards = formula(towards, times[:, None], arms[:, None] == np.arange(n_arms), problem)
    return seen, candidate, targets, between, towards


def formula(squared, ages, same, problem):
    """Return the correlation as the page on the adaptive policy has it."""
    r = np.sqrt(squared / problem["length"] ** 2 + ages**2 / problem["age"] ** 2)
    c0 = {
        "jagged": 1 / (1 + r),
        "rough": 1 / (1 + r**2 / 2),
        "medium": (1 + r**2 / 8) ** -4.0,
        "smooth": (1 + r**2 / 32) ** -16.0,
    }[problem["family"]]
    return (1 - problem["share"]) * c0 + problem["share"] * same


def plain_posterior(seen, candidate, between, towards):
    return reference.posterior(between, towards, seen.means, candidate.noise, seen.counts, seen.spreads.sum())


@given(problems)
@settings(max_examples=40)
def test_the_covariance_is_its_formula(problem):
    """In the upper triangle; the last column has the values, and no eigenvalue is above the bound."""
    seen, candidate, _, between, _ = build(problem)
    n, noises = len(seen), candidate.noise / seen.counts
    out = np.full((n, n + 1), np.nan)
    where = seen.columns, seen.matrix, seen.arms, seen.times
    bound = fill_covariance(*where, candidate.rates, noises, seen.means, out)
    expected = between + np.diag(noises)
    upper = np.triu_indices(n)
    np.testing.assert_allclose(out[upper], expected[upper], atol=1e-12)
    np.testing.assert_array_equal(out[:, n], seen.means)
    assert bound == pytest.approx(expected.sum(axis=1).max())
    assert bound >= np.linalg.eigvalsh(expected).max() - 1e-9


@given(problems)
@settings(max_examples=60)
def test_the_model_is_the_plain_posterior(problem):
    seen, candidate, targets, between, towards = build(problem)
    built = Model(seen, candidate)
    assert built.fits
    built.prepare()
    mean, variance, score, signal, weights = plain_posterior(seen, candidate, between, towards)
    deviation = np.sqrt(np.maximum(variance, 0))
    found, bound = built.bounds(targets, 0.7)
    np.testing.assert_allclose(found, mean, atol=1e-8)
    assert (bound >= mean + 0.7 * deviation - 1e-6).all()
    found, deviations = built.estimate(targets)
    np.testing.assert_allclose(found, mean, atol=1e-8)
    np.testing.assert_allclose(deviations**2, np.maximum(variance, 0), atol=1e-8)
    columns, rows = (np.ascontiguousarray(part[:, -1:]) if part.size else part for part in targets[:2])
    one, deviation_of_one = built.estimate_one(Targets(columns, rows, targets.arms[-1:]))
    assert one == pytest.approx(mean[-1], abs=1e-8)
    assert deviation_of_one**2 == pytest.approx(max(variance[-1], 0), abs=1e-8)
    np.testing.assert_allclose([built.score, built.signal], [score, signal], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(built.influence(targets), weights[:, 0], atol=1e-7)
    built.prepare()
    now = replace(seen, times=np.zeros(len(seen)))
    np.testing.assert_allclose(built.mean_at(now), built.level + mean[seen.arms], atol=1e-8)


@given(problems)
@settings(max_examples=60)
def test_level_and_estimates_are_those_of_a_process_whose_level_is_normal(problem):
    """Its covariance is C + 1 1': the level has the variance of the signal."""
    seen, candidate, targets, between, towards = build(problem)
    built = Model(seen, candidate)
    built.prepare()
    covariance = between + np.diag(candidate.noise / seen.counts) + 1.0
    weights = np.linalg.solve(covariance, towards + 1.0)
    mean, deviation = built.estimate(targets)
    variance = deviation**2 + built.variance_of_level(targets)
    np.testing.assert_allclose(built.level + mean, weights.T @ seen.means, atol=1e-7)
    np.testing.assert_allclose(variance, 2.0 - np.sum((towards + 1.0) * weights, axis=0), atol=1e-7)
    assert built.level == pytest.approx(np.ones(len(seen)) @ np.linalg.solve(covariance, seen.means), abs=1e-8)


@given(problems, st.sampled_from([0.1, 1.0, 5.0]), st.sampled_from([0.0, 0.02, 0.3]))
@settings(max_examples=60)
def test_the_largest_index_is_found_without_estimating_all(problem, gamma, slack):
    """Or one that is less by the slack at most."""
    seen, candidate, targets, between, towards = build(problem)
    built = Model(seen, candidate)
    built.prepare()
    mean, variance, *_ = plain_posterior(seen, candidate, between, towards)
    exact_index = mean + gamma * np.sqrt(np.maximum(variance, 0))
    index, exact, best = built.largest(targets, gamma, slack, *built.bounds(targets, gamma))
    assert best == index[exact].max() >= index[~exact].max(initial=-np.inf) - slack
    assert exact_index.max() - slack - 1e-6 <= best <= exact_index.max() + 1e-6
    np.testing.assert_allclose(index[exact], exact_index[exact], atol=1e-4)
    assert (index >= exact_index - 1e-6).all()


@given(problems, st.sampled_from([3, 10, 100]), st.sampled_from([1e-5, 0.03, 3.0]))
@settings(max_examples=60)
def test_observations_almost_alike_are_merged(problem, most, noise):
    problem["noise"] = noise
    seen, candidate, _, between, _ = build(problem)
    merges = noise > sample.NOISELESS
    keep = min(sample.MERGED * noise, sample.MOST_MERGED) if merges else sample.LEFT_OUT
    order = np.arange(len(seen))
    alike = np.ones_like(between, dtype=bool)
    if candidate.share > 0:
        later = [np.sum(seen.arms[:i] == arm) for i, arm in enumerate(seen.arms)]
        order = np.argsort(-seen.times * (1 + np.array(later)), kind="stable")
        alike = seen.arms[:, None] == seen.arms
    pairs = np.ix_(order, order)
    groups = [order[group] for group in reference.group(between[pairs], alike[pairs], most, keep)]
    kept = seen.condensed(candidate, most)
    np.testing.assert_array_equal(kept.rows, [group[0] for group in groups])
    np.testing.assert_array_equal(kept.arms, seen.arms[kept.rows])
    groups = groups if merges else [group[:1] for group in groups]
    counts = [seen.counts[group] for group in groups]
    np.testing.assert_array_equal(kept.counts, [count.sum() for count in counts])
    for name in ("times", "points", "means"):
        each = [np.average(getattr(seen, name)[g], 0, count) for g, count in zip(groups, counts, strict=True)]
        np.testing.assert_allclose(getattr(kept, name), each)
    for group, count, mean, spread in zip(groups, counts, kept.means, kept.spreads, strict=True):
        squares = count * (seen.means[group] - mean) ** 2
        assert spread == pytest.approx(np.sum(seen.spreads[group] + squares))


def test_the_likelihood_of_repeated_observations_is_that_of_each():
    """Means with counts and spread are all that repeated pulls say, up to a constant."""
    random = np.random.default_rng(0)
    points, rewards, none = np.repeat(random.random((6, 1)), 3, axis=0), random.uniform(-1, 1, 18), np.empty((0, 0))
    each = SpaceTimeSample(points, np.ones(18), rewards, np.zeros(18), np.zeros(18), np.arange(18), none, np.arange(18))
    groups = rewards.reshape(6, 3)
    spreads = np.sum((groups - groups.mean(axis=1, keepdims=True)) ** 2, axis=1)
    merged = points[::3], np.full(6, 3.0), groups.mean(axis=1), spreads
    together = SpaceTimeSample(*merged, np.zeros(6), np.arange(6), none, np.arange(6))
    scales = [(family, x, r) for family in FAMILIES for x in (0.1, 0.5) for r in (0.03, 3.0)]
    candidates = [Candidate(family, x, 4.0, r, 1) for family, x, r in scales]
    differences = [Model(each, c).score - Model(together, c).score for c in candidates]
    np.testing.assert_allclose(differences, differences[0], atol=1e-8)
    for c in candidates:
        assert Model(each, c).signal == pytest.approx(Model(together, c).signal)


def test_a_matrix_that_is_no_distance_of_any_space_does_not_fit():
    # Three arms far from each other and all close to a fourth.
    matrix = np.full((4, 4), 4.0)
    matrix[3] = matrix[:, 3] = 0.01
    np.fill_diagonal(matrix, 0.0)
    ones, rows = np.ones(4), np.arange(4)
    seen = SpaceTimeSample(np.empty((4, 0)), ones, ones, np.zeros(4), np.zeros(4), rows, matrix, rows)
    assert not Model(seen, Candidate("smooth", 0.5, 4.0, 1e-5, 1)).fits
    assert Model(seen, Candidate("smooth", 0.5, 4.0, 3.0, 1)).fits
