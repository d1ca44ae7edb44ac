"""When Quick-Draw says that it cannot learn, judged by the index of every arm."""

import pickle
import re
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation import Kernel, plain_estimate
from quickdraw_bandits.policies.scale_warning import LATEST, all_was_too_old, least_deviation

BOX = qd.Box([0.0, 0.0], [1.0, 1.0])
LINE = qd.Arms.grid(-1, 1, 20)


def play(policy, times, reward=lambda place: 1 - place * place):
    """Return at each round whether all arms reached the cap."""
    capped = []
    for time in times:
        arm = policy.select(time)
        if isinstance(policy.arms, qd.Box):
            place = float(arm[0])
        else:
            place = float(policy.arms.points[arm, 0])
            capped.append(policy.cap is not None and bool((policy.index(time) >= policy.cap - 1e-12).all()))
        policy.update(time, arm, reward(place))
    return capped


@contextmanager
def no_warning():
    """Check that nothing is warned of inside."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    assert [str(warning.message) for warning in caught] == []


@pytest.mark.parametrize(
    ("arms", "arguments"),
    [
        (LINE, {}),
        (LINE, {"engine": "exact"}),
        (LINE, {"engine": "tree"}),
        (LINE, {"engine": "cached"}),
        (LINE, {"sharpness": 3}),
        (LINE, {"length_scale": 30.0}),
        (BOX, {}),
    ],
)
def test_rounds_that_are_counted_as_times_are_found(arms, arguments):
    policy = qd.QuickDraw(arms, seed=0, **arguments)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        capped = play(policy, range(300))
    assert all(capped)
    [warning] = caught  # once, and not at each power of two
    assert warning.category is qd.ScaleWarning
    assert warning.filename == __file__
    assert "pulls are 1 apart in time, and time_scale=1. Give a longer one, such as 1000" in str(warning.message)


def test_what_it_advises_helps():
    policy = qd.QuickDraw(LINE, time_scale=1000.0, seed=0)
    capped = play(policy, range(300))
    assert not any(capped[20:])


def test_a_schedule_that_raises_once_does_not_silence_the_warning():
    failing = iter([True])
    policy = qd.QuickDraw(LINE, exploration=lambda n: np.nan if n == 63 and next(failing, False) else 2.0, seed=0)
    play(policy, range(63), lambda _: 0.5)
    with pytest.raises(ValueError, match="exploration"):
        policy.select(63)
    with pytest.warns(qd.ScaleWarning, match="chooses at random"):
        policy.select(63)


def test_a_policy_plays_on_where_warnings_are_errors():
    policy = qd.QuickDraw(LINE, seed=0)
    with pytest.raises(qd.ScaleWarning, match="chooses at random"):
        play(policy, range(64))
    policy = pickle.loads(pickle.dumps(policy))
    play(policy, range(64, 300))


@pytest.mark.parametrize("time_scale", [1e-3, None])
def test_rewards_above_the_cap_are_found(time_scale):
    policy = qd.QuickDraw(LINE, time_scale=time_scale, seed=0)
    with pytest.warns(qd.ScaleWarning, match=r"rewards are 500 on average, above cap=1, .* Divide rewards"):
        capped = play(policy, np.arange(64) * 1e-3, lambda place: 500 + place)
    assert all(capped)


@pytest.mark.parametrize(
    ("arms", "arguments"),
    [
        (LINE, {}),
        (LINE, {"engine": "exact"}),
        (LINE, {"engine": "tree"}),
        (LINE, {"engine": "cached"}),
        (LINE, {"time_scale": None}),
        (LINE, {"time_scale": None, "engine": "tree"}),
        (qd.Arms.grid(-1, 1, 100_000), {}),
        (BOX, {}),
        (BOX, {"time_scale": None}),
    ],
)
def test_rewards_above_the_cap_on_average_are_found(arms, arguments):
    random = np.random.default_rng(0)
    rewards = []

    def reward(_):
        rewards.append(500 * random.random() if len(rewards) % 4 else 0.0)  # many below the cap
        return rewards[-1]

    policy = qd.QuickDraw(arms, seed=0, **arguments)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        play(policy, np.arange(130) * 1e-3, reward)
    [warning] = caught
    said = f"rewards are {np.mean(rewards[:63]):.3g} on average, above cap=1, and arms estimated above the cap all look"
    assert said in str(warning.message)


@pytest.mark.parametrize("time_scale", [1.0, None])
@pytest.mark.parametrize("seed", range(5))
def test_no_warning_on_noise_above_the_cap(time_scale, seed):
    """The best arm pays the cap, and noise takes half of the averages above it."""
    random = np.random.default_rng(seed)
    policy = qd.QuickDraw(LINE, time_scale=time_scale, noise_variance=1e-2, seed=0)
    with no_warning():
        play(policy, np.linspace(0, 1, 520), lambda _: 1 + random.normal(scale=0.3))


@pytest.mark.parametrize("cap", [0.1, 0.7, -0.1])
@pytest.mark.parametrize("time_scale", [1.0, None])
def test_no_warning_on_rounding(cap, time_scale):
    """The mean of equal rewards can be above them in its last digit."""
    with no_warning():
        play(qd.QuickDraw(LINE, cap=cap, time_scale=time_scale, seed=0), np.linspace(0, 1, 130), lambda _: cap)


def bursts(count, pulls, pause):
    return np.concatenate([day * pause + np.arange(pulls) * 1e-3 for day in range(count)])


@pytest.mark.parametrize(
    ("arguments", "times"),
    [
        ({}, np.linspace(0, 1, 300)),
        ({"time_scale": 0.01}, np.linspace(0, 1, 1000)),  # the shortest of the paper's
        ({"time_scale": 0.01}, bursts(16, 20, pause=1.0)),  # nothing is known after a pause, and something soon
        ({"cap": None}, range(300)),
        ({"time_scale": None}, range(300)),
        ({"exploration": 0.0}, range(300)),
        ({"length_scale": 1e-6}, np.linspace(0, 1, 300)),  # every arm is tried, and then the best one played
        ({}, np.zeros(300)),
    ],
)
def test_no_warning_where_something_counts(arguments, times):
    with no_warning():
        capped = play(qd.QuickDraw(LINE, seed=0, **arguments), times)
    assert not all(capped[50:])


@pytest.mark.parametrize("reward", [0.0, 1.0, -1.0])
def test_no_warning_on_equal_rewards(reward):
    with no_warning():
        play(qd.QuickDraw(LINE, cap=max(reward, 0.0), seed=0), np.linspace(0, 1, 130), lambda _: reward)


def test_no_warning_on_a_history_of_one_moment():
    policy = qd.QuickDraw(LINE, seed=0)
    policy.update(np.zeros(200), np.arange(200) % 20, np.full(200, 0.5))
    with no_warning():
        for _ in range(130):
            policy.select(1e6)


@pytest.mark.parametrize("pulls", [50, 33])
def test_no_warning_on_many_pulls_at_each_moment(pulls):
    """Of 33 each, the 1,024th is the first at its moment: all is too old then, and was not within earlier moments."""
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 5), seed=0)
    with no_warning():
        capped = np.reshape(play(policy, np.repeat(np.arange(32) * 10.0, pulls)), (32, pulls))
    assert capped[:, 0].all()
    assert not capped[:, 10:].any()  # it plays well within each moment


@pytest.mark.parametrize("delay", [1e-3, -1e-3])
def test_no_warning_on_a_sparse_history_asked_about_at_once(delay):
    policy = qd.QuickDraw(LINE, seed=0)
    policy.update(np.arange(40) * 10.0, np.arange(40) % 20, np.full(40, 0.5))
    with no_warning():
        for _ in range(70):
            policy.select(390 + delay)
    assert policy.index(390 + delay).min() < 1


def test_a_sparse_history_asked_about_late_is_found():
    policy = qd.QuickDraw(LINE, seed=0)
    policy.update(np.arange(40) * 10.0, np.arange(40) % 20, np.full(40, 0.5))
    for _ in range(63):
        policy.select(400.0)
    with pytest.warns(qd.ScaleWarning, match="too old"):
        policy.select(400.0)


@pytest.mark.parametrize("gap", [1e-3, 1.0])
@pytest.mark.parametrize("arguments", [{"noise_variance": 100.0}, {"exploration": 1e9}])
def test_no_warning_where_age_is_not_the_cause(arguments, gap):
    with no_warning():
        capped = play(qd.QuickDraw(LINE, seed=0, **arguments), np.arange(130) * gap)
    assert all(capped)


def test_noise_that_many_pulls_would_average_out_does_not_hide_their_age():
    with pytest.warns(qd.ScaleWarning, match="too old"):
        play(qd.QuickDraw(LINE, noise_variance=1.0, seed=0), range(64))


@pytest.mark.parametrize(("gap", "advice"), [(1.2345, "1200"), (0.98765, "990"), (1e-3 * 777, "780"), (1e6, "1e+09")])
def test_the_advice_has_two_digits(gap, advice):
    with pytest.warns(qd.ScaleWarning, match=f"such as {re.escape(advice)}, or None"):
        play(qd.QuickDraw(LINE, seed=0), np.arange(64) * gap)


def test_tuning_does_not_warn_of_bad_candidates():
    env = qd.environments.KnownFunction(lambda x: 1 - x * x, n_arms=20, n_rounds=300)
    with pytest.warns(qd.ScaleWarning):
        qd.simulate(qd.QuickDraw(env.arms, time_scale=1e-3, seed=0), env)
    assert qd.tune(qd.QuickDraw, {"time_scale": [1e-3, 1.0]}, env).best == {"time_scale": 1.0}


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([1e-2, 1.0, 1e3]),
    st.sampled_from([1e-3, 0.3, 1.0, 30.0]),
    st.sampled_from([1e-7, 1e-2]),
    st.integers(1, 3),
    st.integers(1, 60),
    st.integers(0, 2**32 - 1),
)
def test_the_deviation_is_bounded_from_below(length_scale, time_scale, noise_variance, sharpness, n, seed):
    random = np.random.default_rng(seed)
    kernel = Kernel(length_scale, time_scale, noise_variance, sharpness)
    ages, distances = random.exponential(size=n), random.random((n, 20))
    _, std = plain_estimate(kernel, distances, ages, np.zeros(n))
    bound = least_deviation(ages, kernel)
    assert bound <= std.min() * (1 + 1e-12)
    _, of_one_arm = plain_estimate(kernel, np.zeros((n, 1)), ages, np.zeros(n))
    assert bound == pytest.approx(of_one_arm[0], rel=1e-12)


@settings(max_examples=200, deadline=None)
@given(
    st.integers(1, 60),
    st.floats(0.1, 2.0),
    st.floats(0.1, 4.0),
    st.sampled_from([1e-7, 1e-2, 4.0]),
    st.integers(0, 2**32 - 1),
)
def test_the_latest_moments_decide(n, gamma, needed, noise_variance, seed):
    """Against the sum at each moment on its own, times in any order and some of them equal."""
    random = np.random.default_rng(seed)
    times = random.choice(60, size=n, replace=bool(random.integers(2))) * 1.5
    time = float(random.choice([times[0] + 0.7, times.max() + 1.0, times.max() + 9.0]))

    def reaches(squared_ages):
        total = sum(1 / (noise_variance + squared) for squared in squared_ages)
        return total == 0 or gamma * total**-0.5 >= needed

    latest = sorted(set(times.tolist()))[-LATEST:]
    expected = len(set(times.tolist())) > LATEST and not reaches([0.0] * n) and reaches((time - times) ** 2)
    for now in latest:
        others = [(now - t) ** 2 for t in times if t < now] + [0.0] * (np.count_nonzero(times == now) - 1)
        expected = expected and reaches(others)
    assert all_was_too_old(times, time, Kernel(1.0, 1.0, noise_variance, 1), gamma, needed) == expected
