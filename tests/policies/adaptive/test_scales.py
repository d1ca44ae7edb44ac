import numpy as np
import pytest

from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.scales import Ladders


@pytest.mark.parametrize(("n_arms", "dimension"), [(1, 1), (1000, 1), (10**6, 2), (50, 10), (30, 0)])
def test_every_candidate_has_a_number_and_neighbours_that_know_it(n_arms, dimension):
    ladders = Ladders(n_arms, dimension)
    for number in range(0, ladders.size, 37):
        rungs = ladders.rungs(number)
        assert ladders.number(rungs) == number
        candidate = ladders.candidate(rungs)
        assert 0 < candidate.length <= 0.5
        for other in ladders.neighbours(rungs):
            assert number in [ladders.number(back) for back in ladders.neighbours(other)]


def test_patterns_travel_along_axes_of_up_to_three_dimensions():
    assert [len(Ladders(100, dimension).courses) for dimension in (0, 1, 2, 3, 4)] == [1, 3, 5, 7, 1]


def test_the_step_is_the_usual_time_between_pulls_at_different_times():
    clock = Clock()
    assert clock.adjust(np.array([0.0, 0.0, 2.0, 2.0, 4.0, 10.0]))
    assert clock.step == 2.0
    assert not clock.adjust(np.array([0.0, 3.0, 6.0]))
    assert clock.adjust(np.array([0.0, 5.0, 10.0]))
    assert clock.step == 5.0
    np.testing.assert_allclose(clock.steps(np.array([0.0, 10.0]), 10.0), [-2.0, 0.0])


def test_observations_at_one_time_are_as_old_as_one_step():
    clock = Clock()
    assert not clock.adjust(np.zeros(5))
    np.testing.assert_array_equal(clock.steps(np.zeros(2), 3.0), [-1.0, -1.0])


def test_times_near_the_largest_number_do_not_overflow():
    clock = Clock()
    clock.adjust(np.array([-1.7e308, 1.7e308]))
    assert np.isfinite(clock.steps(np.array([-1.7e308, 1.7e308]), 1.7e308)).all()
