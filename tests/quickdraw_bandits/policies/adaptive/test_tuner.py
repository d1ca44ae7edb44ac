"""How scales are compared and replaced."""

import numpy as np

from quickdraw_bandits.policies.adaptive import tuner
from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import ScaleGrid
from quickdraw_bandits.policies.adaptive.tuner import Tuner


def waves(n, seed=0, noise=0.0):
    """Observations of a wave over the arms that turns slowly."""
    random = np.random.default_rng(seed)
    places, times = random.random((n, 1)), -np.arange(n, dtype=float)
    rewards = np.sin(8 * places[:, 0] + times / 60) + noise * random.normal(size=n)
    means, rows = rewards / np.abs(rewards).max(), np.arange(n)
    return SpaceTimeSample(places, np.ones(n), means, np.zeros(n), times, rows, np.empty((0, 0)), rows)


def test_challengers_are_the_neighbours_in_turn():
    grid = ScaleGrid(1000, 1)
    learner = Tuner(grid)
    neighbours = [tuple(cell.tolist()) for cell in grid.neighbours(learner.cell)]
    tried = [tuple(learner._challenger().tolist()) for _ in range(2 * len(neighbours))]
    assert sorted(tried) == sorted(2 * neighbours)
    assert tried[: len(neighbours)] == tried[len(neighbours) :]


def test_a_challenger_must_have_a_larger_log_posterior_by_the_margin():
    """A plain twin, which keeps the score of every candidate, goes the same way."""
    for noise in (0.0, 0.5):
        latest, grid = waves(120, noise=noise), ScaleGrid(1000, 1)
        learner, turns = Tuner(grid), Tuner(grid)
        sample = latest.condensed(turns.candidate, tuner.NOISY_MOST)
        learner.improve(latest, 60, 0.0, Clock())
        for _ in range(60):
            cell = turns._challenger()
            ours, other = (Model(sample, grid.candidate(each)) for each in (turns.cell, cell))
            gain = other.score + other.candidate.log_prior - ours.score - ours.candidate.log_prior
            if gain > tuner.MARGIN:
                turns.cell, turns._neighbours = cell, grid.neighbours(cell)
        np.testing.assert_array_equal(learner.cell, turns.cell)
        assert (learner.cell != grid.start).any()


def test_asked_again_the_model_is_the_same():
    latest, learner = waves(150), Tuner(ScaleGrid(1000, 1))
    chosen = learner.improve(latest, 200, 0.0, Clock())
    again = learner.improve(latest, 0, 0.0, Clock())
    np.testing.assert_array_equal(chosen.sample.times, again.sample.times)
    assert (chosen.candidate, chosen.score) == (again.candidate, again.score)


def test_more_are_tried_with_noise_and_never_too_many():
    learner = Tuner(ScaleGrid(1000, 1))
    assert learner.candidate.noise > 1e-4
    assert [learner.challengers(n) for n in (0, 1, 5, 1000)] == [0, 2, 10, 64]
    learner.cell = np.array([1, 2, 3, 0, 0])
    assert [learner.challengers(n) for n in (0, 1, 5, 1000)] == [0, 1, 5, 64]


def test_scales_that_make_no_covariance_of_the_distances_get_more_noise():
    matrix = np.full((4, 4), 4.0)
    matrix[3] = matrix[:, 3] = 0.01
    np.fill_diagonal(matrix, 0.0)
    rows, ones = np.arange(4), np.ones(4)
    sample = SpaceTimeSample(np.empty((4, 0)), ones, ones, np.zeros(4), np.zeros(4), rows, matrix, rows)
    learner = Tuner(ScaleGrid(4, 0))
    learner.cell = np.array([2, 5, 3, 0, 0])
    learner._chooser = learner.candidate
    model = learner.improve(sample, 0, 0.0, Clock())
    assert model.fits
    assert model.candidate.noise > learner.candidate.noise


def test_on_another_grid_it_goes_on_with_the_nearest_scales():
    few, many = ScaleGrid(20, 1), ScaleGrid(2000, 1)
    learner = Tuner(few)
    learner.move(many, 0.5)
    assert learner.cell.tolist() == many.start.tolist()  # nothing was tried yet
    learner = Tuner(few)
    learner.improve(waves(120), 60, 0.0, Clock())
    before = learner.candidate
    learner.move(many, 0.5)
    after = learner.candidate
    assert abs(np.log(after.length / (0.5 * before.length))) <= np.log(many.lengths[1] / many.lengths[0]) / 2 + 1e-9
    assert (after.family, after.age, after.noise, after.share) == (
        before.family, before.age, before.noise, before.share,
    )  # fmt: skip
