"""What earlier observations say of the scales."""

from dataclasses import replace

import numpy as np
import pytest

from quickdraw_bandits.arms.metrics import squared_distances
from quickdraw_bandits.policies.adaptive import evidence, tuner
from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.correlation import correlation
from quickdraw_bandits.policies.adaptive.evidence import Evidence
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate, ScaleGrid
from quickdraw_bandits.policies.adaptive.tuner import Tuner, most_observations

CLOCK = Clock()
CLOCK.adjust(np.arange(10.0))


def observed(times, now, seed=0, matrix=None):
    """Observations at random places and at these times, as a model sees them at a time."""
    random, n = np.random.default_rng(seed), len(times)
    points = random.random((n, 1)) if matrix is None else np.empty((n, 0))
    arms = random.integers(0, 20, n)
    rewards = random.uniform(-1, 1, n)
    squared = np.empty((0, 0)) if matrix is None else matrix
    ago = np.asarray(times, dtype=float) - now
    return SpaceTimeSample(points, np.ones(n), rewards, np.zeros(n), ago, arms, squared, np.arange(n))


def log_likelihood(sample, candidate):
    """The formula of the page, with dense matrices."""
    n = len(sample)
    squared = squared_distances(sample.points, sample.points)
    if len(sample.matrix):
        squared = sample.matrix[np.ix_(sample.arms, sample.arms)]
    rates = candidate.rates
    lateness = rates.recent * (sample.times[:, None] - sample.times) ** 2
    covariance = correlation(squared, lateness, sample.arms[:, None] == sample.arms, rates)
    np.fill_diagonal(covariance, 1.0)
    covariance += candidate.noise * np.eye(n) + 1.0  # the level of all rewards is not known
    signal = sample.means @ np.linalg.solve(covariance, sample.means) / n
    return -n / 2 * np.log(signal) - np.linalg.slogdet(covariance)[1] / 2


def played(rounds, most=40, matrix=None):
    """The evidence after so many rounds in which a model has the latest observations, and all samples."""
    found, samples = Evidence(), []
    for now in range(most, rounds):
        sample = observed(np.arange(now - most, now)[::-1], now, seed=now, matrix=matrix)
        found = found.after(sample, float(now), CLOCK)
        samples.append(sample)
    return found, samples


@pytest.mark.parametrize("wrong", [1e6, 1e18])
def test_a_question_at_a_wrong_time_does_not_keep_blocks_for_ever(wrong):
    found, _ = played(100)
    found = found.after(observed(np.arange(100, 140)[::-1], wrong), wrong, CLOCK)
    before = found.next_block
    for now in range(140, 240):
        found = found.after(observed(np.arange(now - 40, now)[::-1], now, seed=now), float(now), CLOCK)
    assert found.next_block is not before
    assert len(found.blocks) == evidence.BLOCKS


def test_no_block_counts_before_most_observations_are_replaced():
    found, samples = played(40 + 29)
    assert found.blocks == ()
    assert found.score(b"", Candidate("rough", 0.1, 40.0, 0.1, 1)) == 0.0
    assert found.after(observed(np.arange(29, 69)[::-1], 69), 69.0, CLOCK).blocks == (found.next_block,)
    np.testing.assert_array_equal(found.next_block.means, samples[0].means)


@pytest.mark.parametrize("family", ["jagged", "rough", "medium", "smooth"])
def test_the_score_is_the_sum_of_the_log_likelihoods_of_the_blocks(family):
    found, _ = played(150)
    assert len(found.blocks) == 3
    candidate = Candidate(family, 0.2, 30.0, 0.1, 1, 0.3)
    plain = sum(log_likelihood(block, candidate) for block in found.blocks)
    assert found.score(b"key", candidate) == pytest.approx(plain, rel=1e-9)
    assert found.score(b"key", candidate) == found.score(b"key", candidate)


def test_only_the_latest_blocks_count():
    """One is kept whenever seven tenths of the model are new; the oldest are replaced, so that scales may change."""
    found, samples = played(400)
    assert len(found.blocks) == evidence.BLOCKS
    taken = [
        k for k, sample in enumerate(samples) for block in found.blocks if np.array_equal(sample.means, block.means)
    ]
    assert len(taken) == evidence.BLOCKS
    assert np.all(np.diff(taken) == 29)
    assert taken[0] > 250


def test_what_was_asked_of_a_copy_changes_nothing():
    found, _ = played(100)
    before = found.blocks, found.next_block, found.since
    found.after(observed(np.arange(60, 200)[::-1], 200), 200.0, CLOCK)
    assert (found.blocks, found.next_block, found.since) == before


def test_a_block_has_all_observations_of_a_model_and_only_the_distances_it_needs():
    matrix = squared_distances(np.random.default_rng(3).random((20, 2)), np.random.default_rng(3).random((20, 2)))
    sample = observed(np.arange(30)[::-1], 30, matrix=matrix)
    block = evidence.block_of(sample)
    assert len(block) == len(sample)
    candidate = Candidate("jagged", 0.3, 50.0, 0.3, 1, 0.1)
    assert log_likelihood(block, candidate) == pytest.approx(log_likelihood(sample, candidate), rel=1e-12)
    assert len(block.matrix) == len(np.unique(sample.arms)) < len(matrix)


@pytest.mark.parametrize("known", ["coordinates", "distances"])
def test_another_unit_of_distance_changes_no_score(known):
    points = np.random.default_rng(3).random((20, 2))
    found, _ = played(100, matrix=squared_distances(points, points) if known == "distances" else None)
    candidate = Candidate("smooth", 0.2, 30.0, 0.1, 1)
    before = found.score(b"one", candidate)
    assert len(found.blocks) == 2
    half = replace(candidate, length=0.5 * candidate.length)
    assert found.stretched(0.5).score(b"one", half) == pytest.approx(before, rel=1e-9)


def test_scales_are_compared_on_the_blocks_too():
    """A plain twin, which adds up log likelihoods of dense matrices, goes the same way."""
    grid = ScaleGrid(1000, 1)
    early, late = observed(np.arange(90)[::-1], 90, seed=8), observed(np.arange(200, 290)[::-1], 290, seed=6)
    learner, twin = Tuner(grid), Tuner(grid)
    learner.improve(early, 60, 90.0, CLOCK)
    twin._use(grid, learner.cell)
    twin._turn = learner._turn
    sample = late.condensed(learner.candidate, most_observations(learner.candidate))
    learner.improve(late, 60, 290.0, CLOCK)
    (block,) = learner._evidence.blocks
    alone = Tuner(grid)
    alone._use(grid, twin.cell)
    alone._turn = twin._turn
    alone.improve(late, 60, 290.0, CLOCK)

    def log_posterior(cell):
        candidate = grid.candidate(cell)
        return Model(sample, candidate).score + log_likelihood(block, candidate) + candidate.log_prior

    for _ in range(60):
        cell = twin._challenger()
        if log_posterior(cell) > log_posterior(twin.cell) + tuner.MARGIN:
            twin.cell, twin._neighbours = cell, grid.neighbours(cell)
    np.testing.assert_array_equal(learner.cell, twin.cell)
    assert (learner.cell != alone.cell).any()
