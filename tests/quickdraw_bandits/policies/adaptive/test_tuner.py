"""How scales are compared and replaced."""

import numpy as np

from quickdraw_bandits.policies.adaptive import tuner
from quickdraw_bandits.policies.adaptive.model import Model, Sample
from quickdraw_bandits.policies.adaptive.scales import Ladders
from quickdraw_bandits.policies.adaptive.tuner import Tuner


def waves(n, seed=0, noise=0.0):
    """Observations of a wave over the arms that turns slowly."""
    random = np.random.default_rng(seed)
    places, times = random.random((n, 1)), -np.arange(n, dtype=float)
    rewards = np.sin(8 * places[:, 0] + times / 60) + noise * random.normal(size=n)
    return Sample(places, np.arange(n), np.empty((0, 0)), times, rewards / np.abs(rewards).max(), np.ones(n))


def test_challengers_are_the_neighbours_in_turn():
    ladders = Ladders(1000, 1)
    learner = Tuner(ladders)
    neighbours = [tuple(rungs.tolist()) for rungs in ladders.neighbours(learner.rungs)]
    tried = [tuple(learner._challenger().tolist()) for _ in range(2 * len(neighbours))]
    assert sorted(tried) == sorted(2 * neighbours)
    assert tried[: len(neighbours)] == tried[len(neighbours) :]


def test_a_challenger_must_be_likelier_by_the_margin_and_what_it_is_doubted():
    """A plain twin, which keeps the score of every candidate, goes the same way."""
    for noise in (0.0, 0.5):
        pool, ladders = waves(120, noise=noise), Ladders(1000, 1)
        learner, turns = Tuner(ladders), Tuner(ladders)
        sample = pool.condensed(turns.candidate, tuner.NOISY_MOST)
        learner.improve(pool, 60)
        for _ in range(60):
            rungs = turns._challenger()
            ours, other = (Model(sample, ladders.candidate(each)) for each in (turns.rungs, rungs))
            needed = tuner.MARGIN + other.candidate.doubt - ours.candidate.doubt
            if other.score - ours.score > needed:
                turns.rungs, turns._neighbours = rungs, ladders.neighbours(rungs)
        np.testing.assert_array_equal(learner.rungs, turns.rungs)
        assert (learner.rungs != ladders.start).any()


def test_asked_again_the_model_is_the_same():
    pool, learner = waves(150), Tuner(Ladders(1000, 1))
    chosen = learner.improve(pool, 200)
    again = learner.improve(pool, 0)
    np.testing.assert_array_equal(chosen.sample.times, again.sample.times)
    assert (chosen.candidate, chosen.score) == (again.candidate, again.score)


def test_more_are_tried_with_noise_and_never_too_many():
    learner = Tuner(Ladders(1000, 1))
    assert learner.candidate.noise > 1e-4
    assert [learner.challengers(n) for n in (0, 1, 5, 1000)] == [0, 2, 10, 64]
    learner.rungs = np.array([1, 2, 3, 0, 0])
    assert [learner.challengers(n) for n in (0, 1, 5, 1000)] == [0, 1, 5, 64]


def test_scales_that_make_no_covariance_of_the_distances_get_more_noise():
    matrix = np.full((4, 4), 4.0)
    matrix[3] = matrix[:, 3] = 0.01
    np.fill_diagonal(matrix, 0.0)
    sample = Sample(np.empty((4, 0)), np.arange(4), matrix, np.zeros(4), np.ones(4), np.ones(4))
    learner = Tuner(Ladders(4, 0))
    learner.rungs = np.array([1, 5, 3, 0, 0])
    learner._chooser = learner.candidate
    model = learner.improve(sample, 0)
    assert model.fits
    assert model.candidate.noise > learner.candidate.noise
