"""Bandit convex optimisation against its formulas, expert by expert, and on a concave reward that drifts."""

import math

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.environments import KnownFunction

BanditConvex = qd.policies.BanditConvex


class Plain:
    """The algorithm as the paper writes it, on [-1, 1]^d, one expert at a time."""

    def __init__(self, d, points, horizon, bound, delta):
        t, r = horizon // points, math.sqrt(d)
        self.g = d * bound / delta if points == 1 else d * bound
        smallest = math.sqrt(7 * r**2 / (points * self.g**2 * t))
        largest = math.sqrt((7 * r**2 + 2 * r**2 * t) / (points * self.g**2 * t))
        self.steps = [smallest]
        while self.steps[-1] < largest:
            self.steps.append(2 * self.steps[-1])
        n = len(self.steps)
        self.weights = [(n + 1) / (n * i * (i + 1)) for i in range(1, n + 1)]
        self.experts = [np.zeros(d) for _ in range(n)]
        self.delta, self.diameter, self.t = delta, 2 * r, 0

    def middle(self):
        return sum(w * y for w, y in zip(self.weights, self.experts, strict=True))

    def descend(self, gradient):
        self.t += 1
        rate = 2 / (self.g * self.diameter * math.sqrt(self.t))
        y = self.middle()
        self.weights = [
            w * math.exp(-rate * float(gradient @ (e - y))) for w, e in zip(self.weights, self.experts, strict=True)
        ]
        self.weights = [w / sum(self.weights) for w in self.weights]
        self.experts = [
            np.clip(e - eta * gradient, -(1 - self.delta), 1 - self.delta)
            for e, eta in zip(self.experts, self.steps, strict=True)
        ]


def test_first_weights_sum_to_1():
    assert sum(Plain(1, 1, 1000, 1.0, 0.1).weights) == pytest.approx(1)


@pytest.mark.parametrize("points", [1, 2])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_moves_as_the_paper_writes_it(points, d):
    low, high = np.arange(d) - 2.0, np.arange(d) + 3.0
    policy = BanditConvex(qd.Box(low, high), points=points, horizon=200, bound=0.8, perturbation=0.2, seed=1)
    plain = Plain(d, points, 200, 0.8, 0.2)
    random = np.random.default_rng(0)
    for k in range(60 // points):
        y = plain.middle()
        np.testing.assert_allclose(policy.centre, low + (y + 1) / 2 * (high - low), rtol=1e-9)
        sides, rewards = [], random.random(points)
        for i in range(points):
            arm = policy.select(k + i / 2)
            sides.append((2 * (arm - low) / (high - low) - 1 - y) / 0.2)
            policy.update(k + i / 2, arm, rewards[i])
        s = sides[0]
        assert s @ s == pytest.approx(1)
        if points == 2:
            np.testing.assert_allclose(sides[1], -s, atol=1e-9)
        plain.descend(d / 0.2 * -rewards[0] * s if points == 1 else d / 0.4 * (rewards[1] - rewards[0]) * s)


@pytest.mark.parametrize(
    ("points", "d", "expected"), [(1, 1, 1000**-0.25), (2, 1, 500**-0.5), (1, 3, 0.5), (2, 3, 3**1.5 / 500**0.5)]
)
def test_the_perturbation_of_the_paper(points, d, expected):
    assert BanditConvex(qd.Box([0.0] * d, [1.0] * d), points=points).perturbation == pytest.approx(expected)


@pytest.mark.parametrize(("points", "share"), [(1, 0.7), (2, 0.1)])
def test_a_concave_reward_that_drifts(beats_random, points, share):
    beats_random(
        [
            KnownFunction(lambda x, t: 1 - (x - 0.7 * np.sin(6 * t)) ** 2 / 3, noise=0.02, seed=seed)
            for seed in range(5)
        ],
        lambda env, seed: BanditConvex(env.arms, points=points, seed=seed),
        share,
    )


def test_follows_a_drift_in_a_box():
    policy = BanditConvex(qd.Box([0.0, 0.0], [1.0, 4.0]), perturbation=0.1, seed=0)
    missed = []
    for k in range(1000):
        best = np.array([0.5 + 0.3 * np.sin(6e-3 * k), 2 + np.cos(6e-3 * k)])
        arm = policy.select(k)
        policy.update(k, arm, 1 - ((arm - best) ** 2 / [1, 16]).sum() * 2)
        missed.append(((arm - best) ** 2 / [1, 16]).sum())
    # A random point misses by 1/6 and more on average.
    assert np.mean(missed[100:]) < 0.02


def test_late_rewards_move_it_when_they_come():
    usual, late = (BanditConvex(qd.Box(0.0, 1.0), seed=3) for _ in range(2))
    arms = [usual.select(k) for k in range(4)]
    assert [late.select(k) for k in range(4)] == arms
    rewards = [0.1, 0.5, 0.3, 0.2]
    usual.update(np.arange(4.0), np.array(arms), rewards)
    for k in (1, 3, 0):
        late.update(k, arms[k], rewards[k])
    assert late.centre != usual.centre
    late.update(2, arms[2], rewards[2])
    assert late.centre == pytest.approx(usual.centre)


def test_arms_that_others_chose_say_where_to_start_and_no_more():
    policy = BanditConvex(qd.Arms.grid(0, 1, 101), seed=0)
    policy.update([0.0, 1.0, 2.0], [10, 30, 60], [0.1, 0.9, 0.3])
    assert policy.centre == pytest.approx(0.3)
    arm = policy.select(3.0)
    policy.update(3.0, (arm + 1) % 101, 0.7)
    policy.update(2.5, arm, 0.7)
    assert policy.centre == pytest.approx(0.3)


def test_probabilities_are_the_two_sides_and_then_the_other_one():
    policy = BanditConvex(qd.Arms.grid(-1, 1, 101), perturbation=0.1, seed=0)
    said = policy.probabilities(0.0)
    assert {int(arm): said[arm] for arm in np.flatnonzero(said)} == {45: 0.5, 55: 0.5}
    first = policy.select(0.0)
    said = policy.probabilities(0.1)
    assert np.flatnonzero(said).tolist() == [100 - first]
    assert policy.select(0.1) == 100 - first


@pytest.mark.parametrize("sizes", [(5, 5), (40, 9), (1, 7), (3, 1)])
@pytest.mark.parametrize("among", [None, [0, 2]])
def test_in_the_plane_probabilities_are_shares_of_a_circle(sizes, among):
    arms = qd.Arms([[x, 3.0 * y] for x in range(sizes[0]) for y in range(sizes[1])])
    policy = BanditConvex(arms, perturbation=0.3, seed=0)
    policy.update(0.0, len(arms) - 1, 1.0)
    said, counts, random = policy.probabilities(1.0, among=among), np.zeros(len(arms)), np.random.default_rng(1)
    n = 4000
    for angle in (np.arange(n) + random.random()) * 2 * np.pi / n:  # evenly around the circle
        place = policy._place(policy._middle() + 0.3 * np.array([np.cos(angle), np.sin(angle)]))
        chosen = among if among is not None else np.arange(len(arms))
        away = np.square(policy._lattice.places(np.asarray(chosen)) - place).sum(axis=1)
        nearest = np.asarray(chosen)[away == away.min()]
        counts[nearest] += 1 / len(nearest)
    assert said.sum() == pytest.approx(1)
    np.testing.assert_allclose(counts / n, said, rtol=0, atol=8 / n)  # an arc is off by one step at each end


def test_in_the_plane_decisions_state_their_probability():
    arms = qd.Arms([[x, y] for x in range(9) for y in range(9)])
    counts, said = np.zeros(81), BanditConvex(arms, perturbation=0.3, seed=0).probabilities(0.0)
    for seed in range(600):
        policy = BanditConvex(arms, perturbation=0.3, seed=seed)
        decision = policy.decide(0.0)
        assert decision.probability == said[decision.arm]
        counts[decision.arm] += 1
        assert policy.decide(0.1).probability == 1  # the other side of the same direction
    assert (counts[said == 0] == 0).all()
    errors = np.sqrt(said * (1 - said) / 600)
    assert (np.abs(counts / 600 - said) <= 5 * errors).all()


def test_in_space_it_does_not_claim_a_probability():
    policy = BanditConvex(qd.Arms([[x, y, z] for x in range(3) for y in range(3) for z in range(3)]), seed=0)
    untouched = BanditConvex(policy.arms, seed=0)
    for ask in (policy.decide, policy.probabilities, qd.Mixed(policy, uniform=0.1).decide):
        with pytest.raises(NotImplementedError, match="more than 2 dimensions, got 3"):
            ask(0.0)
    assert [policy.select(k) for k in range(6)] == [untouched.select(k) for k in range(6)]


def test_rewards_beyond_all_bounds_leave_it_in_the_box():
    policy = BanditConvex(qd.Box(0.0, 1.0), seed=0)
    for k in range(20):
        arm = policy.select(k)
        policy.update(k, arm, 1e308 * (-1) ** k)
        assert 0 <= policy.select(k + 0.5)[0] <= 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"points": 3},
        {"points": 0},
        {"horizon": 1},
        {"bound": 0},
        {"perturbation": 0},
        {"perturbation": 1},
        {"perturbation": np.nan},
    ],
)
def test_bad_parameters_raise(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        BanditConvex(qd.Box(0.0, 1.0), **arguments)
