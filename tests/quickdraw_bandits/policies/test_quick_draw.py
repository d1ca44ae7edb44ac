"""Quick-Draw against the paper's formulas, computed here on their own."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd


def formulas(x, seen_x, ages, rewards, length_scale=1.0, time_scale=1.0, noise_variance=1e-7, sharpness=1):
    """E2, E3 and E9 for arms on a line from -1 to 1 or so, distances scaled by the range, one arm at a time."""
    span = max(x.max(), seen_x.max()) - min(x.min(), seen_x.min())
    mean, std = [], []
    for point in x:
        r2 = noise_variance + ((point - seen_x) / span / length_scale) ** 2
        if time_scale is not None:
            r2 = r2 + (ages / time_scale) ** 2
        precision = 1 / r2**sharpness
        mean.append((precision * rewards).sum() / precision.sum())
        std.append(precision.sum() ** (-1 / (2 * sharpness)))
    return np.array(mean), np.array(std)


@pytest.mark.parametrize("time_scale", [1.0, 0.1, None])
@pytest.mark.parametrize("sharpness", [1, 2, 3])
def test_estimate_and_index_follow_the_formulas(time_scale, sharpness):
    random = np.random.default_rng(0)
    arms = qd.Arms.grid(-1, 3, 50)
    policy = qd.QuickDraw(arms, 0.5, time_scale, 1e-4, exploration=1.5, cap=0.9, sharpness=sharpness)
    times, seen, rewards = random.random(200), random.integers(50, size=200), random.random(200)
    policy.update(times, seen, rewards)
    x = np.linspace(-1, 3, 50)
    mean, std = formulas(x, x[seen], 1.2 - times, rewards, 0.5, time_scale, 1e-4, sharpness)
    np.testing.assert_allclose(policy.estimate(1.2), (mean, std), rtol=1e-10)
    np.testing.assert_allclose(policy.estimate(1.2, arms=[4, 4, 0]), (mean[[4, 4, 0]], std[[4, 4, 0]]), rtol=1e-10)
    np.testing.assert_allclose(policy.index(1.2), np.minimum(mean + 1.5 * std, 0.9), rtol=1e-10)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([0.1, 1.0]),
    st.sampled_from([0.03, 1.0, 30.0]),
    st.sampled_from([1e-12, 1e-7, 1e-3]),
    st.integers(1, 3),
    st.sampled_from(["steady", "irregular", "jumping", "late", "standing"]),
    st.sampled_from([1, 2]),
    st.integers(0, 2**32 - 1),
)
def test_the_arm_of_the_largest_index_is_played_round_after_round(
    length_scale, time_scale, noise_variance, sharpness, clock, dimension, seed
):
    """Over rounds in which old observations are summed ahead of time, whatever the clock does."""
    random = np.random.default_rng(seed)
    arms = qd.Arms(random.random((60, dimension)))
    policy = qd.QuickDraw(arms, length_scale, time_scale, noise_variance, sharpness=sharpness, cap=None, seed=0)
    n = 200
    policy.update(np.arange(n) * 1e-3, random.integers(60, size=n), random.random(n))
    time = n * 1e-3
    for _ in range(60):
        if clock == "irregular":
            time += 1e-3 * random.exponential()
        elif clock == "jumping":
            time = random.random()
        elif clock != "standing":
            time += 1e-3
        arm = policy.select(time)
        index = policy.index(time)
        assert index[arm] >= index.max() - 1e-12 * abs(index.max())
        pulled = time - 0.05 * random.random() if clock == "late" else time
        # Rewards leave the range they had, so that what was summed before is in other units.
        policy.update(pulled, arm, random.normal(scale=3.0))


@pytest.mark.parametrize(
    "rewards", [[0.0, 1e-320], [0.5, 0.5], [-1e308, 1e308], [1e300, 1e300], [1e-200, 3e-200], [0.1, 1e20]]
)
@pytest.mark.parametrize("exploration", [0.0, 2.0, 1e200])
@pytest.mark.parametrize("cap", [None, 1.0])
def test_rewards_of_any_size_are_compared_right(rewards, exploration, cap):
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 300), exploration=exploration, cap=cap, seed=0)
    random = np.random.default_rng(0)
    policy.update(np.arange(200) * 1e-3, random.integers(300, size=200), random.choice(rewards, 200))
    for time in (0.2, 0.201, 0.205):
        index = policy.index(time)
        assert index[policy.select(time)] >= index.max() - 1e-12 * abs(index.max())


@pytest.mark.parametrize("n_arms", [64, 100, 300, 1025])
@pytest.mark.parametrize(
    ("arguments", "old"),
    [
        ({}, -1e16),
        ({"time_scale": 1e-3}, -1e13),
        ({"length_scale": 10.0, "noise_variance": 1e-12}, -3e13),
        ({"sharpness": 3}, -1e9),
        ({"exploration": 0.0}, -1e300),
    ],
)
def test_an_observation_from_the_distant_past_does_no_harm(n_arms, arguments, old):
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, n_arms), **{"exploration": 0.1, "seed": 0, **arguments})
    policy.update([old, 0.0, 0.0, 0.0], [0, n_arms // 2, 0, n_arms - 1], [0.5, 0.9, 0.1, 0.1])
    for time in (0.0, 1e-3, 1e300):
        index = policy.index(time)
        assert index[policy.select(time)] >= index.max() - 1e-12 * abs(index.max())


@pytest.mark.parametrize(("start", "step"), [(1e12, 2.0**-13), (1.7e18, 1e3), (1.7e9, 1e-3), (-5.0, 1e-3)])
@pytest.mark.parametrize("sharpness", [1, 3])
def test_clocks_far_from_zero_are_served(start, step, sharpness):
    """Times whose steps are near the resolution of float64, where moments ahead cannot be named exactly."""
    random = np.random.default_rng(0)
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 80), time_scale=1000 * step, noise_variance=1e-3, sharpness=sharpness)
    policy.update(start + np.arange(200) * step, random.integers(80, size=200), random.random(200))
    for k in range(200, 260):
        time = start + k * step
        index = policy.index(time)
        arm = policy.select(time)
        assert index[arm] >= index.max() - 1e-12 * abs(index.max())
        policy.update(time, arm, random.random())


def test_a_copy_plays_on_without_compiling_anew():
    """Compiled code depends on whether an array may be written to, so that a copy's must be as the original's."""
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 50), seed=0)
    policy.update(0.0, 3, 0.5)
    twins = [copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))]
    chosen = [policy.select(0.1) for _ in range(5)]
    for twin in twins:
        assert not twin.arms.points.flags.writeable
        assert [twin.select(0.1) for _ in range(5)] == chosen


def test_before_any_observation_every_arm_is_as_likely():
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 4), seed=0)
    counts = np.bincount([policy.select(0.0) for _ in range(4000)], minlength=4)
    # 4000 draws at 1/4: standard deviation 27; five of them allowed.
    assert np.abs(counts - 1000).max() < 137
    mean, std = policy.estimate(0.0)
    assert np.isnan(mean).all()
    assert np.isposinf(std).all()
    assert policy.index(0.0).tolist() == [1.0] * 4


def test_ties_are_broken_uniformly():
    """One observation in the middle: both ends are farthest, and equal by symmetry."""
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 7), cap=None, seed=0)
    policy.update(0.0, 3, 0.5)
    counts = np.bincount([policy.select(0.1) for _ in range(2000)], minlength=7)
    assert set(np.flatnonzero(counts)) == {0, 6}
    # 2000 draws at 1/2: standard deviation 22; five of them allowed.
    assert abs(counts[0] - 1000) < 112


def test_arms_at_the_cap_are_tied():
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 9), exploration=100.0, seed=0)
    policy.update(0.0, 4, 0.5)
    counts = np.bincount([policy.select(0.5) for _ in range(4500)], minlength=9)
    # All nine reach the cap: 4500 draws at 1/9, standard deviation 21; five of them allowed.
    assert np.abs(counts - 500).max() < 106


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_late_and_out_of_order_observations_count_at_their_own_time(n, seed):
    random = np.random.default_rng(seed)
    arms = qd.Arms.grid(-1, 1, 30)
    times, seen, rewards = np.sort(random.random(n)), random.integers(30, size=n), random.random(n)
    shuffled = random.permutation(n)
    ordered, late = qd.QuickDraw(arms), qd.QuickDraw(arms)
    ordered.update(times, seen, rewards)
    late.update(times[shuffled], seen[shuffled], rewards[shuffled])
    np.testing.assert_allclose(ordered.estimate(1.0), late.estimate(1.0), rtol=1e-11)


def test_the_mean_is_a_convex_combination_of_the_rewards():
    random = np.random.default_rng(1)
    policy = qd.QuickDraw(qd.Arms(random.random((100, 3))))
    rewards = random.normal(size=50)
    policy.update(random.random(50), random.integers(100, size=50), rewards)
    mean, _ = policy.estimate(1.0)
    assert mean.min() >= rewards.min() - 1e-12
    assert mean.max() <= rewards.max() + 1e-12


def test_exploration_may_be_a_function_of_the_number_of_observations():
    asked = []

    def schedule(n):
        asked.append(n)
        return 0.25 * n

    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 11), exploration=schedule, cap=None)
    policy.update([0.0, 0.1], [2, 9], [0.3, 0.6])
    mean, std = policy.estimate(0.2)
    np.testing.assert_allclose(policy.index(0.2), mean + 0.5 * std, rtol=1e-12)
    policy.select(0.2)
    assert set(asked) == {2}


def test_a_bad_schedule_raises_and_changes_nothing():
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 11), exploration=lambda n: np.nan)
    policy.update(0.0, 2, 0.3)
    with pytest.raises(ValueError, match="exploration"):
        policy.select(0.1)
    assert policy.n_observations == 1


def test_a_million_observations_load_at_once():
    random = np.random.default_rng(0)
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 100))
    times, seen, rewards = random.random(10**6), random.integers(100, size=10**6), random.random(10**6)
    policy.update(times, seen, rewards)
    assert policy.n_observations == 10**6
    x = np.linspace(-1, 1, 100)
    mean, std = formulas(x[[0, 99]], x[seen], 1.0 - times, rewards)
    np.testing.assert_allclose(policy.estimate(1.0, [0, 99]), (mean, std), rtol=1e-9)


def test_quick_draw_is_the_policy_of_the_package():
    assert qd.QuickDraw is qd.policies.QuickDraw


def test_copies_are_independent():
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 11), seed=0)
    policy.update(0.0, 2, 0.3)
    other = copy.deepcopy(policy)
    other.update(0.1, 3, 0.9)
    assert policy.n_observations == 1
    assert other.n_observations == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"length_scale": 0.0}, "length_scale must be above 0, got 0.0"),
        ({"length_scale": -1.0}, "length_scale must be above 0, got -1.0"),
        ({"length_scale": np.nan}, "length_scale must be a finite number, got nan"),
        ({"length_scale": 1e-60}, "length_scale must be from 1e-50 to 1e"),
        ({"time_scale": -2.0}, "time_scale must be above 0, got -2.0"),
        ({"time_scale": "fast"}, "time_scale must be a finite number, got 'fast'"),
        ({"noise_variance": 0.0}, "noise_variance must be above 0, got 0.0"),
        ({"exploration": -1.0}, "exploration must be at least 0, got -1.0"),
        ({"exploration": np.inf}, "exploration must be a finite number, got inf"),
        ({"cap": np.nan}, "cap must be a finite number, got nan"),
        ({"sharpness": 4}, "sharpness must be an integer from 1 to 3, got 4"),
        ({"sharpness": 1.5}, "sharpness must be an integer from 1 to 3, got 1.5"),
    ],
)
def test_bad_parameters_raise(arguments, message):
    with pytest.raises(ValueError, match=message):
        qd.QuickDraw(qd.Arms.grid(-1, 1, 3), **arguments)


@pytest.mark.parametrize("arms", [[11], [-1], [1.5], [[1]], "all"])
def test_bad_arms_to_estimate_raise(arms):
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 11))
    policy.update(0.0, 2, 0.3)
    with pytest.raises(ValueError, match="arms must"):
        policy.estimate(0.1, arms=arms)


def test_arms_too_far_out_to_square_their_distance_are_refused():
    """The tree engine would search among infinite distances without end."""
    with pytest.raises(ValueError, match=r"points must be at most 1e\+50 units from 0, got 1e\+160"):
        qd.QuickDraw(qd.Arms([[0.0], [0.5], [1e160]], scale=False), engine="tree")
    policy = qd.QuickDraw(qd.Arms.grid(0, 1, 12), engine="tree", seed=0)
    policy.update([0.0, 1.0], [0, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="units from 0"):
        policy.add_arms([[1e160]])
    assert len(policy.arms) == 12
    assert policy.select(2.0) in range(12)


@pytest.mark.parametrize("engine", ["exact", "cached"])
@pytest.mark.parametrize("cap", [None, 0.6])
def test_with_pulls_pending_the_choice_has_the_largest_index_of_all(engine, cap):
    arms, random = qd.Arms.grid(0, 1, 300), np.random.default_rng(1)
    policy = qd.QuickDraw(arms, time_scale=0.3, length_scale=0.2, engine=engine, cap=cap, seed=0)
    policy.update(np.arange(120) * 0.01, random.integers(300, size=120), random.random(120))
    for k in range(30):
        time = 1.3 + 0.001 * k
        arm = policy.select(time)
        index = policy.index(time)
        assert index[arm] >= index.max() - 1e-3 * (engine == "cached") - 1e-9
        policy.expect(time, arm)
