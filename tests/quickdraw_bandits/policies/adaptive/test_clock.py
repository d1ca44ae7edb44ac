import numpy as np
import pytest

from quickdraw_bandits.policies.adaptive.clock import Clock


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


def test_an_even_number_of_huge_gaps_does_not_overflow():
    clock = Clock()
    assert clock.adjust(np.array([-1.7e308, 0.0, 1.7e308]))
    assert np.isfinite(clock.step)
