"""Patterns that travel: their velocity, and the path on which what was seen before is found again."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive import scales
from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.correlation import FAMILIES
from quickdraw_bandits.policies.adaptive.course import LATEST, Course
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.velocities import (
    FASTEST,
    FINENESS,
    MOVING,
    distance_travelled,
    likeliest_velocity,
    velocity_scores,
)

CANDIDATE = Candidate("smooth", 0.1, 20.0, 0.03, 1)


def clock_of(step):
    found = Clock()
    found.adjust(step * np.arange(10.0))
    return found


def peak(place, centre):
    return np.exp(-((place - centre) ** 2) / (2 * 0.08**2))


def seen(path, now, rounds, seed=0):
    """Observations around a peak that is at ``path(round)``, the latest first, as a model has them at a round."""
    random = np.random.default_rng(seed)
    ages = -np.arange(1.0, rounds + 1)
    centres = np.array([path(now + age) for age in ages])
    points = centres + random.uniform(-0.15, 0.15, rounds)
    arms = np.arange(rounds)
    means = peak(points, centres) - 0.5
    return SpaceTimeSample(
        points[:, None], np.ones(rounds), means, np.zeros(rounds), ages, arms, np.empty((0, 0)), arms
    )


def followed(path, rounds, step=1.0):
    """The course after some rounds."""
    course, clock = Course.unknown(1), clock_of(step)
    for now in range(LATEST, rounds):
        course = course.after(seen(path, now, LATEST, seed=now), CANDIDATE, now * step, clock)
    return course, clock


@given(
    st.sampled_from(FAMILIES),
    st.sampled_from([0.0, 0.3]),
    st.integers(1, 3),
    st.integers(2, 12),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=40)
def test_a_velocity_has_the_likelihood_of_a_model_whose_points_have_moved(family, share, dimension, n, seed):
    random = np.random.default_rng(seed)
    candidate = Candidate(family, 0.2, 15.0, 0.1, dimension, share, travels=True)
    points, times = random.random((n, dimension)), -np.sort(random.random(n)) * 30
    means, arms = random.uniform(-1, 1, n), random.integers(3, size=n)
    sample = SpaceTimeSample(points, np.ones(n), means, np.zeros(n), times, arms, np.empty((0, 0)), np.arange(n))
    velocities = random.normal(size=(4, dimension)) * 0.02
    columns, noises = np.ascontiguousarray(points.T), np.full(n, candidate.noise)
    scores = velocity_scores(velocities, columns, arms, times, candidate.rates, noises, means)
    expected = [Model(replace(sample, travelled=-times[:, None] * v), candidate).score for v in velocities]
    np.testing.assert_allclose(scores, np.array(expected) - n / 2 * np.log(n), rtol=1e-9, atol=1e-9)


@given(st.integers(1, 3), st.integers(2, 12), st.sampled_from([0.0, 0.01, 0.05, 0.09]), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_the_likeliest_of_the_velocities_near_the_one_in_use_is_chosen(dimension, n, speed, seed):
    random = np.random.default_rng(seed)
    candidate = Candidate("rough", 0.2, 15.0, 0.1, dimension)
    columns, times = random.random((dimension, n)), -np.sort(random.random(n)) * 30
    rewards = candidate.rates, np.full(n, candidate.noise), random.uniform(-1, 1, n)
    where = columns, np.arange(n), times
    velocity = speed * random.uniform(-1, 1, dimension)
    step = 0.2 / FINENESS
    tried = [velocity, -velocity]
    tried += [velocity + k * step * unit for unit in np.eye(dimension) for k in (-2, -1, 1, 2)]
    tried = np.array([v for v in tried if np.abs(v).max() <= FASTEST * 0.2] + [np.zeros(dimension)])
    scores = velocity_scores(tried, *where, *rewards)
    scores[-1] += MOVING
    found = likeliest_velocity(velocity, 0.2, *where, *rewards)
    np.testing.assert_allclose(found, tried[scores.argmax()], rtol=1e-12, atol=1e-15)


@given(st.integers(1, 3), st.integers(1, 8), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_the_distance_travelled_is_that_of_a_piecewise_linear_path(dimension, n_knots, seed):
    random = np.random.default_rng(seed)
    knots, places = np.sort(-50 * random.random(n_knots) - 1), random.normal(size=(n_knots, dimension))
    velocity, ages = random.normal(size=dimension), np.append(-60 * random.random(20), knots)
    now = places[-1] - knots[-1] * velocity
    expected = np.empty((len(ages), dimension))
    for axis in range(dimension):
        corners = np.append(places[:, axis], now[axis])
        expected[:, axis] = now[axis] - np.interp(ages, np.append(knots, 0.0), corners)
    np.testing.assert_allclose(distance_travelled(ages, knots, places, velocity), expected, atol=1e-9)


@pytest.mark.parametrize("velocity", [0.0, CANDIDATE.length / FINENESS, -2 * CANDIDATE.length / FINENESS])
@pytest.mark.parametrize("step", [1.0, 1e-3])
def test_a_steady_velocity_is_found(velocity, step):
    course, clock = followed(lambda t: 0.5 + velocity * t, 80, step)
    assert course.velocity[0] == pytest.approx(velocity, abs=1e-9)
    ages = np.array([-1.0, -20.0, -50.0])
    travelled = course.travelled(ages, 79 * step, clock)[:, 0]
    np.testing.assert_allclose(travelled, -velocity * ages, atol=0.1)


def test_what_was_seen_before_patterns_turned_is_in_its_place():
    """Up to two length scales; with the velocity of now for all times, the path would be off by six."""

    def path(t):
        return 0.5 + 0.01 * min(t, 120 - t)

    course, clock = followed(path, 110)
    ages = -np.arange(1.0, 80.0)
    expected = [path(109) - path(109 + age) for age in ages]
    off = np.abs(course.travelled(ages, 109.0, clock)[:, 0] - expected)
    assert off.max() < 2 * CANDIDATE.length
    assert np.abs(-0.01 * -ages - expected).max() > 0.5


def test_the_path_is_continuous_and_ends_now():
    course, clock = followed(lambda t: 0.5 + 0.01 * t, 60)
    now = 59.0
    ages = clock.steps(course.times, now)
    gap = 1e-9
    before, after = course.travelled(ages - gap, now, clock), course.travelled(ages + gap, now, clock)
    np.testing.assert_allclose(before, after, atol=1e-7)
    assert course.travelled(np.zeros(1), now, clock)[0] == 0.0


def test_before_there_are_enough_observations_nothing_travels():
    course, clock = Course.unknown(2), clock_of(1.0)
    few = seen(lambda t: 0.01 * t, 50, LATEST - 1)
    assert course.after(few, CANDIDATE, 50.0, clock) is course
    np.testing.assert_array_equal(course.travelled(np.array([-3.0, 0.0]), 5.0, clock), np.zeros((2, 2)))


def test_a_path_is_stretched_with_the_arms():
    course, clock = followed(lambda t: 0.5 + 0.01 * t, 60)
    ages = np.array([-1.0, -30.0])
    twice = course.stretched(2.0).travelled(ages, 59.0, clock)
    np.testing.assert_allclose(twice, 2 * course.travelled(ages, 59.0, clock))


def test_a_peak_that_goes_to_and_fro_is_followed(monkeypatch):
    """Regret of less than four fifths of that without following patterns, which is 0.22."""
    rounds, places = np.arange(500), np.linspace(0, 1, 64)
    centres = np.abs((rounds / 80) % 2 - 1)
    env = qd.environments.Recorded(peak(places[None], centres[:, None]), qd.Arms.grid(0, 1, 64), noise=0.05, seed=0)

    def regret():
        return qd.simulate(qd.AdaptiveQuickDraw(env.arms, seed=0), env, warmup=50, seed=0).regret_per_round

    followed_regret = regret()
    monkeypatch.setattr(scales, "MOST_AXES", 0)
    assert followed_regret < 0.8 * regret()
