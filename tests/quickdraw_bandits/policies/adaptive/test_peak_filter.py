"""The filter of a single peak, against plain computations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.policies.adaptive.peak_filter import (
    FADING,
    LOST,
    STRAY,
    TURN,
    WIDER,
    move,
    nearness,
    profile_of,
    track,
    weigh,
)
from quickdraw_bandits.policies.adaptive.peak_profile import Known, Profile, Sums, first_profile


def plainly_moved(chances, velocities, steps):
    """Send the probability of every state to where it goes, one step after the other."""
    rows, places = chances.shape
    for _ in range(steps):
        gone = np.zeros_like(chances)
        for i in range(rows):
            whole = math.floor(velocities[i])
            part = velocities[i] - whole
            for x in range(places):
                for target, share in ((x + whole, 1 - part), (x + whole + 1, part)):
                    row = i
                    if target < 0:
                        row, target = rows - 1 - i, -1 - target
                    elif target >= places:
                        row, target = rows - 1 - i, 2 * places - 1 - target
                    gone[row, target] += share * chances[i, x]
        turned = np.zeros_like(gone)
        for i in range(rows):
            turned[i] += (1 - 2 * TURN) * gone[i]
            turned[max(i - 1, 0)] += TURN * gone[i]
            turned[min(i + 1, rows - 1)] += TURN * gone[i]
        chances = (1 - LOST) * turned + LOST / chances.size
    return chances


def random_chances(seed, rows, places):
    chances = np.random.default_rng(seed).random((rows, places)) ** 4
    return chances / chances.sum()


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    half=st.integers(1, 4),
    places=st.integers(8, 20),
    fastest=st.floats(0.0, 3.0),
    steps=st.integers(0, 4),
)
def test_every_state_moves_to_where_its_velocity_takes_it(seed, half, places, fastest, steps):
    chances = random_chances(seed, 2 * half + 1, places)
    velocities = fastest * np.arange(-half, half + 1) / half
    before = chances.copy()
    moved = move(chances, velocities, steps)
    np.testing.assert_allclose(moved, plainly_moved(chances, velocities, steps), atol=1e-14)
    assert moved.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_array_equal(chances, before)


def density(value, mean, variance):
    return math.exp(-0.5 * (value - mean) ** 2 / variance) / math.sqrt(2 * math.pi * variance)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    place=st.floats(-0.2, 1.2),
    reward=st.floats(-1, 2),
    width=st.sampled_from([0.015, 0.06, 0.3]),
    low_variance=st.floats(1e-3, 1),
    high_variance=st.floats(1e-3, 1),
)
def test_a_reward_weighs_states_by_bayes_rule(seed, place, reward, width, low_variance, high_variance):
    profile = Profile(0.1, 0.9, low_variance, high_variance)
    before = Sums.of(profile, 20)
    chances = random_chances(seed, 5, 12)
    likely, usual, near = np.empty(12), np.empty(12), np.empty(12)
    for x in range(12):
        near[x] = 1 / (1 + ((x / 11 - place) / width) ** 2)
        mean = 0.1 + 0.8 * near[x]
        variance = (1 - near[x]) * low_variance + near[x] * high_variance
        usual[x] = (1 - STRAY) * density(reward, mean, variance)
        likely[x] = usual[x] + STRAY * density(reward, mean, WIDER * max(low_variance, high_variance))
    weights = chances.sum(axis=0) * usual
    total = float(chances.sum(axis=0) @ likely)
    expected = chances * likely / total
    squares = (reward - 0.1 - 0.8 * near) ** 2
    log_density, sums = weigh(chances, place, reward, width, profile, before)
    np.testing.assert_allclose(chances, expected, rtol=1e-10, atol=1e-300)
    assert log_density == pytest.approx(math.log(total))
    weights /= total
    fade = 1 - FADING * weights.sum()
    added = [
        weights.sum(),
        weights @ near,
        weights @ near**2,
        weights.sum() * reward,
        (weights @ near) * reward,
        weights @ ((1 - near) * squares),
        weights @ (near * squares),
    ]
    np.testing.assert_allclose(sums, fade * np.array(before) + added, rtol=1e-9, atol=1e-15)


def test_a_reward_beyond_all_that_is_expected_changes_nothing():
    profile = Profile(0.0, 1.0, 0.01, 0.01)
    chances, sums = random_chances(0, 5, 12), Sums.of(profile, 20)
    before = chances.copy()
    log_density, after = weigh(chances, 0.5, 1e6, 0.06, profile, sums)
    assert log_density == -math.inf
    assert after == sums
    np.testing.assert_array_equal(chances, before)


def test_tracking_moves_weighs_and_learns():
    profile = Profile(0.0, 1.0, 0.02, 0.1)
    known = Known(profile, Sums.of(profile, 20))
    velocities = np.linspace(-1.5, 1.5, 13)
    chances = random_chances(2, 13, 35)
    steps, places, rewards = np.array([2, 1, 0]), np.array([0.4, 0.45, 0.9]), np.array([0.7, 0.8, 0.1])
    found, densities, after = track(chances, velocities, steps, places, rewards, 0.06, known)
    expected, sums = chances, known.sums
    for k in range(3):
        expected = move(expected, velocities, int(steps[k]))
        density, sums = weigh(expected, places[k], rewards[k], 0.06, profile, sums)
        profile = profile_of(sums, profile)
        assert densities[k] == pytest.approx(density)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(after.sums, sums)
    np.testing.assert_allclose(after.profile, profile)


def test_nearness_is_the_mean_over_places():
    chances = random_chances(1, 5, 12)
    arms = np.array([0.0, 0.33, 1.4])
    first, second = nearness(chances, arms, 0.06)
    for arm, one, two in zip(arms, first, second, strict=True):
        h = 1 / (1 + ((np.arange(12) / 11 - arm) / 0.06) ** 2)
        assert one == pytest.approx(float(chances.sum(axis=0) @ h))
        assert two == pytest.approx(float(chances.sum(axis=0) @ h**2))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(3, 30))
def test_the_profile_is_that_of_the_least_squares(seed, count):
    random = np.random.default_rng(seed)
    h, y = random.random(count), random.normal(size=count)
    low, high = 0.2, 1.3
    squares = (y - low - (high - low) * h) ** 2
    sums = Sums(count, h.sum(), (h**2).sum(), y.sum(), (y * h).sum(), ((1 - h) * squares).sum(), (h * squares).sum())
    found = profile_of(Sums(*map(float, sums)), Profile(low, high, 1.0, 1.0))
    slope, start = np.polyfit(h, y, 1)
    assert found.low == pytest.approx(start, abs=1e-6)
    assert found.high == pytest.approx(start + slope, abs=1e-6)
    least = (0.02 * slope) ** 2
    assert found.low_variance == pytest.approx(max(((1 - h) * squares).sum() / (1 - h).sum(), least), rel=1e-6)
    assert found.high_variance == pytest.approx(max((h * squares).sum() / h.sum(), least), rel=1e-6)


def test_rewards_from_one_distance_leave_low_and_high():
    before = Profile(0.2, 0.9, 0.1, 0.1)
    found = profile_of(Sums(10.0, 5.0, 2.5, 8.0, 4.0, 0.5, 0.5), before)
    assert (found.low, found.high) == (0.2, 0.9)


@pytest.mark.parametrize("rewards", [[0.0] * 20, [5e-324] * 10 + [0.0] * 10, [1.0] * 19 + [1 + 1e-15]])
def test_rewards_that_are_alike_have_no_profile(rewards):
    assert first_profile(np.array(rewards)) is None


def test_the_first_profile_has_no_units():
    rewards = np.random.default_rng(0).exponential(size=20)
    profile, units = first_profile(rewards)
    for factor, offset in ((1e-200, 0.0), (1e300, 0.0), (3.0, -70.0)):
        other, scaled = first_profile(factor * rewards + offset)
        np.testing.assert_allclose(other, profile, rtol=1e-9)
        assert scaled.unit == pytest.approx(factor * units.unit)
        assert scaled.value(factor * 2.0 + offset) == pytest.approx(units.value(2.0))


def test_rewards_up_to_the_largest_number_have_a_profile():
    profile, units = first_profile(np.array([-1.7e308] * 12 + [1.7e308] * 8))
    assert profile.high == 1
    assert 1e308 < units.unit < np.inf
    assert abs(units.value(1.7e308)) < 3
