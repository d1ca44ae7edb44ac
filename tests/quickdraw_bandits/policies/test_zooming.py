"""The zooming algorithm against its rules, checked with all distances at once."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.environments import KnownFunction

Zooming = qd.policies.Zooming


def line(n):
    return qd.Arms.grid(-1, 1, n)


def places(n):
    return qd.Arms(np.random.default_rng(0).uniform(-1, 1, (n, 2)), metric="haversine")


def matrix(n):
    points = np.random.default_rng(1).random((n, 3))
    return qd.Arms(np.abs(points[:, None] - points).sum(axis=2), metric="precomputed")


def covered(arms, counts, active, c, horizon, lipschitz):
    """Return for every arm whether it is in a ball, by the definition."""
    radius = {x: math.sqrt(c * math.log(horizon) / (counts[x] + 1)) for x in active}
    return [any(lipschitz * arms.distances(x)[y] <= radius[x] for x in active) for y in range(len(arms))]


@settings(max_examples=40)
@given(
    build=st.sampled_from([line, places, matrix]),
    n=st.integers(1, 25),
    c=st.sampled_from([1e-4, 1e-2, 0.1, 2.0]),
    lipschitz=st.sampled_from([0.3, 1.0, 4.0]),
    others=st.lists(st.integers(0, 24), max_size=6),
    seed=st.integers(0, 100),
)
def test_plays_by_its_rules(build, n, c, lipschitz, others, seed):
    arms = build(n)
    policy = Zooming(arms, horizon=50, exploration=c, lipschitz=lipschitz, seed=seed)
    random = np.random.default_rng(seed)
    counts, totals, active = [0] * n, [0.0] * n, set()

    def learn(arm, reward):
        counts[arm] += 1
        totals[arm] += reward
        active.add(arm)

    for time in range(30):
        if time == 10 and others:  # what others played
            theirs, paid = [arm % n for arm in others], random.random(len(others))
            policy.update(np.full(len(others), float(time)), theirs, paid)
            for arm, reward in zip(theirs, paid, strict=True):
                learn(arm, float(reward))
        inside = covered(arms, counts, active, c, 50, lipschitz)
        assert (policy._owner >= 0).tolist() == inside
        arm = policy.select(float(time))
        new = set(policy._active.tolist()) - active
        assert len(new) == (not all(inside))
        assert not any(inside[x] for x in new)
        active |= new
        index = {
            x: totals[x] / counts[x] + 2 * math.sqrt(c * math.log(50) / (counts[x] + 1)) if counts[x] else math.inf
            for x in active
        }
        assert index[arm] == pytest.approx(max(index.values()), rel=1e-9)
        reward = float(random.random())
        policy.update(float(time), arm, reward)
        learn(arm, reward)


@pytest.mark.parametrize(("arguments", "share"), [({}, 0.7), ({"exploration": 0.01}, 0.1)])
def test_a_lipschitz_reward_that_stands_still(beats_random, arguments, share):
    beats_random(
        [KnownFunction(lambda x: 0.9 - 0.8 * np.abs(x - 0.31), noise=0.05, seed=seed) for seed in range(5)],
        lambda env, seed: Zooming(env.arms, seed=seed, **arguments),
        share,
        warmup=0,
    )


def test_zooms_in_where_rewards_are_high():
    """Active arms are denser near the best arm than elsewhere, over eight seeds by three standard errors.

    A tenth of the line lies within 0.1 of the best arm, and so would a tenth of the active arms if they were spread
    evenly; twice that is asked for.
    """
    near = []
    for seed in range(8):
        env = KnownFunction(lambda x: 1 - np.abs(x - 0.5), seed=seed)
        policy = Zooming(env.arms, exploration=0.003, lipschitz=2.0, seed=seed)
        qd.simulate(policy, env, warmup=0)
        near.append(np.mean(np.abs(env.arms.points[policy._active, 0] - 0.5) < 0.1))
    assert np.mean(near) - 3 * np.std(near, ddof=1) / np.sqrt(8) > 0.2


@pytest.mark.parametrize(
    "arguments", [{"horizon": 1}, {"horizon": 10.5}, {"exploration": 0}, {"lipschitz": -1}, {"lipschitz": np.inf}]
)
def test_bad_parameters_raise(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        Zooming(line(3), **arguments)
