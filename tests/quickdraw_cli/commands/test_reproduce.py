import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quickdraw_cli import main
from quickdraw_lab.players.built_in import PAPER

SMALL = ["--arms", "20", "--rounds", "60", "--warmup", "20", "--jobs", "1"]

OWN = """
class First:
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
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows(path)]


@pytest.mark.usefixtures("in_this_process")
def test_writes_table_and_figures(capsys):
    assert main(["reproduce", "F5", "F9", "--fields", "2", *SMALL, "--out", "there"]) == 0
    table = rows("there/F5.csv")
    assert list(table[0]) == ["parameter", "value", "policy", "field", "regret_per_round", "seconds"]
    assert len(table) == 5 * 5 * 2
    assert {row["policy"] for row in table} == set(PAPER)
    assert len(rows("there/F9.csv")) == 9 * 2
    by_field = rows("there/F9_fields.csv")
    assert [(row["value"], row["field"]) for row in by_field] == [
        (row["value"], row["field"]) for row in rows("there/F9.csv")
    ]
    assert all(0 < float(row["distinct_share"]) <= 1 for row in by_field)
    for name in ("F5", "F9"):
        assert Path(f"there/{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in Path(f"there/{name}.svg").read_text()
    said = capsys.readouterr()
    assert said.out == "\nwritten to there: F5.csv, F5.png, F5.svg, F9.csv, F9.png, F9.svg, F9_fields.csv\n"
    assert "66 of 66 runs" in said.err
    # What is there is not played again; more fields are added to it.
    before = Path("there/F5.csv").read_bytes()
    assert main(["reproduce", "F5", "--fields", "2", *SMALL, "--out", "there"]) == 0
    assert Path("there/F5.csv").read_bytes() == before
    assert "runs" not in capsys.readouterr().err
    assert main(["reproduce", "F9", "--fields", "3", *SMALL, "--out", "there"]) == 0
    assert "9 of 9 runs" in capsys.readouterr().err


def test_killed_and_started_again_gives_the_same_table():
    command = ["reproduce", "F8", "--fields", "4", "--arms", "50", "--rounds", "500", "--jobs", "1", "--out"]
    process = subprocess.Popen(
        [sys.executable, "-m", "quickdraw_cli", *command, "killed", "--jobs", "2"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    store = Path("killed/runs.jsonl")
    give_up = time.monotonic() + 600  # a busy machine takes minutes to compile
    while not (store.exists() and store.read_bytes().count(b"\n") > 5):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < give_up
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.read()  # ends when the last of the worker processes has, as they hold its other end
    process.stderr.close()
    done = store.read_bytes().count(b"\n") - 1
    assert 5 <= done < 36
    assert not Path("killed/F8.csv").exists()
    with store.open("ab") as file:
        file.write(b'12345678 {"run":{"rho')  # a record torn by the kill

    assert main([*command, "killed"]) == 0
    assert store.read_bytes().count(b"\n") == 1 + 36 + 1  # header, each run once, the torn record
    assert main([*command, "undisturbed"]) == 0
    assert without_seconds("killed/F8.csv") == without_seconds("undisturbed/F8.csv")


@pytest.mark.usefixtures("in_this_process")
def test_own_policies_join_and_one_that_fails_is_reported(capsys, tmp_path):
    (tmp_path / "mine_for_reproduce.py").write_text(OWN)
    own = ["--policy", "mine_for_reproduce:First", "--policy", "mine_for_reproduce:Failing"]
    assert main(["reproduce", "F4", "--fields", "1", *SMALL, *own]) == 1
    assert sys.path[-1] == str(tmp_path)  # what lies in the working folder hides no library
    table = rows("results/F4.csv")
    assert [row["policy"] for row in table][:6] == [*PAPER, "mine_for_reproduce:First"]
    assert len(table) == 6 * 6
    failed = rows("results/failures.csv")
    assert [row["message"] for row in failed] == ["RuntimeError: not today"] * 6
    said = capsys.readouterr().err
    assert "6 runs failed; the first was mine_for_reproduce:Failing: RuntimeError: not today\n" in said
    assert main(["reproduce", "F4", "--fields", "1", *SMALL]) == 0
    assert not Path("results/failures.csv").exists()


@pytest.mark.usefixtures("in_this_process")
def test_results_of_another_seed_are_refused_and_kept(capsys, tmp_path):
    command = ["reproduce", "F8", "--fields", "1", *SMALL]
    assert main(command) == 0
    capsys.readouterr()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for other in (["--seed", "1"], ["--rounds", "61"]):
        assert main([*command, *other]) == 2
        said = capsys.readouterr()
        assert said.err.startswith("quickdraw reproduce: error: results holds results with ")
        assert said.err.count("\n") == 1
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_former_name_of_the_runner_is_accepted(in_this_process, capsys):
    assert main(["reproduce", "F8", "--fields", "1", *SMALL, "--engine", "pool"]) == 0
    assert main(["reproduce", "F8", "--engine", "slow"]) == 2
    assert "argument --engine: invalid choice: 'slow'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["F99"], "argument ID: invalid choice: 'F99'"),
        (["F4", "--fields", "0"], "fields must be an integer of at least 1, got 0"),
        (["F4", "--fields", "-3"], "fields must be an integer of at least 1, got -3"),
        (["F4", "--jobs", "0"], "jobs must be an integer of at least 1, got 0"),
        (["F4", "--seed", "-1"], "seed must be an integer of at least 0, got -1"),
        (["F4", "--rounds", "50"], "warmup must be an integer from 0 to 49, got 100"),
        (["F4", "--policy", "nothing"], "there is no policy 'nothing'; known policies are "),
        (["F4", "--ray-address", "auto"], "--ray-address needs --runner ray"),
        (["F4", "--runner", "slow"], "argument --runner: invalid choice: 'slow'"),
        (["F4", "--policy", "Random,QuickDraw"], "policy must be one name, got 'Random,QuickDraw'"),
        (["F4", "TAB1", "--data", "none"], "none/random/women must hold women.csv or women.csv.gz"),
        (["F4", "TAB1", "--policies", "nobody"], "there is no policy 'nobody'; known policies are "),
        (["F4", "TAB1", "--runs", "0"], "runs must be an integer of at least 1, got 0"),
        (["F4", "--out", "file"], "file: File exists"),
        (["F4", "--out", "file/below"], "file/below: Not a directory"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(capsys, tmp_path, arguments, message):
    (tmp_path / "file").write_text("x")
    assert main(["reproduce", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"quickdraw reproduce: error: {message}")
    assert said.err.count("\n") == 1
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["file"]


def test_ray_that_is_not_installed_is_named(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["reproduce", "F4", "--runner", "ray"]) == 2
    assert capsys.readouterr().err == (
        "quickdraw reproduce: error: runs on Ray need ray: "
        'pip install "quickdraw-bandits[ray]" (from a clone: pip install ".[ray]")\n'
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("in_this_process")
def test_examples_come_with_their_comparisons_over_fields(capsys, monkeypatch):
    monkeypatch.setattr(
        "quickdraw_lab.figures.write.in_one_thread",
        lambda example, figure_id, test_bed, out: example(figure_id, test_bed, out),
    )
    assert main(["reproduce", "F3", "F13", "--fields", "2", *SMALL, "--out", "there"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("\nwritten to there: F3.csv, F3.png, F3.svg, F3_fields.csv, F13.csv, ")
    compared = rows("there/F3_fields.csv")
    assert {row["policy"] for row in compared} == {*PAPER, "DiscountedUCB", "SlidingUCB"}
    assert [(row["value"], row["field"]) for row in rows("there/F13_fields.csv")] == [
        ("0.1", "0"), ("0.1", "1"), ("1.0", "0"), ("1.0", "1"),
    ]  # fmt: skip
