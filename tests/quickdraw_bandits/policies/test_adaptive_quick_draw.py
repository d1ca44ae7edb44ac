"""The policy that learns its scales."""

import copy
import pickle

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive import shortlist
from quickdraw_bandits.policies.adaptive.shortlist import SLACK


def drifting(arm_x, time):
    """Two hills that move."""
    return np.exp(-((arm_x - 0.3 - 0.2 * np.sin(time)) ** 2) / 0.02) + 0.8 * np.exp(-((arm_x - 0.8) ** 2) / 0.01)


def play(arms, rounds, step=1.0, unit=1.0, offset=0.0, start=0.0):
    policy = qd.AdaptiveQuickDraw(arms, seed=3)
    x = np.linspace(0, 1, len(arms))
    noise = np.random.default_rng(1).normal(size=rounds) * 0.05
    chosen = []
    for k in range(rounds):
        arm = policy.select(start + k * step)
        policy.update(start + k * step, arm, offset + unit * (drifting(x[arm], k * 0.05) + noise[k]))
        chosen.append(arm)
    return chosen, policy


@pytest.mark.parametrize("step", [1e-6, 1e6])
@pytest.mark.parametrize(("unit", "offset"), [(0.01, -3.0), (100.0, 50.0)])
def test_the_units_of_clock_and_rewards_change_no_choice(step, unit, offset):
    arms = qd.Arms.grid(-1, 1, 80)
    usual, policy = play(arms, 120)
    other, scaled = play(arms, 120, step, unit, offset)
    assert other == usual
    assert scaled.scales.time_scale == pytest.approx(policy.scales.time_scale * step)
    assert scaled.scales.gamma == pytest.approx(policy.scales.gamma * unit)
    assert scaled.scales.noise == pytest.approx(policy.scales.noise * unit)


def test_the_units_of_distance_change_no_choice():
    usual, policy = play(qd.Arms.grid(-1, 1, 80), 100)
    raw, other = play(qd.Arms.grid(-1000, 1000, 80, scale=False), 100)
    assert raw == usual
    assert other.scales.length_scale == pytest.approx(2000 * policy.scales.length_scale)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "haversine", "precomputed"])
def test_every_metric_is_played(metric):
    random = np.random.default_rng(0)
    points = random.uniform(0.1, 1.4, size=(60, 2))
    value = np.sin(3 * points[:, 0]) + points[:, 1]
    if metric == "precomputed":
        points = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    policy = qd.AdaptiveQuickDraw(qd.Arms(points, metric=metric), seed=0)
    paid = []
    for k in range(120):
        arm = policy.select(float(k))
        policy.update(float(k), arm, value[arm])
        paid.append(value[arm])
    middle = np.median(value)
    assert np.mean(paid[60:]) > middle + 0.5 * (value.max() - middle)


def test_distances_that_are_of_no_space_are_played():
    random = np.random.default_rng(0)
    matrix = random.random((30, 30)) ** 3
    matrix = matrix + matrix.T
    np.fill_diagonal(matrix, 0.0)
    policy = qd.AdaptiveQuickDraw(qd.Arms(matrix, metric="precomputed"), seed=0)
    for k in range(60):
        arm = policy.select(float(k))
        policy.update(float(k), arm, float(arm))
    assert np.isfinite(policy.index(60.0)).all()


def test_the_arm_selected_has_the_largest_index():
    for rounds in (1, 5, 40, 150):
        _, policy = play(qd.Arms.grid(-1, 1, 200), rounds)
        arm = policy.select(float(rounds))
        index = policy.index(float(rounds))
        assert index.max() - index[arm] <= 1e-3 * policy.scales.gamma


@pytest.mark.parametrize("noise", [0.0, 0.15])
def test_what_is_selected_has_the_largest_index_in_every_round(noise):
    """Also where scales have just changed, and where the index has less than one deviation."""
    env = qd.environments.RandomField(0.03, 0.01, 1.0, noise, n_arms=200, n_rounds=400, seed=4)
    policy = qd.AdaptiveQuickDraw(env.arms, seed=0)
    factors, learned = set(), set()
    for k, time in enumerate(env.times[:250].tolist()):
        arm = policy.select(time)
        policy.update(time, arm, env.pull(k, arm))
        arm, again = policy.select(time), policy.select(time)
        mean, deviation = policy.estimate(time)
        index = policy.index(time)
        span = max(np.ptp(policy.observations[2]), 1e-3)
        assert index[arm] >= index.max() - 1e-6 * span
        assert index[again] >= index.max() - 1e-6 * span
        unsure = int(deviation.argmax())
        factor = (index[unsure] - mean[unsure]) / deviation[unsure]
        # Far from all observations the mean is the level of all rewards, and the index exceeds it by gamma.
        assert policy.scales.gamma >= factor * deviation[unsure] * (1 - 1e-9)
        factors.add(round(factor, 3))
        learned.add((policy.scales.length_scale, policy.scales.time_scale, policy.scales.family))
    assert len(learned) > 3
    if noise == 0:
        assert min(factors) < 0.9
    assert min(factors) > 0
    # With noise the deviation is averaged over scales, and may be below that of the scales in use.
    assert max(factors) <= (1.801 if noise == 0 else 4.0)


def test_gamma_is_what_an_arm_of_which_nothing_is_known_is_above_the_level():
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 300), seed=0)
    policy.update(np.arange(40.0), np.arange(40), np.sin(np.arange(40.0)))
    policy.select(40.0)
    later = 1e8  # when all that was seen says nothing any more
    # Arms that were played may have a level of their own, which lasts.
    belief = policy._model(later, 0)
    level = belief.centre + belief.unit * belief.model.level
    assert level != policy._pool.average
    np.testing.assert_allclose(policy.index(later)[40:], level + policy.scales.gamma, rtol=1e-6)


def test_where_the_best_arms_are_alike_less_is_explored():
    """Most arms pay about the most there is, and a few much less: the average is close to the largest reward."""
    pays = np.ones(100)
    pays[::10] = 0.0
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 100), seed=0)
    policy.update(np.arange(200.0), np.arange(200) % 100, np.tile(pays, 2))
    reverse = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 100), seed=0)
    reverse.update(np.arange(200.0), np.arange(200) % 100, -np.tile(pays, 2))
    factors = []
    for each in (policy, reverse):
        each.select(200.0)
        deviation = each.estimate(200.0)[1]
        factors.append(np.median((each.index(200.0) - each.estimate(200.0)[0]) / deviation))
    assert factors[0] < 0.7 * factors[1]


def held(seed=0):
    """Return a policy that stays at an arm, and the time."""
    policy, random = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 50), seed=seed), np.random.default_rng(seed)
    for k in range(1500):
        arm = policy.select(float(k))
        policy.update(float(k), arm, float(random.random() < 0.05 + 0.1 * (arm > 30)))
    while not policy._stay or not policy._stay.lasts(k + 1.0, policy.n_observations + 1):
        k += 1
        arm = policy.select(float(k))
        policy.update(float(k), arm, float(random.random() < 0.05 + 0.1 * (arm > 30)))
    return policy, k + 1.0


def test_a_stay_ends_where_the_choice_is_among_others_or_pulls_are_pending(tmp_path):
    policy, time = held()
    arm = policy._stay.arm
    assert policy.probabilities(time)[arm] == 1.0
    qd.save(policy, tmp_path / "policy.qd")
    assert qd.load(tmp_path / "policy.qd").select(time) == policy.select(time) == arm
    others = np.delete(np.arange(50), arm)
    assert copy.deepcopy(policy).select(time, among=others) != arm
    assert len(set(policy.select(time, count=4).tolist())) == 4
    assert policy.select(time) == arm
    policy.expect(np.full(200, time), np.full(200, arm))
    assert policy.select(time) != arm


def test_asking_changes_nothing():
    _, policy = play(qd.Arms.grid(-1, 1, 50), 40)
    twin = copy.deepcopy(policy)
    policy.estimate(40.0)
    policy.index(41.0, [3, 4])
    policy.explain(40.0, 7)
    policy.probabilities(40.0)
    assert policy.scales == twin.scales
    assert [policy.select(t) for t in (40.0, 41.0)] == [twin.select(t) for t in (40.0, 41.0)]


def test_estimates_of_some_arms_are_those_of_all():
    _, policy = play(qd.Arms.grid(-1, 1, 50), 40)
    for all_, some in zip(policy.estimate(40.0), policy.estimate(40.0, [4, 40, 4]), strict=True):
        np.testing.assert_allclose(some, all_[[4, 40, 4]], rtol=1e-9)


def test_an_explanation_adds_up_to_the_mean():
    _, policy = play(qd.Arms.grid(-1, 1, 50), 60)
    why = policy.explain(60.0, 12, most=1000)
    mean, deviation = policy.estimate(60.0, [12])
    belief = policy._model(60.0, 0)
    level = belief.centre + belief.unit * belief.model.level
    assert why.mean == mean[0] == pytest.approx(level + np.sum(why.weights * (why.rewards - level)))
    assert (why.deviation, why.index) == (deviation[0], policy.index(60.0, [12])[0])
    assert (np.diff(np.abs(why.weights)) <= 0).all()
    np.testing.assert_allclose(why.ages, 60.0 - why.times)
    np.testing.assert_allclose(why.distances, np.abs(why.arms - 12) / 49)
    assert len(policy.explain(60.0, 12, most=3).weights) == 3


def test_a_history_is_in_time_before_the_first_choice():
    """What is asked of a loaded history does not count all of it as equally old."""
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 30), seed=0)
    policy.update(np.arange(200.0), np.full(200, 10), np.repeat([0.0, 1.0], 100))
    assert policy.estimate(200.0, [10])[0] > 0.9


def test_before_any_observation_nothing_is_known():
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 4), seed=0)
    assert policy.scales is None
    mean, deviation = policy.estimate(0.0)
    assert np.isnan(mean).all()
    assert np.isinf(deviation).all()
    assert np.isinf(policy.index(0.0)).all()
    assert len(policy.explain(0.0, 1).weights) == 0
    assert {qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 4), seed=s).select(0.0) for s in range(30)} == {0, 1, 2, 3}


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_distances_of_any_size_are_played(size):
    usual, policy = play(qd.Arms.grid(0, 1, 30), 60)
    other, scaled = play(qd.Arms(np.linspace(0, 1, 30)[:, None] * [size], scale=False), 60)
    assert other == usual
    assert scaled.scales.length_scale == pytest.approx(size * policy.scales.length_scale)


def test_one_arm_and_duplicate_arms():
    policy = qd.AdaptiveQuickDraw(qd.Arms([[1.0, 2.0]]), seed=0)
    policy.update([0.0, 1.0], [0, 0], [1.0, 2.0])
    assert policy.select(2.0) == 0
    policy = qd.AdaptiveQuickDraw(qd.Arms([[0.0]] * 4 + [[1.0]] * 4), seed=0)
    policy.update(np.arange(20.0), np.arange(20) % 8, (np.arange(20) % 8 >= 4) * 1.0)
    chosen = [policy.select(20.0) for _ in range(60)]
    assert set(chosen) == {4, 5, 6, 7}


def test_all_observations_at_one_time():
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 20), seed=0)
    policy.update(np.full(20, 5.0), np.arange(20), np.arange(20) / 20)
    assert policy.select(5.0) == 19
    assert policy.select(6.0) == 19


def test_rewards_may_arrive_late_and_in_any_order():
    times, arms = np.arange(100.0), np.random.default_rng(0).integers(30, size=100)
    rewards = drifting(arms / 29, times * 0.05)
    ordered, mixed = (qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 30), seed=0) for _ in range(2))
    ordered.update(times, arms, rewards)
    late = np.random.default_rng(1).permutation(100)
    mixed.update(times[late], arms[late], rewards[late])
    assert ordered.select(100.0) == mixed.select(100.0)
    np.testing.assert_allclose(ordered.index(100.0), mixed.index(100.0), rtol=1e-6)


def test_it_survives_pickling():
    _, policy = play(qd.Arms.grid(-1, 1, 50), 40)
    twin = pickle.loads(pickle.dumps(policy))
    assert [policy.select(t) for t in (40.0, 41.0)] == [twin.select(t) for t in (40.0, 41.0)]


def test_a_shortlist_holds_the_best_of_many_arms():
    points = np.random.default_rng(0).random((6000, 2))
    arms = qd.Arms(points)
    policy = qd.AdaptiveQuickDraw(arms, seed=0)
    short = []
    for k in range(150):
        arm = policy.select(float(k))
        x, y = points[arm]
        policy.update(float(k), arm, float(np.exp(-((x - 0.3) ** 2 + (y - 0.6 - 0.001 * k) ** 2) / 0.05)))
        if k % 10 == 9:
            twin = copy.deepcopy(policy)
            chosen = twin.select(float(k + 1))
            index = twin.index(float(k + 1))  # with the scales of the choice
            short.append((index.max() - index[chosen]) / twin.scales.gamma)
    assert len(arms) > shortlist.FEW
    assert max(short) <= SLACK + 1e-9
    assert np.exp(-np.sum((points[arm] - [0.3, 0.75]) ** 2) / 0.05) > 0.9


def test_among_very_many_arms_exploration_goes_everywhere():
    """Rewards are noise but for a tenth of the arms, which is far from where the tree begins."""
    arms = qd.Arms.grid(0, 1, 20000)
    found = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        policy = qd.AdaptiveQuickDraw(arms, seed=seed)
        chosen = []
        for k in range(150):
            chosen.append(policy.select(float(k)))
            good = abs(arms.points[chosen[-1], 0] - 0.8) < 0.05
            policy.update(float(k), chosen[-1], float(random.normal() + 4 * good))
        found.append(np.mean(np.abs(np.array(chosen[75:]) / 20000 - 0.8) < 0.05))
    # A tenth by chance; above a half on average with arms few enough to be looked at all, over these seeds.
    assert np.mean(found) > 0.4


def speeding_up(seed, n_arms=150, rounds=500):
    """A field whose drift is ten times as fast in the second half."""
    slow = np.arange(rounds // 2) * 0.001
    times = np.concatenate([slow, slow[-1] + 0.01 * np.arange(1, rounds // 2 + 1)])
    from quickdraw_bandits.environments.plane_waves import gaussian_waves

    arms = qd.Arms.grid(-1, 1, n_arms)
    field = gaussian_waves(0.3, 0.2, seed).on_grid(arms.points[:, 0], times)
    return qd.environments.Recorded((field - field.min()) / np.ptp(field), arms)


@pytest.mark.slow
def test_a_drift_that_speeds_up_is_followed():
    """Regret in the second half is below that of the fixed parameters that are best for the first half, on average."""
    fixed = [
        {"time_scale": t, "length_scale": x, "noise_variance": r}
        for t in (0.1, 1.0, 3.0)
        for x in (0.3, 1.0)
        for r in (1e-7, 1e-3)
    ]
    learned, best = [], []
    for seed in range(1000, 1004):
        env = speeding_up(seed)
        half = env.n_rounds // 2
        halves = []
        for parameters in fixed:
            regret = qd.simulate(qd.QuickDraw(env.arms, seed=0, **parameters), env, warmup=50).regret
            halves.append((regret[50:half].mean(), regret[half:].mean()))
        best.append(min(halves)[1])
        trace = qd.simulate(qd.AdaptiveQuickDraw(env.arms, seed=0), env, warmup=50)
        learned.append(trace.regret[half:].mean())
        assert len(trace.scales) == env.n_rounds - 50
    assert np.mean(learned) < 0.9 * np.mean(best)


@pytest.mark.parametrize(
    "points",
    [
        np.append(np.linspace(0, 1, 100), 1e3),  # one arm far from all others
        np.concatenate([np.linspace(0, 1, 100), 1e3 + np.linspace(0, 1, 100)]),  # two clusters
    ],
)
def test_arms_that_crowd_are_told_apart(points):
    """Chance pays 0.25 on average among the first hundred, and nothing among the others."""
    policy = qd.AdaptiveQuickDraw(qd.Arms(points), seed=0)
    paid = []
    for k in range(120):
        arm = policy.select(float(k))
        paid.append(float(np.exp(-((points[arm] - 0.3 - 0.002 * k) ** 2) / 0.02)))
        policy.update(float(k), arm, paid[-1])
    assert np.mean(paid[60:]) > 0.85
