"""The adaptive policy in a live system with so many arms that it keeps a shortlist."""

import copy

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive import shortlist

POINTS = np.random.default_rng(0).random((7000, 2))


@pytest.fixture(autouse=True)
def little_work(monkeypatch):
    """Too little to bound all arms, so that what a search finds counts for those after it."""
    monkeypatch.setattr(shortlist, "WORK", 100_000)


def reward(points):
    return np.exp(-np.sum((points - [0.3, 0.75]) ** 2, axis=-1) / 0.05)


def play(policy, rounds, start):
    chosen = []
    for k in range(rounds):
        arm = policy.select(start + k)
        policy.update(start + k, arm, float(reward(policy.arms.points[arm])))
        chosen.append(arm)
    return chosen


def learned(rounds=25):
    policy = qd.AdaptiveQuickDraw(qd.Arms(POINTS[:6000]), seed=0)
    random = np.random.default_rng(1)
    arms = random.integers(6000, size=30)
    policy.update(np.arange(30.0), arms, reward(POINTS[arms]))
    play(policy, rounds, 30.0)
    return policy


def test_asking_changes_no_later_choice():
    asked, left_alone = learned(), learned()
    mask = np.arange(6000) % 5 > 0
    for k in range(12):
        asked.probabilities(55.0 + k)
        asked.probabilities(55.0 + k, among=mask)
        asked._draw(55.0 + k, None, np.random.default_rng(k))
        asked._draw(55.0 + k, asked._allowed(mask), np.random.default_rng(k))
        assert play(asked, 1, 55.0 + k) == play(left_alone, 1, 55.0 + k)


def test_a_decision_states_what_probabilities_state():
    policy = learned()
    for k in range(8):
        said = policy.probabilities(55.0 + k)
        decision = policy.decide(55.0 + k)
        assert decision.probability == pytest.approx(said[decision.arm])
        policy.update(55.0 + k, decision.arm, float(reward(POINTS[decision.arm])))


def test_a_choice_that_counts_renews_the_shortlist():
    """Otherwise a program that draws arms and notes the choices later would search the same groups for ever."""
    policy = learned()
    policy.expect(55.0, 3)
    turn = policy._shortlist._turn
    arm, _ = policy._draw(56.0, None, np.random.default_rng(0))
    assert policy._shortlist._turn == turn
    policy._chosen(56.0, arm, None)
    assert policy._shortlist._turn != turn


def test_a_few_new_arms_are_added_without_a_new_shortlist():
    policy = learned()
    before = policy._shortlist
    assert policy.add_arms(POINTS[6000:6400]).tolist() == list(range(6000, 6400))
    policy.add_arms([[0.3, 0.75]])
    assert policy._shortlist is before
    assert len(policy.index(55.0)) == len(policy.estimate(55.0)[0]) == len(policy.probabilities(55.0)) == 6401
    some = [5, 6000, 6400]
    for all_arms, few in zip(policy.estimate(55.0), policy.estimate(55.0, arms=some), strict=True):
        np.testing.assert_allclose(all_arms[some], few, rtol=1e-9, atol=1e-12)
    assert max(play(policy, 40, 55.0)) >= 6000
    policy.retire(np.arange(6000, 6401))
    assert max(play(policy, 10, 95.0)) < 6000


def test_many_new_arms_make_a_new_shortlist():
    policy = learned()
    before = policy._shortlist
    policy.add_arms(POINTS[6000:6500])
    policy.add_arms(np.random.default_rng(3).random((600, 2)))
    assert policy._shortlist is not before
    assert policy._shortlist.n_arms == len(policy.index(55.0)) == 7100
    play(policy, 5, 55.0)


@pytest.mark.parametrize("copied", ["deepcopy", "file"])
def test_copies_with_added_arms_choose_alike(copied, tmp_path):
    policy = learned()
    policy.add_arms(POINTS[6000:6100])
    play(policy, 5, 55.0)
    if copied == "file":
        qd.save(policy, tmp_path / "policy.qd")
        twin = qd.load(tmp_path / "policy.qd")
    else:
        twin = copy.deepcopy(policy)
    assert play(twin, 20, 60.0) == play(policy, 20, 60.0)


def test_frequencies_are_the_probabilities_stated():
    """Every arm has a twin at its place, so that two arms tie; some of them may not be chosen."""
    policy = qd.AdaptiveQuickDraw(qd.Arms(np.concatenate([POINTS[:3000], POINTS[:3000]])), seed=0)
    arms = np.random.default_rng(1).integers(6000, size=30)
    policy.update(np.arange(30.0), arms, reward(policy.arms.points[arms]))
    play(policy, 10, 30.0)
    for among in (None, np.arange(6000) % 5 > 0):
        said, counts = policy.probabilities(40.0, among=among), np.zeros(6000)
        assert said.sum() == pytest.approx(1)
        for seed in range(100):
            twin = copy.deepcopy(policy)
            twin._random = np.random.default_rng(seed)
            decision = twin.decide(40.0, among=among)
            assert decision.probability == pytest.approx(said[decision.arm])
            counts[decision.arm] += 1
        assert (counts[said == 0] == 0).all()
        # Five standard deviations of a binomial count.
        assert (np.abs(counts - 100 * said) <= 5 * np.sqrt(100 * said * (1 - said)) + 1e-9).all()
    assert (said > 0).sum() in (1, 2)
    assert (policy.probabilities(40.0) > 0).sum() == 2
