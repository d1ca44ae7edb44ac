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


@given(st.integers(1, 3), st.integers(1, 8), st.sampled_from([-1.0, 20.0, 60.0]), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_the_distance_travelled_is_that_of_a_piecewise_linear_path(dimension, n_knots, shift, seed):
    random = np.random.default_rng(seed)
    # Time 0 is after all knots, between some, or before all: then the past is asked for.
    knots, places = np.sort(-50 * random.random(n_knots) + shift), random.normal(size=(n_knots, dimension))
    velocity, ages = random.normal(size=dimension), np.append(-60 * random.random(20) + shift / 2, knots)
    expected = np.empty((len(ages), dimension))
    for axis in range(dimension):
        corners = np.append(places[:, axis], places[-1, axis] + (100.0 - knots[-1]) * velocity[axis])
        expected[:, axis] = np.interp(0.0, np.append(knots, 100.0), corners)
        expected[:, axis] -= np.interp(ages, np.append(knots, 100.0), corners)
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


@pytest.mark.parametrize(("per_time", "late"), [(1, 0), (4, 0), (8, 0), (1, 60)])
def test_a_path_that_is_final_does_not_change(per_time, late):
    """With many rounds at one time, or rewards that come late, velocities change while the path gets no longer."""
    random, clock, course = np.random.default_rng(0), clock_of(1.0), Course.unknown(1)
    known, finals = [], []
    for i in range(600):
        now = float(i // per_time)
        centre = 0.1 + 0.8 * abs((now / 50) % 2 - 1)
        place = centre + random.uniform(-0.15, 0.15)
        known.append((now + late * random.integers(2), now, place, peak(place, centre) - 0.5))
        latest = sorted((row[1:] for row in known if row[0] <= now), reverse=True)[:LATEST]
        if not latest:
            continue
        times, points, means = (np.array(column) for column in zip(*latest, strict=True))
        n, arms = len(latest), np.arange(len(latest))
        where = points[:, None], np.ones(n), means, np.zeros(n), times - now, arms, np.empty((0, 0)), arms
        course = course.after(SpaceTimeSample(*where), CANDIDATE, now, clock)
        if len(course.times) and (not finals or course.times[-1] > finals[-1][0]):
            finals.append((course.times[-1], course.places[-1, 0]))
    times, places = np.array(finals).T
    np.testing.assert_allclose(np.interp(times, course.times, course.places[:, 0]), places, atol=1e-9)
    assert np.ptp(places) > 0.1  # it has moved


@pytest.mark.parametrize("wrong", [1e8, 1.7e18, -1e18, 1e300])
def test_a_question_at_a_wrong_time_moves_no_path(wrong):
    """The mean reward afterwards is within 0.05 of that without the question."""

    def later(mistake):
        policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 101), seed=0)
        rewards = []
        for t in range(220):
            if t == 100 and mistake:
                with pytest.warns(qd.ClockWarning):
                    policy.select(wrong)
            arm = policy.select(float(t))
            rewards.append(float(peak(arm / 100, 0.5 + 0.4 * np.sin(t / 40))))
            policy.update(float(t), arm, rewards[-1])
        return np.mean(rewards[120:])

    assert later(True) == pytest.approx(later(False), abs=0.05)


def test_the_past_is_where_it_was():
    """The peak of 80 rounds ago is found within 0.05 of where it was, though patterns have turned since."""

    def centre(t):
        return 0.5 + 0.4 * np.sin(t / 40)

    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 201), seed=0)
    for t in range(330):
        arm = policy.select(float(t))
        policy.update(float(t), arm, float(np.exp(-(((arm / 200 - centre(t)) / 0.08) ** 2))))
    assert policy._tuner.candidate.travels
    assert policy.estimate(250.0)[0].argmax() / 200 == pytest.approx(centre(250), abs=0.05)


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
    """Regret of less than nine tenths of that without following patterns, which is 0.13."""
    rounds, places = np.arange(500), np.linspace(0, 1, 64)
    centres = np.abs((rounds / 80) % 2 - 1)
    env = qd.environments.Recorded(peak(places[None], centres[:, None]), qd.Arms.grid(0, 1, 64), noise=0.05, seed=0)

    def regret():
        return qd.simulate(qd.AdaptiveQuickDraw(env.arms, seed=0), env, warmup=50, seed=0).regret_per_round

    followed_regret = regret()
    monkeypatch.setattr(scales, "MOST_AXES", 0)
    assert followed_regret < 0.9 * regret()
