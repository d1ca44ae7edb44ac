import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_lab.scale import direct
from quickdraw_lab.scale.direct import direct_index, direct_seconds
from quickdraw_lab.scale.histories import (
    ROUND,
    History,
    box_history,
    cosine_history,
    directions,
    drifting_reward,
    informed,
    places,
    play,
)


def test_a_history_is_what_the_policy_plays_and_is_repeated_later():
    seen, _ = play(qd.QuickDraw(places(2, 50), seed=0), drifting_reward(2), 0, 30)
    assert seen.places.shape == (30, 2)
    reward = drifting_reward(2)
    np.testing.assert_allclose(
        seen.rewards, [reward(place, now) for place, now in zip(seen.places, seen.times, strict=True)]
    )
    long = seen.first(70)
    np.testing.assert_allclose(long.times, np.arange(70) * ROUND)
    np.testing.assert_array_equal(long.places[60:], seen.places[:10])
    np.testing.assert_array_equal(seen.first(7).rewards, seen.rewards[:7])


def test_the_history_of_a_box_is_played_on_a_continuum():
    seen = box_history(2, 4)
    assert len({tuple(place) for place in seen.places}) == len(seen.places) == 4
    assert (np.abs(seen.places) <= 1).all()


def test_play_stops_when_its_time_is_over():
    policy = qd.QuickDraw(places(1, 50), seed=0)
    seen, pace = play(policy, drifting_reward(1), 0, 20, seconds=0.0)
    assert 1 <= len(seen.times) == len(pace.choices) < 20
    assert pace.choice == pytest.approx(np.mean(pace.choices))


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_direct_sum_is_the_index_of_the_policy(dimension):
    random = np.random.default_rng(0)
    arms = places(dimension, 40)
    seen = History(np.arange(25) * ROUND, arms.points[random.integers(40, size=25)], random.random(25))
    policy = informed(arms, seen, "exact")
    policy.cap = None
    np.testing.assert_allclose(direct_index(seen, 0.03, arms.points, arms.unit), policy.index(0.03), rtol=1e-9)


def test_the_shortest_direct_sum_over_a_sample_stands_for_all_arms(monkeypatch):
    clock = iter([0.0, 5.0, 10.0, 12.0, 20.0, 23.0])
    monkeypatch.setattr(direct, "process_time", lambda: next(clock))
    seen = History(np.arange(5) * ROUND, np.zeros((5, 1)), np.ones(5))
    assert direct_seconds(seen, 1.0, 10**6, sample=10, repeats=3) == 2.0 * 10**6 / 10


def test_histories_by_cosine_are_of_arms_that_every_larger_set_has(monkeypatch):
    seen = cosine_history(20)
    arms = directions(400)
    played = []
    monkeypatch.setattr(qd.QuickDraw, "update", lambda self, times, arms, rewards: played.extend(arms))
    informed(arms, seen, "cached")
    np.testing.assert_allclose(arms.points[played], seen.places, rtol=0, atol=1e-12)
