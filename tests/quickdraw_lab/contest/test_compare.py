import numpy as np
import pytest
from matplotlib import pyplot

import quickdraw_bandits as qd
from quickdraw_lab import TestBed, compare

SMALL = TestBed(seed=2, n_arms=20, n_rounds=60, warmup=20)
FEW = {"budget": 2, "fields": 2, "tuning_fields": 1, "test_bed": SMALL}


class First:
    """Always the first arm, or another by its parameter."""

    contest_grid = ({}, {"arm": 7})

    def __init__(self, arms, arm=0, seed=None):
        self.arm = arm

    def select(self, time):
        return self.arm

    def update(self, time, arm, reward):
        pass


LINE = First.update.__code__.co_firstlineno + 9  # of the error below


class Failing(First):
    def select(self, time):
        raise RuntimeError("not today")


@pytest.mark.usefixtures("in_this_process")
def test_plays_what_the_command_plays(tmp_path, monkeypatch):
    from quickdraw_cli import main

    monkeypatch.chdir(tmp_path)
    options = ["--arms", "20", "--rounds", "60", "--warmup", "20", "--seed", "2", "--jobs", "1"]
    few = ["--fields", "2", "--tuning-fields", "1", "--budget", "2"]
    assert main(["compare", "Restless", "Random", "--on", "hill", *options, *few, "--out", "there"]) == 0
    contest = compare(["Restless", qd.policies.Random], "hill", **FEW)
    contest.save(tmp_path / "here")

    def without_seconds(folder):
        lines = (tmp_path / folder / "contest_runs.csv").read_text().splitlines()
        return [line.split(",")[:4] for line in lines]

    assert without_seconds("here") == without_seconds("there")
    assert (tmp_path / "here/contest_tuning.csv").read_text() == (tmp_path / "there/contest_tuning.csv").read_text()
    assert (tmp_path / "here/contest.html").exists()


def test_own_policies_are_tuned_and_compared_as_objects():
    env = qd.environments.KnownFunction(lambda x: x, n_arms=20, n_rounds=60)
    built = First(env.arms, arm=19)
    contest = compare({"mine": First, "made": lambda arms, seed: First(arms, 3), "built": built}, {"line": env}, **FEW)
    chosen = {row["policy"]: (row["parameters"], row["settings_tried"]) for row in contest.rows}
    assert chosen == {"built": ("defaults", 1), "mine": ("arm=7", 2), "made": ("defaults", 1)}
    regret = {row["policy"]: row["regret_per_round"] for row in contest.rows}
    assert regret == pytest.approx({"built": 0.0, "mine": 24 / 19, "made": 32 / 19})
    frame = contest.to_frame()
    assert frame["policy"].to_list() == ["built", "mine", "made"]
    assert frame["environment"].to_list() == ["line"] * 3


def test_environments_may_be_functions_records_and_fields():
    rewards = np.random.default_rng(0).random((50, 6))
    contest = compare(
        ["Random"],
        {
            "drawn": lambda seed: qd.environments.RandomField(n_arms=6, n_rounds=30, seed=seed),
            "field": qd.environments.RandomField(n_arms=6, n_rounds=30),
            "record": qd.environments.Recorded(rewards, qd.Arms.grid(0, 1, 6)),
        },
        **FEW,
    )
    assert [row["environment"] for row in contest.rows] == ["drawn", "field", "record"]
    drawn, field, record = np.array([row["regret_per_round"] for row in contest.runs]).reshape(3, 2)
    np.testing.assert_array_equal(drawn, field)  # drawn again from the same seeds
    assert len({*field, *record}) == 4


def test_a_failing_policy_leaves_its_traceback_and_the_others_go_on():
    contest = compare([Failing, "Random"], "hill", **FEW)
    assert [row["policy"] for row in contest.rows] == ["Random"]
    for failed in contest.failures:
        assert failed["message"] == "RuntimeError: not today"
        assert f'File "{__file__}", line {LINE}, in select' in failed["traceback"]
        assert "simulate.py" not in failed["traceback"]
    assert len(contest.failures) == 2
    assert "not today" in str(contest)
    assert repr(contest).endswith("2 runs failed)")


def test_who_cannot_be_built_is_left_out():
    built = qd.policies.Random(qd.Arms.grid(0, 1, 3))
    contest = compare({"old": built, "Restless ": qd.policies.Restless}, "hill", **FEW)
    assert contest.left_out[0]["policy"] == "old"
    assert contest.left_out[0]["reason"].startswith("it was built on 3 arms, and the environment has 20")


def test_the_plot_has_one_panel_per_environment():
    contest = compare(["Random", "Restless"], ["hill", "base"], **FEW)
    panels = contest.plot()
    assert [panel.get_title("left") for panel in panels] == ["hill", "base"]
    assert [text.get_text() for text in panels[0].get_yticklabels()] == [
        {"Random": "Random", "Restless": "Restless"}[row["policy"]] for row in contest.rows[:2]
    ]
    pyplot.close("all")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], "hill"), "policies must be at least one, got none"),
        (([3], "hill"), "policies must be names, classes, functions .* got 3"),
        (({"Random": First}, "hill"), "policies must not give a name of the library"),
        ((["Random", "Random"], "hill"), "policies must have different names, got 'Random' twice"),
        ((["Random"], ["hill", "hill"]), "environments must have different names, got 'hill' twice"),
        ((["Random"], "nowhere"), "there is no environment 'nowhere'"),
        ((["Random"], [3]), "environments must be names, environments or functions"),
        ((["Random"], {"x": lambda seed: 3}), "the function must return an Environment, got int"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(*arguments, **FEW)


def test_several_processes_refuse_what_they_cannot_import():
    with pytest.raises(ValueError, match="jobs must be 1, or mine must be defined in a module"):
        compare({"mine": lambda arms, seed: First(arms)}, "hill", jobs=2, **FEW)
