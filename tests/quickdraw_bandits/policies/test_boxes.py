"""What policies promise in a continuum: pending pulls, several arms at once, files, datetimes, threads, questions."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import quickdraw_bandits as qd

BOX = qd.Box([0.0, -1.0], [1.0, 3.0])
NAMES = [name for name in qd.policies.__all__ if name != "Policy"]
IN_BOXES = [name for name in NAMES if getattr(qd.policies, name).plays_boxes]
WITH_ESTIMATES = ["QuickDraw", "AdaptiveQuickDraw"]

every_policy = pytest.mark.parametrize("name", IN_BOXES)
with_estimates = pytest.mark.parametrize("name", WITH_ESTIMATES)


def history(n=40, seed=1):
    random = np.random.default_rng(seed)
    return np.arange(n) * 0.01, random.uniform(BOX.low, BOX.high, (n, 2)), random.random(n)


def learned(name, seed=0, **settings):
    policy = getattr(qd.policies, name)(BOX, seed=seed, **settings)
    policy.update(*history())
    return policy


def play(policy, rounds, start=0.5):
    chosen = []
    for k in range(rounds):
        time = start + 0.01 * k
        arm = policy.select(time)
        policy.update(time, arm, 0.5 + 0.3 * np.sin(3 * arm[0] + arm[1] + time))
        chosen.append(arm.tolist())
    return chosen


@every_policy
def test_a_saved_policy_goes_on_as_it_was(name, tmp_path):
    policy = learned(name)
    play(policy, 10)
    qd.save(policy, tmp_path / "policy.qd")
    loaded = qd.load(tmp_path / "policy.qd")
    assert play(loaded, 15, start=0.7) == play(policy, 15, start=0.7)


@every_policy
def test_a_choice_does_not_change_with_what_the_caller_does_to_it(name):
    changed, left_alone = learned(name), learned(name)
    for k in range(12):
        arm, same = changed.select(0.5 + 0.01 * k), left_alone.select(0.5 + 0.01 * k)
        np.testing.assert_array_equal(arm, same)
        for policy in (changed, left_alone):
            policy.update(0.5 + 0.01 * k, same, 0.5)
        arm[:] = 0.0


@every_policy
def test_threads_may_share_it(name):
    policy = learned(name)

    def work(number):
        for k in range(6):
            time = 0.5 + 0.01 * k + 0.001 * number
            policy.update(time, policy.select(time), 0.5)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, number) for number in range(4)]:
            done.result()
    assert policy.n_observations == 40 + 24


@with_estimates
def test_several_arms_at_once_are_different_and_nothing_stays_pending(name):
    policy = learned(name)
    arms = policy.select(0.5, count=6)
    assert arms.shape == (6, 2)
    assert len({tuple(arm) for arm in arms.tolist()}) == 6
    assert ((arms >= BOX.low) & (arms <= BOX.high)).all()
    assert len(policy.pending[0]) == 0


def test_several_places_are_different_where_one_is_the_best_of_all():
    """A slope without noise: its upper corner stays the best, however many pulls are pending there."""
    policy = qd.AdaptiveQuickDraw(qd.Box([0.0, 0.0], [1.0, 1.0]), seed=0)
    for k in range(30):
        place = policy.select(0.01 * k)
        policy.update(0.01 * k, place, float(place.sum()))
    places = policy.select(0.5, count=8)
    assert len(np.unique(places, axis=0)) == 8
    assert (places >= 0.0).all()
    assert (places <= 1.0).all()


class AtOnePlace(qd.policies.Policy):
    """Always plays the same place."""

    plays_boxes = True

    def _select(self, time, among=None):
        return self.arms.high.copy()

    def _update(self, times, arms, rewards):
        pass


@pytest.mark.parametrize(("low", "high", "different"), [(1e15, 1e15 + 1, 5), (1e16, 1e16 + 2, 2), (0.0, 1.0, 5)])
def test_several_places_in_a_box_of_few_numbers(low, high, different):
    """Numbers near 1e15 are an eighth apart: a thousandth of the box leads nowhere, and near 1e16 there are two."""
    places = AtOnePlace(qd.Box([low], [high]), seed=0).select(0.0, count=5)
    assert len(np.unique(places)) == different
    assert (places >= low).all()
    assert (places <= high).all()


@with_estimates
def test_a_pending_pull_lowers_the_deviation_around_it_and_moves_no_mean(name):
    policy = learned(name)
    arm = policy.select(0.5)
    around = np.clip(np.add(arm, [[0.0, 0.0], [0.01, 0.0], [0.0, -0.02]]), BOX.low, BOX.high)
    mean, deviation = policy.estimate(0.5, arms=around)
    policy.expect(0.5, arm)
    after, lower = policy.estimate(0.5, arms=around)
    np.testing.assert_allclose(after, mean, rtol=1e-6, atol=1e-9)
    assert (lower < deviation).all()
    times, arms = policy.pending
    np.testing.assert_array_equal(arms, [arm])
    policy.update(times[0], arms[0], 0.4)
    assert len(policy.pending[0]) == 0


@with_estimates
def test_an_explanation_is_of_observations_with_their_coordinates(name):
    policy = learned(name)
    arms = policy.observations[1]
    why = policy.explain(0.45, arms[-1], most=5)
    assert why.arms.shape == (5, 2)
    mean, deviation = policy.estimate(0.45, arms=arms[-1:])
    assert why.mean == pytest.approx(float(mean[0]))
    assert why.deviation == pytest.approx(float(deviation[0]))
    assert why.index == pytest.approx(float(policy.index(0.45, arms=arms[-1:])[0]))
    np.testing.assert_allclose(why.distances, np.linalg.norm(why.arms - arms[-1], axis=1) / BOX.unit)
    for arm in why.arms:
        assert (arms == arm).all(axis=1).any()


@with_estimates
def test_datetimes_give_the_choices_of_numbers(name):
    start = datetime(2026, 1, 1, tzinfo=UTC)
    span = {"time_scale": timedelta(seconds=1)} if name == "QuickDraw" else {}
    numbers, dated = (getattr(qd.policies, name)(BOX, seed=4, **given) for given in ({}, span))
    for k in range(20):
        arm, same = numbers.select(0.5 * k), dated.select(start + timedelta(seconds=0.5 * k))
        np.testing.assert_allclose(arm, same, atol=1e-6)
        numbers.update(0.5 * k, arm, float(np.sin(arm.sum())))
        dated.update(start + timedelta(seconds=0.5 * k), arm, float(np.sin(arm.sum())))


@every_policy
@pytest.mark.parametrize("arm", [[2.0, 0.0], [0.5], [np.nan, 0.0], "here"])
def test_arms_outside_change_nothing(name, arm):
    policy, same = learned(name), learned(name)
    with pytest.raises(ValueError, match="arm"):
        policy.update(0.5, arm, 0.3)
    with pytest.raises(ValueError, match="arm"):
        policy.expect(0.5, arm)
    assert play(policy, 5) == play(same, 5)


@every_policy
def test_questions_about_single_arms_of_a_set_are_refused(name):
    policy = learned(name)
    for ask in (policy.decide, policy.probabilities):
        with pytest.raises(NotImplementedError, match="infinitely many"):
            ask(0.5)
    with pytest.raises(NotImplementedError, match="infinitely many"):
        policy.select(0.5, among=[0, 1])
