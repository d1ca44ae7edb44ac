import json
import sys

import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.environments import random_field
from quickdraw_lab.figures.field_run import FieldRun, play_field_runs
from quickdraw_lab.players.contestant import Contestant
from quickdraw_lab.runner.run import tasks_of
from quickdraw_lab.testbed import FieldSetting, TestBed

TEST_BED = TestBed(seed=3, n_arms=30, n_rounds=60, warmup=20)


def test_a_record_is_what_the_library_measures():
    run = FieldRun(FieldSetting(0.2, 0.3, 2.0, 0.1), Contestant("QuickDraw", (("length_scale", 0.5),)), field=4)
    [record] = play_field_runs(TEST_BED, [run])
    seed = TEST_BED.field_seed(4)
    env = qd.environments.RandomField(0.2, 0.3, 2.0, 0.1, n_arms=30, n_rounds=60, seed=seed)
    trace = qd.simulate(qd.QuickDraw(env.arms, length_scale=0.5, seed=seed), env, warmup=20, seed=seed)
    assert record["regret_per_round"] == pytest.approx(trace.regret_per_round, rel=1e-12)
    assert 0 < record["seconds"] < 10
    assert FieldRun.from_json(json.loads(json.dumps(record["run"]))) == run


def test_runs_that_share_a_field_make_it_once(monkeypatch):
    made = []
    original = random_field.gaussian_waves
    monkeypatch.setattr(random_field, "gaussian_waves", lambda *given: made.append(given) or original(*given))
    settings = [FieldSetting(), FieldSetting(alpha=3.0), FieldSetting(sigma_noise=0.2), FieldSetting(rho_t=1.0)]
    policies = [Contestant("Random"), Contestant("SlidingEpsilonGreedy")]
    runs = [FieldRun(setting, policy, 0) for setting in settings for policy in policies]
    list(play_field_runs(TEST_BED, [runs[0]]))  # getting a policy ready may make a field of its own
    list(play_field_runs(TEST_BED, [runs[1]]))
    made.clear()
    tasks = tasks_of(runs)
    assert [len(task) for task in tasks] == [6, 2]
    assert sum(len(list(play_field_runs(TEST_BED, task))) for task in tasks) == 8
    assert len(made) == 2


def test_settings_differ_only_in_what_is_varied():
    runs = [FieldRun(FieldSetting(sigma_noise=noise), Contestant("Random"), 0) for noise in (0.0, 0.3)]
    without, with_noise = play_field_runs(TEST_BED, runs)
    # Random plays the same arms, and regret is measured in means.
    assert without["regret_per_round"] == with_noise["regret_per_round"]


def test_tasks_go_field_by_field():
    runs = [FieldRun(FieldSetting(rho_x=rho), Contestant("Random"), field) for rho in (0.1, 1.0) for field in range(3)]
    assert [task[0].field for task in tasks_of([*runs, *runs])] == [0, 0, 1, 1, 2, 2]


def test_a_failure_is_recorded_and_the_others_go_on():
    bad = Contestant("QuickDraw", (("length_scale", -1.0),))
    runs = [FieldRun(FieldSetting(), bad, 0), FieldRun(FieldSetting(), Contestant("Random"), 0)]
    failed, fine = play_field_runs(TEST_BED, runs)
    assert failed["error"].startswith("ValueError: length_scale must be")
    assert "error" not in fine


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        ("ValueError('two\\nlines')", "ValueError: two lines"),
        ("KeyError", "KeyError"),
        ("RuntimeError('\\udcff')", r"RuntimeError: \udcff"),
        ("SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_an_error_is_one_line_that_can_be_written(tmp_path, monkeypatch, raised, message):
    (tmp_path / "raising.py").write_text(
        f"class P:\n"
        f"    def __init__(self, arms, seed): pass\n"
        f"    def select(self, time): return 0\n"
        f"    def update(self, time, arm, reward): raise {raised}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "raising", raising=False)
    [record] = play_field_runs(TEST_BED, [FieldRun(FieldSetting(), Contestant("raising:P"), 0)])
    assert record["error"] == message
