import csv
import fcntl
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from quickdraw_cli import main
from quickdraw_lab.players.built_in import known_policies

pytestmark = pytest.mark.usefixtures("in_this_process")

SMALL = ["--arms", "20", "--rounds", "60", "--warmup", "20", "--jobs", "1"]
FEW = ["--fields", "2", "--tuning-fields", "1", "--budget", "2"]

OWN = """
class First:
    contest_version = "mine 7"
    def __init__(self, arms, seed): pass
    def select(self, time): return 0
    def update(self, time, arm, reward): pass

class Failing(First):
    def select(self, time):
        raise RuntimeError("not today")
"""


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def without_seconds(path):
    return [{name: value for name, value in row.items() if "seconds" not in name} for row in rows(path)]


def test_tunes_plays_and_writes(capsys, tmp_path):
    (tmp_path / "mine_for_compare.py").write_text(OWN)
    np.save("road.npy", np.random.default_rng(0).uniform(size=(20, 60)))
    who = ["QuickDraw", "Restless", "Random", "--policy", "mine_for_compare:First"]
    where = ["--on", "base", "road:noise=0.1", "--recorded", "road=road.npy", "--arms-in-rows"]
    command = ["compare", *who, *where, *SMALL, *FEW, "--out", "there"]
    assert main(command) == 0
    said = capsys.readouterr()
    assert "base, 2 fields; paired differences from QuickDraw\n" in said.out
    assert "road:noise=0.1, 2 fields; " in said.out
    assert "not tuned: mine_for_compare:First has no grid and plays with its defaults\n" in said.err
    assert "tuning: 8 of 8 runs" in said.err  # two policies with parameters, two settings, two environments
    assert "result: 16 of 16 runs" in said.err
    table = rows("there/contest.csv")
    assert len(table) == 8
    assert {row["version"] for row in table if row["policy"] == "mine_for_compare:First"} == {"mine 7"}
    tried = rows("there/contest_tuning.csv")
    for row in table:
        mine = [
            other for other in tried if (other["environment"], other["policy"]) == (row["environment"], row["policy"])
        ]
        assert len(mine) == (2 if row["policy"] in ("QuickDraw", "Restless") else 0)
        if mine:
            best = min(mine, key=lambda other: float(other["tuning_regret"]))
            assert [other["chosen"] for other in mine].count("yes") == 1
            assert (best["chosen"], best["parameters"]) == ("yes", row["parameters"])
    for name in ("contest_ranks", "contest_regrets"):
        assert Path(f"there/{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in Path(f"there/{name}.svg").read_text()
    # What is there is not played again, and more fields are added to it.
    before = Path("there/contest.csv").read_bytes()
    assert main(command) == 0
    assert Path("there/contest.csv").read_bytes() == before
    assert "runs" not in capsys.readouterr().err
    assert main([*command, "--fields", "3"]) == 0
    assert "result: 8 of 8 runs" in capsys.readouterr().err


def test_a_contest_that_was_stopped_continues_and_gives_the_same_tables():
    """The store holds the first tuning runs and half of the next, as if the process had been killed there."""
    size = [*SMALL, "--fields", "3", "--tuning-fields", "2", "--budget", "4"]
    command = ["compare", "Restless", "SlidingEpsilonGreedy", "--on", "hill", "moving-hill", *size, "--out"]
    assert main([*command, "undisturbed"]) == 0
    lines = Path("undisturbed/contest.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 2 * 2 * (2 * 4 + 3)
    Path("stopped").mkdir()
    Path("stopped/contest.jsonl").write_bytes(b"".join(lines[:7]) + lines[7][:40])
    assert main([*command, "stopped"]) == 0
    assert Path("stopped/contest.jsonl").read_bytes().count(b"\n") == len(lines) + 1  # and the line that was cut
    for name in ("contest", "contest_runs", "contest_tuning"):
        assert without_seconds(f"stopped/{name}.csv") == without_seconds(f"undisturbed/{name}.csv")


def test_a_policy_that_fails_is_reported_and_the_others_go_on(capsys, tmp_path):
    (tmp_path / "mine_that_fails.py").write_text(OWN)
    command = ["compare", "Random", "--on", "hill", *SMALL, *FEW, "--out", "there"]
    assert main([*command, "--policy", "mine_that_fails:Failing"]) == 1
    assert [row["policy"] for row in rows("there/contest.csv")] == ["Random"]
    assert [row["message"] for row in rows("there/contest_failures.csv")] == ["RuntimeError: not today"] * 2
    said = capsys.readouterr().err
    assert "\n2 runs failed; the first was mine_that_fails:Failing: RuntimeError: not today\n" in said
    assert f'File "{tmp_path / "mine_that_fails.py"}", line 10, in select' in said
    assert main(command) == 0
    assert not Path("there/contest_failures.csv").exists()


def test_who_cannot_play_is_named_and_left_out(capsys):
    command = ["compare", "Random", "SlidingGPUCB", "--on", "base", *SMALL, *FEW, "--budget", "1"]
    assert main(command) == 0
    assert not Path("results/contest/contest_left_out.csv").exists()
    Path("never.py").write_text(
        "class Never:\n"
        "    def __init__(self, arms, seed): raise ValueError('arms must be something else')\n"
        "    def select(self, time): pass\n"
        "    def update(self, time, arm, reward): pass\n"
    )
    assert main([*command, "--policy", "never:Never"]) == 0
    reason = f"arms must be something else ({Path('never.py').resolve()}:2)"
    assert f"left out: never:Never on base: {reason}\n" in capsys.readouterr().err
    [left_out] = rows("results/contest/contest_left_out.csv")
    assert left_out == {"environment": "base", "policy": "never:Never", "reason": reason}


def test_the_list_shows_all_and_writes_nothing(capsys, tmp_path):
    assert main(["compare", "--list"]) == 0
    said = capsys.readouterr().out
    for name in known_policies():
        assert f"\n{name}\n    " in said
    for name in ("base", "noise-0.1", "noise-0.3", "alpha-3", "slow-drift", "fast-drift", "few-arms", "hill"):
        assert f"\n{name}\n    " in said
    assert "recorded rewards\n    none; give them with --recorded NAME=FILE\n" in said
    assert max(map(len, said.splitlines())) <= 100
    assert not list(tmp_path.iterdir())


def test_results_of_another_seed_or_version_are_refused_and_kept(capsys, tmp_path, monkeypatch):
    command = ["compare", "Random", "--on", "hill", *SMALL, *FEW]
    assert main(command) == 0
    capsys.readouterr()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for other in (["--seed", "1"], ["--rounds", "61"]):
        assert main([*command, *other]) == 2
        said = capsys.readouterr()
        assert said.err.startswith("quickdraw compare: error: results/contest holds results with ")
        assert said.err.count("\n") == 1
    monkeypatch.setattr("quickdraw_bandits.__version__", "9.9")
    assert main(command) == 2
    assert "holds results with version " in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Nobody"], "there is no policy 'Nobody'; known policies are "),
        (["--without", "Nobody"], "there is no policy 'Nobody'; known policies are "),
        (["Random", "--without", "Random"], "--without leaves no policy"),
        (["Random", "--on", "hill", "--again", "Restless"], "--again must name policies that take part, got Restless"),
        (["--policy", "nothing:There"], "policy 'nothing:There': importing nothing failed"),
        (["--on", "nowhere"], "there is no environment 'nowhere'; known environments are "),
        (["--on", "base:depth=1"], "environment 'base:depth=1': the settings of base are "),
        (["--fields", "0"], "fields must be an integer of at least 1, got 0"),
        (["--tuning-fields", "0"], "tuning_fields must be an integer of at least 1, got 0"),
        (["--budget", "0"], "budget must be an integer of at least 1, got 0"),
        (["--jobs", "0"], "jobs must be an integer of at least 1, got 0"),
        (["--seed", "-1"], "seed must be an integer of at least 0, got -1"),
        (["--rounds", "50"], "warmup must be an integer from 0 to 49, got 100"),
        (["--on", "base:noise="], "environment 'base:noise=': noise must be a number, got ''"),
        (["--on", "few-arms:arms=2.5"], "environment 'few-arms:arms=2.5': arms must be an integer from 2"),
        (["--arms", "1"], "n_arms must be an integer of at least 2, got 1"),
        (["--recorded", "file"], "--recorded must be NAME=FILE, with no colon or comma in the name, got 'file'"),
        (["--recorded", "hill=file"], "--recorded must give each file a new name, and there is an environment 'hill'"),
        (["--recorded", "road=none.npy"], "{tmp_path}/none.npy: No such file or directory"),
        (["--recorded", "road=file"], "{tmp_path}/file: the file must be one of .npy, .npz, .csv"),
        (["--no-header"], "--header needs recorded rewards; give --recorded too"),
        (["--arms-in-rows"], "--arms-in-rows needs recorded rewards; give --recorded too"),
        (["--ray-address", "auto", "Random", "--on", "hill"], "--ray-address needs --runner ray"),
        (["Random", "--on", "hill", "--out", "file"], "file: File exists"),
        (["Random", "--on", "hill", "--out", "/dev/null/below"], "/dev/null/below: Not a directory"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_writes_nothing(capsys, tmp_path, arguments, message):
    (tmp_path / "file").write_text("x")
    assert main(["compare", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"quickdraw compare: error: {message.format(tmp_path=tmp_path)}")
    assert said.err.count("\n") == 1
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["file"]


def test_the_smallest_contest_has_no_intervals(capsys):
    """Two arms, two rounds, one field of each, the defaults alone."""
    smallest = ["--arms", "2", "--rounds", "2", "--warmup", "0", "--fields", "1", "--budget", "1", "--jobs", "1"]
    assert main(["compare", "QuickDraw", "Random", "--on", "base", "few-arms:arms=2", *smallest]) == 0
    said = capsys.readouterr().out
    assert "\nbase, 1 field; paired differences from QuickDraw\n" in said
    assert "[" not in said
    table = rows("results/contest/contest.csv")
    assert [row["environment"] for row in table] == ["base", "base", "few-arms:arms=2", "few-arms:arms=2"]
    for row in table:
        assert row["verdict"] == ("reference" if row["policy"] == "QuickDraw" else "open")
        for name in ("regret_low", "regret_high", "difference_low", "difference_high"):
            assert row[name] == "nan"
    assert Path("results/contest/contest_regrets.png").exists()


def test_a_policy_that_fails_in_the_middle_of_one_game_keeps_its_others(capsys, tmp_path):
    (tmp_path / "mine_that_tires.py").write_text(
        "class Tires:\n"
        "    def __init__(self, arms, seed): self.left = 20 if seed % 2 else 1000\n"
        "    def select(self, time):\n"
        "        self.left -= 1\n"
        "        if not self.left: raise RuntimeError('tired\\nof it')\n"
        "        return 0\n"
        "    def update(self, time, arm, reward): pass\n"
    )
    command = ["compare", "Random", "--on", "hill", *SMALL, "--fields", "6", "--out", "there"]
    assert main([*command, "--policy", "mine_that_tires:Tires"]) == 1
    failed = rows("there/contest_failures.csv")
    assert 0 < len(failed) < 6
    assert {row["message"] for row in failed} == {"RuntimeError: tired of it"}
    fields = {row["policy"]: int(row["fields"]) for row in rows("there/contest.csv")}
    assert fields == {"Random": 6, "mine_that_tires:Tires": 6 - len(failed)}


def test_where_all_fail_there_is_no_table_and_what_was_there_before_is_gone(capsys, tmp_path):
    (tmp_path / "mine_alone.py").write_text(OWN)
    others = ["--without", *known_policies()]
    command = ["compare", *others, "--on", "hill", *SMALL, *FEW, "--out", "there", "--policy"]
    assert main([*command, "mine_alone:First"]) == 0
    assert main([*command, "mine_alone:Failing"]) == 1
    assert capsys.readouterr().out.endswith("\nwritten to there: contest.html, contest_failures.csv\n")
    assert sorted(path.name for path in Path("there").iterdir()) == [
        "contest.html", "contest.jsonl", "contest_failures.csv",
    ]  # fmt: skip


@pytest.mark.parametrize("value", ["[1, 2]", "(1, 2)", "object()", "len"])
def test_a_grid_whose_values_cannot_be_stored_is_refused(capsys, tmp_path, monkeypatch, value):
    monkeypatch.delitem(sys.modules, "mine_with_a_grid", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "mine_with_a_grid.py").write_text(f"{OWN}\nFirst.contest_grid = ({{}}, {{'arm': {value}}})\n")
    assert main(["compare", "Random", "--on", "hill", *SMALL, "--policy", "mine_with_a_grid:First"]) == 2
    assert "values in contest_grid must be numbers, texts, True, False or None, got " in capsys.readouterr().err
    assert not Path("results").exists()


def test_a_store_in_use_is_left_to_who_uses_it(capsys, tmp_path):
    command = ["compare", "Random", "--on", "hill", *SMALL, *FEW, "--out", "there"]
    assert main(command) == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    capsys.readouterr()
    with Path("there/contest.jsonl").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert main([*command, "--fields", "3"]) == 2
    assert capsys.readouterr().err == "quickdraw compare: error: there is in use by another process\n"
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("setting", ["hindsight=0.5", "arms_in_rows=2"])
def test_settings_that_are_on_or_off_are_nothing_else(capsys, setting):
    np.save("road.npy", np.random.default_rng(0).uniform(size=(60, 20)))
    assert main(["compare", "Random", "--on", f"road:{setting}", "--recorded", "road=road.npy"]) == 2
    assert f"{setting.partition('=')[0]} must be 0 or 1, got " in capsys.readouterr().err


def test_a_policy_whose_code_has_changed_is_played_again_and_no_other(capsys, monkeypatch):
    command = ["compare", "Random", "ExploreFirst", "--on", "hill", *SMALL, *FEW, "--out", "there"]
    assert main(command) == 0
    before = rows("there/contest_runs.csv")
    store = Path("there/contest.jsonl")
    lines = store.read_bytes().splitlines()
    # As if other code had played: a record with a regret that nobody can have.
    changed = [line for line in lines if b'"ExploreFirst"' in line]
    assert len(changed) == 2 + 2  # two settings on one tuning environment, two environments of the result
    kept = [line for line in lines if line not in changed]
    text = [line.partition(b" ")[2].replace(b'"regret_per_round":', b'"regret_per_round":7') for line in changed]
    store.write_bytes(b"\n".join([*kept, *(b"%08x %s" % (zlib.crc32(each), each) for each in text)]) + b"\n")
    assert main(command) == 0
    assert rows("there/contest_runs.csv") != before
    capsys.readouterr()
    assert main([*command, "--again", "explorefirst"]) == 0
    said = capsys.readouterr().err
    assert "tuning: 2 of 2 runs" in said
    assert "result: 2 of 2 runs" in said
    assert [row["regret_per_round"] for row in rows("there/contest_runs.csv")] == [
        row["regret_per_round"] for row in before
    ]
