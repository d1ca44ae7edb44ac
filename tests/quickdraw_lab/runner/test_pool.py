from concurrent.futures.process import BrokenProcessPool
from functools import partial

import pytest

from quickdraw_lab.figures.field_run import FieldRun, play_field_runs
from quickdraw_lab.players.contestant import Contestant
from quickdraw_lab.runner.pool import run_on_pool
from quickdraw_lab.runner.run import tasks_of
from quickdraw_lab.testbed import FieldSetting, TestBed

TEST_BED = TestBed(seed=1, n_arms=20, n_rounds=40, warmup=10)


def regrets(records):
    return {FieldRun.from_json(record["run"]): record["regret_per_round"] for record in records}


def test_plays_every_run_once_and_as_one_process_does():
    runs = [
        FieldRun(setting, Contestant(policy), field)
        for setting in (FieldSetting(), FieldSetting(rho_x=0.5))
        for policy in ("Random", "SlidingEpsilonGreedy")
        for field in range(2)
    ]
    tasks = tasks_of(runs)
    records = list(run_on_pool(partial(play_field_runs, TEST_BED), tasks, jobs=2))
    assert sorted(map(str, (FieldRun.from_json(record["run"]) for record in records))) == sorted(map(str, runs))
    here = regrets(record for task in tasks for record in play_field_runs(TEST_BED, task))
    assert regrets(records) == pytest.approx(here, rel=1e-9)


def test_a_process_that_dies_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "deadly_policy.py").write_text(
        "import os\n"
        "class Deadly:\n"
        "    def __init__(self, arms, seed): pass\n"
        "    def select(self, time): os._exit(3)\n"
        "    def update(self, time, arm, reward): pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    tasks = [[FieldRun(FieldSetting(), Contestant("deadly_policy:Deadly"), 0)]]
    with pytest.raises(BrokenProcessPool, match="finished runs are kept, repeat the command to continue"):
        list(run_on_pool(partial(play_field_runs, TEST_BED), tasks, jobs=1))
