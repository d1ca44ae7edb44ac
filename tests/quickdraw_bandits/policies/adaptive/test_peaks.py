"""Filters of a single peak: who leads, the clock, and the best arms along a line."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.policies.adaptive import peaks, sighting
from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.peak_profile import Profile, Units
from quickdraw_bandits.policies.adaptive.peaks import (
    FAR_BEHIND,
    FARTHEST,
    FIRST,
    LARGEST,
    LEADS,
    MISSED,
    VANISHES,
    YIELDS,
    Peaks,
)
from quickdraw_bandits.policies.adaptive.sighting import Sighting
from quickdraw_bandits.policies.adaptive.space import Space


def clock_of(step):
    found = Clock()
    found.adjust(step * np.arange(10.0))
    return found


def started(step=1.0):
    random = np.random.default_rng(0)
    found = Peaks()
    found.restart(
        step * np.arange(FIRST + 5), random.random(FIRST + 5), random.exponential(size=FIRST + 5), clock_of(step)
    )
    return found


def test_the_peak_leads_after_better_predictions_until_they_are_worse(monkeypatch):
    found = started()
    monkeypatch.setattr(Profile, "height", 3.0)
    expected = 0.0
    for peak, field, counts in ((1000.0, 0.0, 3.0), (-0.5, -3.0, 2.5), (3.0, 0.0, 3.0), (2.0, -1.0, 3.0)):
        assert not found.leads
        found.compare(peak, field)
        expected = expected * (1 - 1 / 150) + counts
        assert found._ahead == pytest.approx(expected)
    assert not found.leads
    found.compare(3.0, 0.0)
    assert found._ahead > LEADS
    assert found.leads
    rounds = 0
    while found.leads:
        found.compare(-np.inf, 0.0)
        rounds += 1
    assert rounds == 12  # 3 each, from 14.3 to below -20
    assert found._ahead < YIELDS
    for _ in range(50):
        found.compare(-np.inf, 0.0)
    assert found._ahead == -LARGEST
    for _ in range(50):
        found.compare(np.inf, 0.0)
    assert found._ahead == LARGEST


@pytest.mark.parametrize("near", [0, 20])
def test_the_field_decides_after_many_rewards_that_are_not_those_of_a_peak(near, monkeypatch):
    monkeypatch.setattr(Profile, "height", 3.0)
    found, clock = started(), clock_of(1.0)
    found.leads, found._ahead = True, LARGEST
    profile, units = found.best.profile, found._units
    low, high = (units.centre + units.unit * value for value in (profile.low, profile.high))
    for k in range(MISSED + near):
        assert found.leads
        # One of a peak begins the count again. No other can be predicted better by a field of density 0.
        found.learn(FIRST + 5.0 + k, 0.5, high if k == near - 1 else low, clock, -1e9)
    assert (found.leads, found._ahead) == (False, 0.0)


def test_far_behind_one_reward_of_three_is_taken_in():
    found = started()
    found._ahead = FAR_BEHIND
    assert not any(found.passes_over() for _ in range(4))
    assert found.contends
    found._ahead = FAR_BEHIND - 0.1
    assert [found.passes_over() for _ in range(6)] == [True, True, False] * 2
    assert not found.contends


def test_a_peak_that_vanishes_leads_no_longer(monkeypatch):
    found, clock = started(), clock_of(1.0)
    found.leads = True
    monkeypatch.setattr(Profile, "height", VANISHES - 0.1)
    found.learn(FIRST + 5.0, 0.5, 0.3, clock, None)
    assert not found.leads


def test_a_peak_that_does_not_stand_out_never_leads(monkeypatch):
    found = started()
    monkeypatch.setattr(Profile, "height", 1.9)
    for _ in range(20):
        found.compare(3.0, 0.0)
    assert not found.leads


@pytest.mark.parametrize("gaps", [[1.0] * 12, [0.25] * 40, [0.4, 2.7, 0.1, 0.1, 1.2, 0.0]])
def test_the_filter_keeps_up_with_any_clock(gaps, monkeypatch):
    monkeypatch.setattr(peaks, "TOGETHER", 1000)
    found, clock, time = started(), clock_of(1.0), float(FIRST + 4)
    for gap in gaps:
        time += gap
        found.learn(time, 0.5, 0.3, clock, None)
        steps = sum(each.steps for each in found._waiting)
        assert abs(FIRST + 4 + steps - time) <= 0.5 + 1e-9
    assert len(found._waiting) == len(gaps)


def test_a_long_time_later_the_peak_may_be_anywhere():
    found, clock = started(), clock_of(1.0)
    far = found.at(1e9, clock).chances.sum(axis=0)
    assert far.max() < 1.2 * far.mean()
    found.learn(1e9, 0.5, 0.3, clock, None)
    found.learn(1e9 + 2, 0.5, 0.3, clock, None)
    assert [each.steps for each in found._waiting] == [FARTHEST, 2]


def test_pulls_before_the_latest_are_passed_over():
    found, clock = started(), clock_of(1.0)
    found.learn(3.0, 0.5, 9.0, clock, None)
    assert found._waiting == []


def test_rewards_taken_in_together_are_those_taken_in_one_by_one(monkeypatch):
    clock, random = clock_of(1.0), np.random.default_rng(4)
    together, alone = started(), started()
    rewards = random.exponential(size=80)
    for k, reward in enumerate(rewards.tolist()):
        given = FIRST + 5.0 + k, float(random.random()), reward, clock, -1.0
        monkeypatch.setattr(peaks, "TOGETHER", 8)
        together.learn(*given)
        monkeypatch.setattr(peaks, "TOGETHER", 1)
        alone.learn(*given)
    for one, other in zip(together._filters, alone._filters, strict=True):
        np.testing.assert_allclose(one.chances, other.chances, rtol=1e-9, atol=1e-300)
        assert one.profile == pytest.approx(other.profile)
        assert one.score == pytest.approx(other.score)
    # Who has predicted best may change within eight rewards, so that the sums differ a little.
    assert together._ahead == pytest.approx(alone._ahead, abs=1.5)
    assert together._ahead < 0


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n_arms=st.integers(1, 300), few=st.integers(4, 64), part=st.floats(0.05, 1))
def test_of_many_arms_the_best_is_found(seed, n_arms, few, part):
    random = np.random.default_rng(seed)
    places = random.random(n_arms)
    # One likely place, so that expected rewards have one maximum over the line, as is assumed of many arms.
    chances = np.full((13, 35), 1e-9)
    chances[6, random.integers(35)] = 1
    seen = Sighting(chances / chances.sum(), 0.06, Profile(0.0, 1.0, 0.1, 0.1), Units(5.0, 2.0))
    space = Space(qd.Arms(places if n_arms > 1 else [places[0]]))
    allowed = np.flatnonzero(random.random(n_arms) < part)
    among = None if len(allowed) == 0 else Subset(n_arms, positions=allowed)
    every = np.arange(n_arms) if among is None else allowed
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sighting, "FEW", few)
        arms, values = seen.best_arms(space, among)
        if among is not None:
            mask = Subset(n_arms, mask=among.mask)
            np.testing.assert_array_equal(seen.best_arms(space, mask)[0], arms)
    mean, _ = seen.estimate(space.places(every)[:, 0])
    np.testing.assert_array_equal(arms, every[mean >= mean.max() - 1e-9])
    np.testing.assert_allclose(values, mean.max(), atol=1e-9)
    rewards, _ = seen.rewards(space.places(every)[:, 0])
    np.testing.assert_allclose(rewards, 5 + 2 * mean)
