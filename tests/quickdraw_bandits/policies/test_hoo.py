"""HOO against a plain tree of dictionaries that is rebuilt every round."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.environments import KnownFunction

HOO = qd.policies.HOO


class PlainTree:
    """Nodes by the way that leads to them, a string of L and R; cells are ranges of places along each axis."""

    def __init__(self, sizes, is_box):
        self.sizes, self.is_box = sizes, is_box
        self.rewards = {"": []}

    def halves(self, cell):
        possible = []
        for j, ((low, high), size) in enumerate(zip(cell, self.sizes, strict=True)):
            middle = (low + high) / 2 if self.is_box else (low + high) // 2
            if low < middle < high:
                possible.append((-(high - low) / size, j, middle))
        if not possible:
            return None
        _, axis, middle = min(possible)
        left, right = list(cell), list(cell)
        left[axis], right[axis] = (cell[axis][0], middle), (middle, cell[axis][1])
        return {"L": left, "R": right}

    def whole(self):
        return [(0, size) for size in self.sizes]

    def learn(self, place, reward):
        way, cell = "", self.whole()
        while way in self.rewards:
            self.rewards[way].append(reward)
            halves = self.halves(cell)
            if halves is None:
                return
            inside = [
                side for side, half in halves.items() if all(a <= x < b for x, (a, b) in zip(place, half, strict=True))
            ]
            way, cell = way + inside[0], halves[inside[0]]
        self.rewards[way] = [reward]

    def b(self, way, cell, c, nu, rho):
        own = self.rewards.get(way)
        if not own:
            return math.inf
        u = sum(own) / len(own) + math.sqrt(c * math.log(len(self.rewards[""])) / len(own))
        halves = self.halves(cell)
        if halves is None:
            return u
        below = max(self.b(way + side, half, c, nu, rho) for side, half in halves.items())
        return min(u + nu * rho ** len(way), below)

    def may_play(self, cell_of, c, nu, rho):
        """Tell whether the way to a place follows the larger B, and ends in the middle of an unplayed cell."""
        way, cell = "", self.whole()
        while way in self.rewards:
            halves = self.halves(cell)
            if halves is None:
                break
            b = {side: self.b(way + side, half, c, nu, rho) for side, half in halves.items()}
            side = next(
                s for s, half in halves.items() if all(x <= p < y for p, (x, y) in zip(cell_of, half, strict=True))
            )
            if not (b[side] == max(b.values()) or b[side] >= max(b.values()) - 1e-9):
                return False
            way, cell = way + side, halves[side]
        middle = [(a + b) / 2 if self.is_box else (a + b - 1) // 2 for a, b in cell]
        return np.allclose(middle, cell_of)


def grid(*sizes):
    axes = [np.linspace(0, 1, n) if n > 1 else np.zeros(1) for n in sizes]
    return qd.Arms(np.column_stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]))


@given(
    sizes=st.sampled_from([(1,), (2,), (7,), (16,), (3, 5), (4, 1), (2, 3, 2)]),
    c=st.sampled_from([0.0, 0.1, 2.0]),
    nu=st.sampled_from([0.2, 1.0]),
    rho=st.sampled_from([0.3, 0.8]),
    seed=st.integers(0, 1000),
)
def test_plays_where_a_plain_tree_would_on_a_grid(sizes, c, nu, rho, seed):
    policy, plain = HOO(grid(*sizes), nu=nu, rho=rho, exploration=c, seed=seed), PlainTree(sizes, is_box=False)
    random = np.random.default_rng(seed)
    theirs, paid = random.integers(math.prod(sizes), size=4), random.random(4)  # what others played
    policy.update(np.zeros(4), theirs, paid)
    for arm, reward in zip(theirs, paid, strict=True):
        plain.learn(np.unravel_index(arm, sizes), float(reward))
    for time in range(25):
        arm = policy.select(time)
        place = np.unravel_index(arm, sizes)
        assert plain.may_play(place, c, nu, rho)
        reward = float(random.random())
        policy.update(time, arm, reward)
        plain.learn(place, reward)


@settings(max_examples=30)
@given(dimension=st.integers(1, 3), seed=st.integers(0, 1000))
def test_plays_where_a_plain_tree_would_in_a_box(dimension, seed):
    low, high = np.arange(dimension) - 1.0, np.arange(dimension) * 3.0 + 1.0
    policy = HOO(qd.Box(low, high), exploration=0.1, seed=seed)
    plain = PlainTree([1] * dimension, is_box=True)
    random = np.random.default_rng(seed)
    for time in range(40):
        arm = policy.select(time)
        place = (arm - low) / (high - low)
        assert plain.may_play(place, 0.1, 1.0, 2 ** (-1 / dimension))
        reward = float(random.random())
        policy.update(time, arm, reward)
        plain.learn(place, reward)


@pytest.mark.parametrize(("arguments", "share"), [({}, 0.5), ({"exploration": 0.01}, 0.1)])
def test_a_lipschitz_reward_that_stands_still(beats_random, arguments, share):
    beats_random(
        [KnownFunction(lambda x: 0.9 - 0.8 * np.abs(x - 0.31), noise=0.05, seed=seed) for seed in range(5)],
        lambda env, seed: HOO(env.arms, seed=seed, **arguments),
        share,
        warmup=0,
    )


@pytest.mark.parametrize(
    "arms",
    [
        qd.Arms([0.0, 1.0, 3.0]),
        qd.Arms([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
        qd.Arms([[1.0, 0.0], [0.0, 1.0]], metric="cosine"),
        qd.Arms([[0.0, 1.0], [1.0, 0.0]], metric="precomputed"),
    ],
)
@pytest.mark.parametrize("policy_class", [HOO, qd.policies.BanditConvex])
def test_points_that_are_no_grid_are_refused(policy_class, arms):
    with pytest.raises(ValueError, match=f"arms must be a Box or a grid for {policy_class.__name__} .* Zooming"):
        policy_class(arms)


def test_arms_of_a_grid_may_come_in_any_order():
    arms = qd.Arms([[2.0, 5.0], [0.0, 5.0], [1.0, 7.0], [0.0, 7.0], [1.0, 5.0], [2.0, 7.0]])
    policy = HOO(arms, exploration=0.001, nu=0.2, seed=0)
    for time in range(60):
        arm = policy.select(time)
        policy.update(time, arm, -abs(arms.points[arm] - [2.0, 7.0]).sum())
    assert policy.select(60.0) == 5


@pytest.mark.parametrize("arguments", [{"nu": 0}, {"rho": 0}, {"rho": 1}, {"rho": np.nan}, {"exploration": -1}])
def test_bad_parameters_raise(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        HOO(qd.Arms.grid(0, 1, 3), **arguments)


def test_equal_bounds_are_broken_at_random():
    first = [HOO(qd.Box(0.0, 1.0), seed=seed).select(0.0)[0] for seed in range(200)]
    assert set(first) == {0.25, 0.75}
    # 100 of each with a standard deviation of 7; five of them allowed.
    assert abs(first.count(0.25) - 100) < 36
