import numpy as np
import pytest

from quickdraw_bandits import Arms
from quickdraw_bandits.environments import Recorded
from quickdraw_bandits.evaluation import Trace
from quickdraw_lab.figures.behaviour import behaviour


def trace_of(env, arms, warmup):
    arms = np.array(arms)
    regret = env.best_mean - env.mean[np.arange(len(arms)), arms]
    return Trace("P", env.times, arms, env.rewards[np.arange(len(arms)), arms], regret, warmup, np.zeros(len(arms)))


def test_by_hand():
    mean = np.full((8, 40), 0.5)
    mean[:, 0] = [0.9, 0.9, 0.85, 0.79, 0.9, 0.75, 0.9, 0.9]  # arm 0 is at the edge, as is arm 39, and best throughout
    env = Recorded(mean, Arms.grid(-1, 1, 40))
    measured = behaviour(trace_of(env, [0, 5, 0, 0, 39, 0, 5, 7], warmup=2), env)
    assert measured == {
        "edge_share": 4 / 6,
        "best_edge_share": 1.0,
        "edge_regret": pytest.approx(0.4 / 4),
        "stale_share": 2 / 6,  # rounds 3 and 5: down by 0.11 and 0.15 from round 0
        "distinct_share": 4 / 6,
    }


def test_an_earlier_play_counts_for_a_hundred_rounds():
    mean = np.full((103, 40), 0.5)
    mean[0, 9] = 1.0
    env = Recorded(mean, Arms.grid(-1, 1, 40))
    for again, expected in [(100, 1), (101, 0)]:
        arms = [9, *([3] * 102)]
        arms[again] = 9
        measured = behaviour(trace_of(env, arms, warmup=1), env)
        assert measured["stale_share"] == expected / 102
        assert measured["edge_regret"] is None
