import pytest

from quickdraw_lab.contest.environments import ENVIRONMENTS, EnvironmentSpec
from quickdraw_lab.contest.plan import Plan
from quickdraw_lab.contest.runs import ContestRun
from quickdraw_lab.players.contestant import Contestant
from quickdraw_lab.testbed import TestBed

TEST_BED = TestBed(seed=1, n_arms=10, n_rounds=30, warmup=5)
BASE = {"base": ENVIRONMENTS["base"]}

OWN = """
from quickdraw_bandits.policies import Policy

class Line(Policy):
    contest_grid = [{}, {"x": 1}]
    contest_version = "straight 1.2"
    def __init__(self, arms, x=0, seed=None):
        super().__init__(arms, seed)
        if arms.dimension != 1:
            raise ValueError("arms must lie on a line")
    def _select(self, time): return 0
    def _update(self, times, arms, rewards): pass
"""


def regrets(plan, by_setting):
    """Return records that give the tuning runs of the only entry these regrets, a row to a setting."""
    return {
        ContestRun(BASE["base"], contestant, "tuning", number): {"regret_per_round": regret}
        for contestant, row in zip(plan.entries[0].settings, by_setting, strict=True)
        for number, regret in enumerate(row)
        if regret is not None
    }


def test_every_policy_is_tried_as_often_on_the_same_environments():
    plan = Plan.of(["QuickDraw", "Restless", "Random"], BASE, TEST_BED, fields=4, tuning_fields=3, budget=5)
    runs = plan.tuning_runs()
    for policy in ("QuickDraw", "Restless"):
        mine = [run for run in runs if run.contestant.policy == policy]
        assert len(mine) == 15
        assert len({run.contestant for run in mine}) == 5
        assert {(run.part, run.number) for run in mine} == {("tuning", number) for number in range(3)}
    assert not [run for run in runs if run.contestant.policy == "Random"]


def test_the_least_mean_regret_is_chosen_and_the_first_of_equals():
    plan = Plan.of(["Restless"], BASE, TEST_BED, fields=2, tuning_fields=2, budget=3)
    settings = plan.entries[0].settings
    records = regrets(plan, [[0.4, 0.4], [0.1, 0.5], [0.3, 0.3]])
    assert plan.entries[0].chosen(2, records) == settings[1]  # 0.4, 0.3 and 0.3 on average
    result = plan.result_runs(records)
    assert [(run.contestant, run.part, run.number) for run in result] == [
        (settings[1], "result", 0), (settings[1], "result", 1),
    ]  # fmt: skip


def test_a_setting_that_failed_once_is_not_chosen():
    plan = Plan.of(["Restless"], BASE, TEST_BED, fields=2, tuning_fields=2, budget=3)
    records = regrets(plan, [[0.4, 0.4], [0.0, None], [0.5, 0.5]])
    assert plan.entries[0].chosen(2, records) == plan.entries[0].settings[0]
    assert plan.result_runs(regrets(plan, [[0.1, None]] * 3)) == []


def test_who_cannot_play_is_left_out_in_its_own_words(tmp_path, monkeypatch):
    (tmp_path / "line_for_plan.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    environments = {name: ENVIRONMENTS[name] for name in ("base", "few-arms")}
    plan = Plan.of(["Random", "line_for_plan:Line"], environments, TEST_BED)
    assert [(entry.environment, entry.policy) for entry in plan.entries] == [
        ("base", "Random"), ("base", "line_for_plan:Line"), ("few-arms", "Random"),
    ]  # fmt: skip
    where = f"{tmp_path / 'line_for_plan.py'}:10"
    assert plan.left_out == [
        {"environment": "few-arms", "policy": "line_for_plan:Line", "reason": f"arms must lie on a line ({where})"}
    ]
    own = plan.entries[1].settings
    assert [setting.parameters for setting in own] == [(), (("x", 1),)]
    assert all(setting.source.endswith(" straight 1.2") for setting in own)


def test_a_contest_that_nobody_can_play_is_refused(tmp_path, monkeypatch):
    (tmp_path / "line_alone.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="no policy can play: line_alone:Line: arms must lie on a line"):
        Plan.of(["line_alone:Line"], {"few-arms": ENVIRONMENTS["few-arms"]}, TEST_BED)


def test_the_same_record_elsewhere_is_the_same_environment():
    assert EnvironmentSpec("recorded", (), "here", "1234") == EnvironmentSpec("recorded", (), "there", "1234")
    assert Contestant("Random") != Contestant("Random", source="x")


def test_an_oracle_is_not_tuned_and_plays_on_random_fields_only():
    plan = Plan.of(["Random", "SpaceTimeGPUCB"], {name: ENVIRONMENTS[name] for name in ("base", "hill")}, TEST_BED)
    [entry] = [entry for entry in plan.entries if entry.oracle]
    assert (entry.environment, entry.policy, len(entry.settings)) == ("base", "SpaceTimeGPUCB", 1)
    [left_out] = plan.left_out
    assert (left_out["environment"], left_out["policy"]) == ("hill", "SpaceTimeGPUCB")
    assert "which is known for random fields only" in left_out["reason"]
