from dataclasses import asdict

import pytest

from quickdraw_lab.figures.catalogue import SIMULATED
from quickdraw_lab.figures.f4_to_f9_sweeps import SWEEPS
from quickdraw_lab.figures.sweep import runs_of, table_of
from quickdraw_lab.players.built_in import PAPER
from quickdraw_lab.players.contestant import Contestant
from quickdraw_lab.runner.run import tasks_of
from quickdraw_lab.testbed import FieldSetting


@pytest.mark.parametrize(("piece", "count"), [("F4", 5), ("F5", 5), ("F6", 5), ("F7", 5), ("F8", 7), ("F9", 7)])
def test_enough_values_each_varied_alone(piece, count):
    sweep = SWEEPS[piece]
    assert len(sweep.values) >= count
    assert list(sweep.values) == sorted(set(sweep.values))
    for case in sweep.cases():
        changed = {name: value for name, value in asdict(case.setting).items() if value != asdict(FieldSetting())[name]}
        if sweep.of_policy:
            assert changed == {}
            expected = () if case.value == 1 else ((sweep.of_policy[0], case.value),)
            assert case.contestant == Contestant("QuickDraw", expected)
        else:
            at_base = case.value == asdict(FieldSetting())[sweep.parameter]
            assert changed == ({} if at_base else {sweep.parameter: case.value})


def test_the_extremes_that_the_text_names():
    assert min(SWEEPS["F6"].values) == min(SWEEPS["F7"].values) == 1e-3
    assert 1e-2 in SWEEPS["F7"].values
    for piece in ("F8", "F9"):
        assert (min(SWEEPS[piece].values), max(SWEEPS[piece].values)) == (1e-2, 1e2)


def test_the_base_setting_is_played_once_for_all_sweeps():
    runs = runs_of(SWEEPS.values(), fields=2)
    assert len(set(runs)) == len(runs)
    at_base = [run for run in runs if run.setting == FieldSetting() and not run.contestant.parameters]
    assert sorted((run.contestant.policy, run.field) for run in at_base) == sorted(
        (policy, field) for policy in PAPER for field in range(2)
    )


def test_a_field_is_made_once_for_all_values_of_alpha_and_noise():
    tasks = tasks_of(runs_of(SWEEPS.values(), fields=1))
    lengths = {(task[0].setting.rho_x, task[0].setting.rho_t) for task in tasks}
    assert len(tasks) == len(lengths) == len(SWEEPS["F6"].values) + len(SWEEPS["F7"].values) - 1


def test_policies_from_elsewhere_join_where_all_policies_play():
    own = Contestant("mine:Policy", source="0")
    assert {case.contestant.policy for case in SWEEPS["F4"].cases([own])} == {*PAPER, "mine:Policy"}
    assert {case.contestant.policy for case in SWEEPS["F8"].cases([own])} == {"QuickDraw"}


def test_a_policy_that_is_there_already_plays_once():
    policies = [case.contestant.policy for case in SIMULATED["F3"].sweep.cases([Contestant("DiscountedUCB")])]
    assert sorted(policies) == sorted({*PAPER, "DiscountedUCB", "SlidingUCB"})


def test_the_table_is_flat_and_leaves_out_what_failed():
    sweep = SWEEPS["F8"]
    records = {
        run: {"regret_per_round": float(run.field), "seconds": 0.5} if i else {"error": "no"}
        for i, run in enumerate(runs_of([sweep], fields=2))
    }
    rows = table_of(sweep, records, fields=2)
    assert len(rows) == 2 * len(sweep.values) - 1
    assert rows[0] == {
        "parameter": "l_x", "value": 0.01, "policy": "QuickDraw", "field": 1, "regret_per_round": 1.0, "seconds": 0.5,
    }  # fmt: skip
    assert table_of(sweep, {}, fields=2) == []
