import json

import pytest

import quickdraw_bandits as qd
from quickdraw_lab.bed import Bed
from quickdraw_lab.contest.arenas import ARENAS, environment
from quickdraw_lab.contest.runs import ContestRun, play_contest
from quickdraw_lab.runs import Contestant
from quickdraw_lab.yardstick import yardstick

BED = Bed(seed=3, n_arms=30, n_rounds=60, warmup=20)


def test_a_record_is_what_the_library_measures():
    contestant = Contestant("QuickDraw", (("length_scale", 0.5), ("time_scale", None)))
    run = ContestRun(ARENAS["noise-0.1"], contestant, "tuning", 4)
    [record] = play_contest(BED, [run])
    env = environment(ARENAS["noise-0.1"], "tuning", 4, BED)
    policy = qd.QuickDraw(env.arms, length_scale=0.5, time_scale=None, seed=env.seed)
    trace = qd.simulate(policy, env, warmup=20, seed=env.seed)
    assert record["regret_per_round"] == pytest.approx(trace.regret_per_round, rel=1e-12)
    assert 0 < record["seconds_per_choice"] < 1
    assert ContestRun.from_json(json.loads(json.dumps(record["run"]))) == run


def test_a_failure_is_recorded_and_the_others_go_on():
    runs = [
        ContestRun(ARENAS["hill"], contestant, "result", 0)
        for contestant in (Contestant("QuickDraw", (("length_scale", -1.0),)), Contestant("Random"))
    ]
    failed, fine = play_contest(BED, runs)
    assert failed["error"].startswith("ValueError: length_scale must be")
    assert "error" not in fine


def test_a_yardstick_is_told_what_the_field_is_made_of():
    run = ContestRun(ARENAS["noise-0.1"], Contestant("SpaceTimeGPUCB"), "result", 0)
    [record] = play_contest(BED, [run])
    env = environment(ARENAS["noise-0.1"], "result", 0, BED)
    expected = qd.simulate(yardstick(env, seed=env.seed), env, warmup=20, seed=env.seed)
    assert record["regret_per_round"] == pytest.approx(expected.regret_per_round, rel=1e-12)
