"""The adaptive policy on shards: learns in one place, and finds the best arms of all parts."""

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.distributed import ShardedAdaptiveQuickDraw


def play_both(one, many, points, rounds, reward, choose=lambda policy, time: policy.select(time)):
    noise = 0.05 * np.random.default_rng(7).normal(size=rounds)
    for k in range(rounds):
        arm, same = choose(one, k), choose(many, k)
        assert np.array_equal(arm, same), f"round {k}: {arm} and {same}"
        pull = int(np.ravel(arm)[0])
        for policy in (one, many):
            policy.update(k, pull, reward(points[pull].astype(float), 0.01 * k, noise[k]))


@pytest.mark.parametrize(("metric", "dimension"), [("euclidean", 1), ("euclidean", 2), ("cosine", 8), ("haversine", 2)])
def test_few_arms_are_played_as_in_one_process(places, reward, deployment, metric, dimension):
    """In three parts, with ties: many arms lie where others do."""
    points = places(metric, 150, dimension)
    one = qd.AdaptiveQuickDraw(qd.Arms(points, metric=metric), seed=3)
    many = ShardedAdaptiveQuickDraw(np.array_split(points, 3), seed=3, metric=metric, deployment=deployment)
    assert many._space.diameter == one._space.diameter
    np.testing.assert_array_equal(many._grid.lengths, one._grid.lengths)
    play_both(one, many, points, 80, reward)
    assert many.scales == one.scales
    for policy in (one, many):
        policy.expect(80, 17)
        policy.retire([3, 77])
    play_both(one, many, points, 5, reward, lambda policy, k: policy.select(81 + k, count=3))
    some = [149, 0, 60]
    for found, same in zip(one.estimate(90, some), many.estimate(90, some), strict=True):
        np.testing.assert_array_equal(found, same)
    reasons, same = one.explain(90, 44), many.explain(90, 44)
    np.testing.assert_array_equal(reasons.arms, same.arms)
    np.testing.assert_array_equal(reasons.distances, same.distances)


@pytest.mark.parametrize("kind", ["few arms", "many at few places", "a line", "a line and one far away"])
def test_whether_arms_are_a_line_is_known_as_in_one_process(kind, deployment):
    places = {
        "few arms": np.linspace(0, 1, 12),
        "many at few places": np.repeat(np.linspace(0, 1, 8), 8),
        "a line": np.linspace(3, 5, 64),
        "a line and one far away": np.append(np.linspace(0, 1, 63), 90.0),
    }[kind][:, None]
    one = qd.AdaptiveQuickDraw(qd.Arms(places), seed=3)
    many = ShardedAdaptiveQuickDraw(np.array_split(places, 3), seed=3, deployment=deployment)
    assert one._space.spread_out == many._space.spread_out == (kind == "a line")
    many.add_arms([[4.0]])
    assert many._space.spread_out == (kind == "a line")
    many.add_arms([[4.5], [5.5], [4.2]])  # beyond the end
    assert not many._space.spread_out
    assert many._peaks.lost


def test_many_arms_are_searched_by_shortlists(reward, here, deployment):
    """The choice is nearly the best of all arms, also after shards were lost and arms were added."""
    points = np.random.default_rng(0).random((12_000, 2), dtype=np.float32)
    parts = [points[:5000], points[5000:11_000]]
    many = ShardedAdaptiveQuickDraw(parts, seed=3, deployment=deployment)
    exact = []
    for k in range(120):
        if k == 50:
            here.lose(1)
        if k == 70:
            assert many.add_arms(points[11_000:])[-1] == 11_999
        arm = many.select(k)
        if k > 20:
            index = many.index(k, np.arange(len(many.arms)))
            exact.append((index.max() - index[arm]) / many.scales.gamma)
        many.update(k, arm, reward(points[arm].astype(float), 0.01 * k, 0.0))
    assert many.restarts == 1
    assert np.mean(exact) < 0.02
    decision = many.decide(130)
    assert 0 < decision.probability <= 1


def test_what_cannot_be_done_says_what_can(deployment):
    many = ShardedAdaptiveQuickDraw([[0.0, 0.4], [0.7, 1.0]], seed=0, deployment=deployment)
    assert many.decide(0).probability == 0.25
    many.update([1, 2, 3], [0, 1, 3], [0.1, 0.5, 0.2])
    with pytest.raises(NotImplementedError, match="decide gives one"):
        many.probabilities(4)
    with pytest.raises(NotImplementedError, match=r"estimate\(time, arms=\[...\]\)"):
        many.estimate(4)


def test_asking_for_a_draw_changes_nothing(reward, deployment):
    """Neither with shortlists, which remember what they find; a choice of the best arm is then learned from."""
    points = np.random.default_rng(1).random((9000, 2), dtype=np.float32)
    asked, other = (
        ShardedAdaptiveQuickDraw([points[:5000], points[5000:]], seed=3, deployment=deployment) for _ in range(2)
    )
    for k in range(30):
        ties = asked._ties(float(k), None)
        np.testing.assert_array_equal(asked._ties(float(k), None), ties)
        arm = asked.select(k)
        assert arm == other.select(k)
        for policy in (asked, other):
            policy.update(k, arm, reward(points[arm].astype(float), 0.01 * k, 0.0))
    best = asked._draw(30.0, None, np.random.default_rng(0))
    assert 0 <= best[0] < 9000
    asked._chosen(30.0, best[0], None)
    assert asked.scales is not None


def test_few_arms_are_drawn_as_in_one_process(places, reward, deployment):
    points = places("euclidean", 120, 2)
    one = qd.AdaptiveQuickDraw(qd.Arms(points), seed=3)
    many = ShardedAdaptiveQuickDraw(np.array_split(points, 3), seed=3, deployment=deployment)
    for k in range(40):
        ties = one._ties(float(k), None)
        np.testing.assert_array_equal(np.sort(many._ties(float(k), None)), np.sort(ties))
        for policy in (one, many):
            policy._chosen(float(k), int(ties[0]), None)
            policy.update(k, ties[0], reward(points[ties[0]].astype(float), 0.01 * k, 0.0))
    assert many.scales == one.scales
