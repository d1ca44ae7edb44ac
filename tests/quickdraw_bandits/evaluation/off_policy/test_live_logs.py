"""Logs of a live adaptive policy tell what other policies would have earned; the benchmark has 200 of them."""

import csv

import numpy as np
import pytest

from benchmarks.live_logs import evaluated, write_log
from quickdraw_cli import main

TRUSTED = ("ips", "self-normalised ips", "doubly robust", "self-normalised doubly robust")


@pytest.mark.slow
def test_intervals_contain_the_true_value_of_other_policies():
    rows = [row for seed in range(900, 924) for row in evaluated(seed, rounds=400)]
    for policy in ("Random", "SlidingEpsilonGreedy", "QuickDraw"):
        some = [row for row in rows if row["policy"] == policy and row["estimator"] in TRUSTED]
        assert len(some) == 24 * len(TRUSTED)
        # The estimators agree with each other: these are 24 logs, of which 95 % are expected.
        assert np.mean([row["covers"] for row in some]) >= 0.85
        assert np.mean([row["value"] - row["truth"] for row in some]) == pytest.approx(0, abs=0.06)


def test_the_command_says_the_same_of_a_log(tmp_path, capsys):
    write_log(tmp_path / "log.csv", seed=900, rounds=400)
    policies = ["--policies", "Random", "SlidingEpsilonGreedy", "QuickDraw"]
    options = ["--learn-from", "logged", "--seed", "900", "--jobs", "1", "--out", str(tmp_path)]
    assert main(["evaluate", str(tmp_path / "log.csv"), *policies, *options]) == 0
    capsys.readouterr()
    with (tmp_path / "estimates.csv").open(newline="") as file:
        said = {(row["policy"], row["estimator"]): float(row["value"]) for row in csv.DictReader(file)}
    expected = {(row["policy"], row["estimator"]): row["value"] for row in evaluated(900, rounds=400)}
    assert said.keys() == expected.keys()
    assert said == pytest.approx(expected, rel=1e-6)
