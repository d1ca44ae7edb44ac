"""A policy says with what probability it would choose each arm, and saying so changes nothing."""

import numpy as np
import pytest

from quickdraw_bandits import Arms
from quickdraw_bandits.policies import Policy, Random, SlidingEpsilonGreedy
from quickdraw_bandits.policies.policy import argmaxes
from quickdraw_bandits.policies.quick_draw import QuickDraw
from quickdraw_lab.policies.built_in import known_policies

ARMS = Arms.grid(-1, 1, 5)


class Alternating(Policy):
    """Says nothing of probabilities, and changes its state and its stream whenever it selects."""

    turn = 0

    def _select(self, time):
        self.turn += 1
        return (self.turn + int(self._random.integers(2))) % len(self.arms)

    def _update(self, times, arms, rewards):
        pass


def greedy_with_ties(seed):
    policy = SlidingEpsilonGreedy(ARMS, window=6, epsilon=0.25, seed=seed)
    policy.update([0, 1, 2, 3, 4, 5], [4, 1, 2, 1, 3, 3], [0.2, 1.0, 1.0, 1.0, 0.0, 0.5])
    return policy


def quick_draw_on_shared_places(seed):
    policy = QuickDraw(Arms([0.0, 1.0, 1.0, 0.5, 1.0]), time_scale=10.0, cap=None, seed=seed)
    policy.update([0, 1, 2], [0, 3, 2], [0.1, 0.3, 0.9])
    return policy


@pytest.mark.parametrize(
    "build",
    [lambda seed: Random(ARMS, seed=seed), greedy_with_ties, quick_draw_on_shared_places, lambda seed: QuickDraw(ARMS)],
)
def test_probabilities_are_the_frequencies_of_select(build):
    policy = build(0)
    said = policy.probabilities(6.0)
    n = 20_000
    seen = np.bincount([policy.select(6.0) for _ in range(n)], minlength=5)
    # Five standard deviations of a binomial count: a true policy fails one seed in a million.
    assert np.all(np.abs(seen - n * said) <= 5 * np.sqrt(n * said * (1 - said)))


def test_sliding_epsilon_greedy_in_numbers():
    # The best pay, 1.0, was seen twice at arm 1 and once at arm 2.
    explore = 0.25 / 5
    expected = [explore, explore + 0.75 * 2 / 3, explore + 0.75 / 3, explore, explore]
    np.testing.assert_allclose(greedy_with_ties(0).probabilities(6.0), expected, rtol=0, atol=1e-15)


def test_quick_draw_is_certain_up_to_arms_that_share_a_place():
    policy = quick_draw_on_shared_places(0)
    index = policy.index(6.0)
    assert index.max() == pytest.approx(index[1])
    np.testing.assert_allclose(policy.probabilities(6.0), [0, 1 / 3, 1 / 3, 0, 1 / 3])


def test_sliding_epsilon_greedy_knows_nothing_at_first():
    np.testing.assert_array_equal(SlidingEpsilonGreedy(ARMS).probabilities(0.0), np.full(5, 0.2))


def test_a_policy_that_only_selects_is_certain_of_what_it_selects():
    policy = Alternating(ARMS, seed=3)
    for _ in range(10):
        said = policy.probabilities(0.0)
        assert sorted(said) == [0, 0, 0, 0, 1]
        assert policy.select(0.0) == said.argmax()


@pytest.mark.parametrize(
    "build",
    [
        lambda seed: Random(ARMS, seed=seed),
        greedy_with_ties,
        quick_draw_on_shared_places,
        lambda seed: Alternating(ARMS, seed),
    ],
)
def test_asking_changes_no_later_choice(build):
    asked, left_alone = build(11), build(11)
    for _ in range(50):
        asked.probabilities(6.0)
        assert asked.select(6.0) == left_alone.select(6.0)


def test_the_time_is_checked():
    with pytest.raises(ValueError, match="time must be a finite number, got nan"):
        Random(ARMS).probabilities(float("nan"))


def test_rounding_does_not_break_ties():
    assert list(argmaxes(np.array([1.0, 1.0 - 1e-13, 0.9, 1.0]))) == [0, 1, 3]
    assert list(argmaxes(np.array([-np.inf, np.inf, 1.0]))) == [1]


@pytest.mark.parametrize("name", sorted(known_policies()))
def test_every_policy_says_probabilities_and_is_not_changed_by_it(name):
    asked, left_alone = (known_policies()[name](ARMS, seed=5) for _ in range(2))
    for time in range(12):
        said = asked.probabilities(time / 10)
        assert said.shape == (5,)
        assert said.min() >= 0
        assert said.sum() == pytest.approx(1, abs=1e-12)
        arm = asked.select(time / 10)
        assert said[arm] > 0
        assert arm == left_alone.select(time / 10)
        for policy in (asked, left_alone):
            policy.update(time / 10, arm, arm / 10 + time / 50)
