"""Rewards that are judged again by all others: against models that were never given them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive import hindsight, sample
from quickdraw_bandits.policies.adaptive.belief import Belief
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.pool import Pool
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate

CENTRE, UNIT = 3.0, 2.0


def observations(n, seed, repeats=1):
    """Return places, times (the latest first) and values of n observations, some of them almost the same."""
    random = np.random.default_rng(seed)
    places, times = random.random(n), -np.sort(random.random(n)) * 60
    places, times = np.repeat(places, repeats), np.repeat(times, repeats)
    values = np.sin(7 * places) / 2 + 0.1 * random.standard_normal(len(places))
    return places, times, np.clip(values, -1, 1)


def sample_of(places, times, values):
    n = len(values)
    arms = np.round(1000 * places).astype(np.int64)
    nothing = np.zeros(n)
    return SpaceTimeSample(places[:, None], np.ones(n), values, nothing, times, arms, np.empty((0, 0)), np.arange(n))


def believed(sample, candidate):
    model = Model(sample.condensed(candidate, 450), candidate)
    model.prepare()
    return Belief(model, CENTRE, UNIT, 1.0)


def pool_of(values, seen=None):
    pool = Pool(600)
    n, seen = len(values), values if seen is None else seen
    pool.append(np.arange(n, dtype=float), np.zeros(n, dtype=np.int64), CENTRE + UNIT * values, CENTRE + UNIT * seen)
    return pool


def left_one_out(places, times, values, candidate, level, signal):
    """Return what the others say of each value: a plain Gaussian process on all but one, with noise on each."""
    squared = (places[:, None] - places) ** 2 / candidate.length**2 + (times[:, None] - times) ** 2 / candidate.age**2
    correlations = {
        "rough": lambda q: 1 / (1 + q / 2),
        "medium": lambda q: (1 + q / 8) ** -4,
        "smooth": lambda q: (1 + q / 32) ** -16,
    }[candidate.family](squared)
    found = []
    for k in range(len(values)):
        others = np.arange(len(values)) != k
        inner = correlations[np.ix_(others, others)] + candidate.noise * np.eye(others.sum())
        weights = np.linalg.solve(inner, correlations[others, k])
        variance = 1 - weights @ correlations[others, k] + candidate.noise
        found.append((level + weights @ (values[others] - level), np.sqrt(signal * variance)))
    return np.array(found).T


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([3, 20, 60]),
    st.sampled_from(["rough", "medium", "smooth"]),
    st.sampled_from([0.03, 0.3, 3.0]),
    st.sampled_from([1, 3]),
)
def test_a_reward_counts_as_plain_models_of_all_others_say(seed, n, family, noise, repeats):
    places, times, values = observations(n, seed, repeats)
    candidate = Candidate(family, 0.2, 40.0, noise, 1)
    values[seed % len(values)] = 1.0 - 2.0 * (seed % 2)
    # Only observations of one point are merged, so that plain models need not know where the merged ones are.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "MERGED", 1e-12)
        belief = believed(sample_of(places, times, values), candidate)
    assert len(belief.model.sample) == n
    pool = pool_of(values)
    hindsight.judge(belief, pool)

    mean, deviation = left_one_out(places, times, values, candidate, belief.model.level, belief.model.signal)
    sides = np.where(np.abs(values - mean) > 3 * deviation, np.sign(values - mean), 0)
    padded = [0, *sides.tolist(), 0]
    far = np.array([side not in (0, before, after) for before, side, after in zip(padded, sides, padded[2:])])  # noqa: B905
    counted = np.where(far, mean + np.sign(values - mean) * deviation, values)
    assert far.any() == (pool.rewards != pool.seen).any()
    close_call = np.abs(np.abs(values - mean) - 3 * deviation) < 1e-6
    np.testing.assert_allclose(pool.rewards[~close_call], (CENTRE + UNIT * counted)[~close_call], rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(pool.seen, CENTRE + UNIT * values)


def lonely_error():
    """Return observations of which one is far from its neighbours, and the belief."""
    places, times, values = observations(60, 4)
    values[20] = values[20] - 1.0
    candidate = Candidate("smooth", 0.2, 40.0, 0.1, 1)
    return values, believed(sample_of(places, times, values), candidate)


def test_a_reward_far_from_its_neighbours_is_bounded_and_no_other():
    values, belief = lonely_error()
    pool = pool_of(values)
    assert hindsight.judge(belief, pool)
    assert np.flatnonzero(pool.rewards != pool.seen).tolist() == [20]


@pytest.mark.parametrize(("second", "bounded"), [(-1.0, []), (1.0, [20, 21]), (0.0, [20])])
def test_two_in_a_row_on_one_side_may_be_a_change_and_count_as_they_were_seen(second, bounded):
    places, times, values = observations(60, 4)
    values[20] -= 1.0
    values[21] += second
    pool = pool_of(values)
    hindsight.judge(believed(sample_of(places, times, values), Candidate("smooth", 0.2, 40.0, 0.1, 1)), pool)
    assert np.flatnonzero(pool.rewards != pool.seen).tolist() == bounded


def test_a_reward_that_was_bounded_without_need_counts_as_it_was_seen_again():
    places, times, values = observations(60, 4)
    used = values.copy()
    used[20] -= 0.4
    belief = believed(sample_of(places, times, used), Candidate("smooth", 0.2, 40.0, 0.1, 1))
    pool = pool_of(used, values)
    assert hindsight.judge(belief, pool)
    np.testing.assert_array_equal(pool.rewards, pool.seen)


def test_what_hardly_moves_stays_and_nothing_has_changed():
    values, belief = lonely_error()
    used = values.copy()
    pool = pool_of(values)
    hindsight.judge(belief, pool)
    places, times, _ = observations(60, 4)
    for _ in range(5):  # the one that counts as another changes what is expected of it, a little less each time
        used[20] = (pool.rewards[20] - CENTRE) / UNIT
        belief = believed(sample_of(places, times, used), belief.model.candidate)
        hindsight.judge(belief, pool)
    used[20] = (pool.rewards[20] - CENTRE) / UNIT + 1e-4
    again = pool_of(used, values)
    assert not hindsight.judge(believed(sample_of(places, times, used), belief.model.candidate), again)
    np.testing.assert_array_equal(again.rewards, CENTRE + UNIT * used)


@pytest.mark.parametrize("other", [{"noise": 1e-5}, {"family": "jagged"}, {"share": 0.1}])
def test_without_noise_and_where_a_single_arm_may_be_far_better_nothing_is_judged(other):
    values, belief = lonely_error()
    pool = pool_of(values)
    candidate = replace(belief.model.candidate, **other)
    places, times, _ = observations(60, 4)
    assert not hindsight.judge(believed(sample_of(places, times, values), candidate), pool)
    np.testing.assert_array_equal(pool.rewards, pool.seen)


def test_means_of_several_rewards_are_not_judged():
    values, belief = lonely_error()
    pool = pool_of(values)
    pool.counts[20] = 2.0
    before = pool.rewards.copy()
    assert not hindsight.judge(belief, pool)
    np.testing.assert_array_equal(pool.rewards, before)


def told(seed, errors):
    """Return a policy that was told 120 rewards, of which some have errors, and made a choice."""
    random = np.random.default_rng(seed)
    arms, times = random.integers(200, size=120), np.arange(120.0)
    rewards = np.sin(arms / 30) + 0.1 * random.standard_normal(120)
    wrong = random.choice(120, errors, replace=False)
    rewards[wrong] += 2.5 * random.choice([-1, 1], errors)
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 200), seed=seed)
    for time, arm, reward in zip(times.tolist(), arms.tolist(), rewards.tolist(), strict=True):
        policy.update(time, arm, reward)
    return policy, wrong


def test_errors_in_a_log_are_found_when_the_first_choice_is_made():
    found = 0
    for seed in range(6):
        policy, wrong = told(seed, errors=6)
        assert (policy._pool.rewards == policy._pool.seen).all()
        policy.select(120.0)
        bounded = np.flatnonzero(policy._pool.rewards != policy._pool.seen)
        if policy.scales.family == "jagged" or policy.scales.own_level > 0:  # then they may well be true
            assert len(bounded) == 0
            continue
        found += 1
        assert set(wrong.tolist()) <= set(bounded.tolist())
        assert len(bounded) <= len(wrong) + 3
    assert found >= 4


def test_only_many_rewards_that_were_not_compared_on_arrival_are_judged(monkeypatch):
    judged = []
    plain = hindsight.judge
    monkeypatch.setattr(hindsight, "judge", lambda belief, pool: judged.append(len(pool.times)) or plain(belief, pool))
    policy, random = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 60), seed=0), np.random.default_rng(3)

    def tell(time, arm):
        policy.update(time, arm, np.sin(arm / 10) + 0.1 * random.standard_normal())

    for time in range(200):
        tell(time, policy.select(time))
    first = judged.copy()
    assert set(first) == {100}  # the first rewards, as soon as a hundred have changed
    for time in range(200, 231):  # told as a log is, one fewer than it takes
        tell(time, int(random.integers(60)))
    tell(231, policy.select(231))
    assert judged == first
    tell(232, int(random.integers(60)))
    policy.select(233)
    assert judged[len(first)] == len(policy._pool.times)


def test_asking_changes_nothing_and_probabilities_are_those_of_the_choice():
    policy, _ = told(1, errors=6)
    before = policy._pool.rewards.copy()
    probabilities = policy.probabilities(120.0)
    np.testing.assert_array_equal(policy._pool.rewards, before)
    assert probabilities[policy.select(120.0)] > 0
    assert (policy._pool.rewards != before).any()


def test_rewards_that_repeat_are_never_judged():
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 50), seed=0)
    random = np.random.default_rng(2)
    for time in range(300):
        policy.update(time, policy.select(time), float(random.random() < 0.3))
    np.testing.assert_array_equal(policy._pool.rewards[policy._pool.counts == 1] % 1, 0.0)
