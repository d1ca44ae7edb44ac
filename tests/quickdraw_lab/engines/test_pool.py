from concurrent.futures.process import BrokenProcessPool
from functools import partial

import pytest

from quickdraw_lab.any_run import tasks_of
from quickdraw_lab.bed import Bed, Setting
from quickdraw_lab.engines.pool import play_on_pool
from quickdraw_lab.runs import Contestant, Run, play_task

BED = Bed(seed=1, n_arms=20, n_rounds=40, warmup=10)


def regrets(records):
    return {Run.from_json(record["run"]): record["regret_per_round"] for record in records}


def test_plays_every_run_once_and_as_one_process_does():
    runs = [
        Run(setting, Contestant(policy), field)
        for setting in (Setting(), Setting(rho_x=0.5))
        for policy in ("Random", "SlidingEpsilonGreedy")
        for field in range(2)
    ]
    tasks = tasks_of(runs)
    records = list(play_on_pool(partial(play_task, BED), tasks, jobs=2))
    assert sorted(map(str, (Run.from_json(record["run"]) for record in records))) == sorted(map(str, runs))
    here = regrets(record for task in tasks for record in play_task(BED, task))
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
    tasks = [[Run(Setting(), Contestant("deadly_policy:Deadly"), 0)]]
    with pytest.raises(BrokenProcessPool, match="the same command goes on from there"):
        list(play_on_pool(partial(play_task, BED), tasks, jobs=1))
