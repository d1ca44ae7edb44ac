import numpy as np
import pytest

from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.scales import Candidate, Ladders


@pytest.mark.parametrize(("n_arms", "dimension"), [(1, 1), (1000, 1), (10**6, 2), (50, 10), (30, 0)])
def test_every_candidate_has_neighbours_that_know_it(n_arms, dimension):
    ladders = Ladders(n_arms, dimension)
    for place in list(np.ndindex(ladders.shape))[::37]:
        rungs = np.array(place)
        assert 0 < ladders.candidate(rungs).length <= 0.5
        for other in ladders.neighbours(rungs):
            assert (other != rungs).sum() == 1
            assert place in [tuple(back.tolist()) for back in ladders.neighbours(other)]


def test_where_arms_crowd_lengths_are_as_small_as_their_spacing():
    """Steps of at most two, from four spacings on; where they are spread evenly nothing changes."""
    for spacing in (0.001, 0.0003, 1.0, np.inf):
        np.testing.assert_array_equal(Ladders(1000, 1, spacing).lengths, np.geomspace(0.004, 0.5, 11))
    for spacing in (1e-4, 1e-6, 1e-8):
        lengths = Ladders(1000, 1, spacing).lengths
        assert lengths[0] == pytest.approx(4 * spacing)
        assert lengths[-1] == pytest.approx(0.5)
        assert (lengths[1:] / lengths[:-1] <= 2 + 1e-9).all()
    crowded = Ladders(1000, 1, 1e-6)
    assert (crowded.start < crowded.shape).all()


def test_patterns_travel_along_axes_of_up_to_three_dimensions():
    assert [len(Ladders(100, dimension).courses) for dimension in (0, 1, 2, 3, 4)] == [1, 3, 5, 7, 1]


@pytest.mark.parametrize(
    ("n_arms", "dimension", "length", "age", "expected"),
    [
        (1000, 1, 0.1, 4.0, 0.4**0.5),
        (1000, 1, 0.1, 80.0, 1.0),
        (1000, 1, 0.004, 80.0, 0.32**0.5),
        (1000, 2, 0.1, 50.0, 0.5**0.5),
        (10, 3, 0.01, 5.0, 0.5**0.5),  # no more patches than arms
        (1000, 0, 0.1, 4.9, 0.7),  # only distances are known
        (10**6, 1, 1e-5, 4.0, 0.5),
    ],
)
def test_exploration_is_the_root_of_the_rounds_to_a_patch(n_arms, dimension, length, age, expected):
    candidate = Candidate(4, length, age, 1e-5, np.zeros(max(dimension, 1)))
    assert Ladders(n_arms, dimension).exploration(candidate) == pytest.approx(expected)


def test_unusual_scales_and_travelling_patterns_are_doubted():
    still, moving = np.zeros(1), np.ones(1)
    doubts = [
        Candidate(4, length, 100.0, 0.3, v).doubt
        for length in (0.03 / np.e**2, 0.03, 0.03 * np.e)
        for v in (still, moving)
    ]
    np.testing.assert_allclose(doubts, [2.0, 6.0, 0.0, 4.0, 2.0, 6.0], atol=1e-12)
    ages = [Candidate(4, 0.03, age, 0.3, still).doubt for age in (40.0 / np.e, 40.0, 4000.0)]
    np.testing.assert_allclose(ages, [1.0, 0.0, 0.0], atol=1e-12)


def test_the_step_is_the_usual_time_between_pulls_at_different_times():
    clock = Clock()
    assert clock.adjust(np.array([0.0, 0.0, 2.0, 2.0, 4.0, 10.0]))
    assert clock.step == 2.0
    assert not clock.adjust(np.array([0.0, 3.0, 6.0]))
    assert clock.adjust(np.array([0.0, 5.0, 10.0]))
    assert clock.step == 5.0
    np.testing.assert_allclose(clock.steps(np.array([0.0, 10.0]), 10.0), [-2.0, 0.0])


def test_a_clock_that_changes_its_pace_is_noticed_soon():
    clock = Clock()
    gaps = np.repeat([1.0, 1000.0], [500, 40])
    assert clock.adjust(np.cumsum(gaps[:500]))
    assert clock.adjust(np.cumsum(gaps))
    assert clock.step == 1000.0


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1 / 3, 1e6])
def test_a_pace_of_twice_or_half_the_step_is_none_in_any_unit(unit):
    clock = Clock()
    clock.adjust(np.arange(50) * unit)
    assert not clock.adjust(np.arange(50) * (2 * unit))
    assert not clock.adjust(7.7 * unit + np.arange(50) * (0.5 * unit))


def test_observations_at_one_time_are_as_old_as_one_step():
    clock = Clock()
    assert not clock.adjust(np.zeros(5))
    np.testing.assert_array_equal(clock.steps(np.zeros(2), 3.0), [-1.0, -1.0])


def test_times_near_the_largest_number_do_not_overflow():
    clock = Clock()
    clock.adjust(np.array([-1.7e308, 1.7e308]))
    assert np.isfinite(clock.steps(np.array([-1.7e308, 1.7e308]), 1.7e308)).all()
