import csv
import sys
from pathlib import Path

import pytest

import quickdraw_bandits as qd
from quickdraw_cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.usefixtures("in_this_process")
def test_the_example_joins_a_sweep_and_beats_random(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(EXAMPLES)
    size = ["--arms", "100", "--rounds", "200", "--warmup", "50", "--fields", "2", "--jobs", "1"]
    command = ["reproduce", "F5", *size, "--policy", "own_policy:NearTheBest", "--out", str(tmp_path)]
    assert main(command) == 0
    with open(tmp_path / "F5.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["value"] == "1.0"]

    def regret(policy):
        return sum(float(row["regret_per_round"]) for row in rows if row["policy"] == policy)

    assert regret("own_policy:NearTheBest") < 0.8 * regret("Random")


def test_the_example_remembers_its_window_alone(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    from own_policy import NearTheBest

    policy = NearTheBest(qd.Arms.grid(-1, 1, 100), seed=0, window=3)
    for round in range(5):
        policy.update(0.1 * round, round, 1.0 - 0.1 * round)
    assert [arm for _, arm in policy.recent] == [2, 3, 4]
