"""Arms in parts are played as all of them in one process, ties included."""

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.distributed import ShardedQuickDraw

SCALES = {"length_scale": 0.5, "time_scale": 0.3}
VARIANTS = {
    "defaults": {},
    "many at the cap": {"cap": 0.55, **SCALES},
    "no exploration": {"exploration": 0.0, **SCALES},
    "no cap": {"cap": None, "noise_variance": 1e-3, **SCALES},
    "stationary": {"time_scale": None, "length_scale": 0.5},
    "sharper": {"sharpness": 2, **SCALES},
    "schedule": {"exploration": lambda n: 1 + 1 / (1 + n), **SCALES},
}


def pair(points, deployment, parts=3, metric="euclidean", **parameters):
    one = qd.QuickDraw(qd.Arms(points, metric=metric), seed=3, **parameters)
    cut = np.array_split(points, parts)
    many = ShardedQuickDraw(cut, seed=3, metric=metric, deployment=deployment, **parameters)
    assert many.arms.unit == one.arms.unit
    assert len(many.arms) == len(one.arms)
    return one, many


def play_both(one, many, points, rounds, reward, choose=lambda policy, time, k: policy.select(time)):
    """Play both, and compare every choice; every third reward comes five rounds late."""
    noise = 0.05 * np.random.default_rng(7).normal(size=rounds)
    late = []
    for k in range(rounds):
        time = 0.01 * k
        arm, same = (choose(policy, time, k) for policy in (one, many))
        assert np.array_equal(arm, same), f"round {k}: {arm} and {same}"
        pull = int(np.ravel(arm)[0])
        seen = time, pull, reward(points[pull].astype(float), time, noise[k])
        if k % 3:
            late.append((k - 5, *seen))
        else:
            late.append((k, *seen))
        late.sort()
        due = [each for each in late if each[0] <= k - 5 or each[0] == k]
        late = [each for each in late if each not in due]
        for each in due:
            one.update(*each[1:])
            many.update(*each[1:])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("metric", "dimension"), [("euclidean", 1), ("euclidean", 2), ("cosine", 8), ("haversine", 2)])
def test_choices_are_those_of_one_process(places, reward, deployment, metric, dimension, variant):
    points = places(metric, 150, dimension)
    one, many = pair(points, deployment, metric=metric, engine="exact", **VARIANTS[variant])
    play_both(one, many, points, 120, reward)
    np.testing.assert_array_equal(one.probabilities(2.0), many.probabilities(2.0))


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "haversine"])
def test_more_arms_than_are_measured_exactly_and_in_float32(places, reward, deployment, metric):
    points = places(metric, 2500, 2, np.float32)
    one, many = pair(points, deployment, metric=metric, engine="exact", **SCALES)
    play_both(one, many, points, 60, reward)


def test_more_ties_than_an_offer_lists(reward, deployment):
    """All arms of a part are at one place, and later at the cap."""
    points = np.repeat([[0.0], [0.3], [1.0]], 200, axis=0)
    one, many = pair(points, deployment, engine="exact", cap=0.7, **SCALES)
    play_both(one, many, points, 80, reward)
    decision, same = one.decide(2.0), many.decide(2.0)
    assert decision == same
    assert decision.probability <= 1 / 200


def test_among_count_and_decisions(places, reward, deployment):
    points = places("euclidean")
    one, many = pair(points, deployment, engine="exact", **SCALES)
    masks = np.random.default_rng(0).random((90, 150)) < 0.2

    def choose(policy, time, k):
        if k % 4 == 0:
            return policy.select(time, among=masks[k])
        if k % 4 == 1:
            return policy.select(time, among=np.flatnonzero(masks[k]))
        if k % 4 == 2:
            return policy.select(time, count=3)
        decision = policy.decide(time, among=masks[k])
        return [decision.arm, decision.probability]

    play_both(one, many, points, 90, reward, choose)


def test_pending_pulls_new_arms_and_retired_ones(places, reward, deployment):
    points = places("euclidean")
    one, many = pair(points[:120], deployment, engine="exact", **SCALES)
    play_both(one, many, points, 30, reward)
    for policy in (one, many):
        policy.expect([0.31, 0.32], [4, 110])
        policy.retire([7, 60, 119])
    play_both(one, many, points, 30, reward)
    wide = points[120:] * 3 - 1  # outside of the box of the others
    for policy in (one, many):
        assert policy.add_arms(wide).tolist() == list(range(120, 150))
        policy.forget(0.31, 4)
        policy.retire(149)
    play_both(one, many, np.concatenate([points[:120], wide]), 40, reward)
    for found, same in zip([*one.pending, *one.observations], [*many.pending, *many.observations], strict=True):
        np.testing.assert_array_equal(found, same)


def test_answers_about_single_arms(places, deployment):
    points = places("cosine", 60, 5)
    one, many = pair(points, deployment, metric="cosine", engine="exact", **SCALES)
    assert np.isnan(many.estimate(0.0)[0]).all()
    times, arms = np.arange(40) / 40, np.arange(40) * 7 % 60
    for policy in (one, many):
        policy.update(times, arms, np.sin(arms))
        policy.expect(0.99, 33)
    for given in (None, [59, 0, 21, 21]):
        for found, same in zip(one.estimate(1.0, given), many.estimate(1.0, given), strict=True):
            np.testing.assert_array_equal(found, same)
        np.testing.assert_array_equal(one.index(1.0, given), many.index(1.0, given))
    reasons, same = one.explain(1.0, 44), many.explain(1.0, 44)
    np.testing.assert_array_equal(reasons.arms, same.arms)
    np.testing.assert_allclose(reasons.weights, same.weights, rtol=1e-12)
    assert reasons.mean == same.mean
