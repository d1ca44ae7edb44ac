import json

import pytest

import quickdraw_bandits as qd
from quickdraw_lab.contest.environments import ENVIRONMENTS, build_environment
from quickdraw_lab.contest.runs import ContestRun, play_contest_runs
from quickdraw_lab.players.contestant import Contestant
from quickdraw_lab.players.oracle import oracle
from quickdraw_lab.testbed import TestBed

TEST_BED = TestBed(seed=3, n_arms=30, n_rounds=60, warmup=20)


def test_a_record_is_what_the_library_measures():
    contestant = Contestant("QuickDraw", (("length_scale", 0.5), ("time_scale", None)))
    run = ContestRun(ENVIRONMENTS["noise-0.1"], contestant, "tuning", 4)
    [record] = play_contest_runs(TEST_BED, [run])
    env = build_environment(ENVIRONMENTS["noise-0.1"], "tuning", 4, TEST_BED)
    policy = qd.QuickDraw(env.arms, length_scale=0.5, time_scale=None, seed=env.seed)
    trace = qd.simulate(policy, env, warmup=20, seed=env.seed)
    assert record["regret_per_round"] == pytest.approx(trace.regret_per_round, rel=1e-12)
    assert 0 < record["seconds_per_choice"] < 1
    assert ContestRun.from_json(json.loads(json.dumps(record["run"]))) == run


def test_a_failure_is_recorded_and_the_others_go_on():
    runs = [
        ContestRun(ENVIRONMENTS["hill"], contestant, "result", 0)
        for contestant in (Contestant("QuickDraw", (("length_scale", -1.0),)), Contestant("Random"))
    ]
    failed, fine = play_contest_runs(TEST_BED, runs)
    assert failed["error"].startswith("ValueError: length_scale must be")
    assert "error" not in fine


def test_an_oracle_is_told_the_covariance_of_the_field():
    run = ContestRun(ENVIRONMENTS["noise-0.1"], Contestant("SpaceTimeGPUCB"), "result", 0)
    [record] = play_contest_runs(TEST_BED, [run])
    env = build_environment(ENVIRONMENTS["noise-0.1"], "result", 0, TEST_BED)
    expected = qd.simulate(oracle(env, seed=env.seed), env, warmup=20, seed=env.seed)
    assert record["regret_per_round"] == pytest.approx(expected.regret_per_round, rel=1e-12)
