import csv

import numpy as np
import pytest
import sklearn.gaussian_process  # noqa: F401 - loaded before its threads are limited
from threadpoolctl import threadpool_limits

from quickdraw_lab.figures import f1_run_time
from quickdraw_lab.testbed import TestBed


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("F1")
    with pytest.MonkeyPatch.context() as patch, threadpool_limits(1):  # as the command, which uses one thread
        patch.setattr(f1_run_time, "ROUNDS", 20)
        patch.setattr(f1_run_time, "REPEATS", 1)
        patch.setattr(f1_run_time, "FUNCTIONS", 2)
        patch.setattr(f1_run_time, "SHOWN", 8)
        names = f1_run_time.make_run_time("F1", TestBed(n_arms=100), folder)
    assert names[-2:] == ["F1.png", "F1.svg"]

    def read(name):
        with open(folder / name, newline="") as file:
            return list(csv.DictReader(file))

    return {name: read(name) for name in names[:-2]}


def test_three_policies_play_the_same_rounds_on_the_same_arms(tables):
    policies = {}
    for row in tables["F1.csv"]:
        policies.setdefault(row["policy"], []).append(row)
    assert list(policies) == ["QuickDraw", "GPUCB (scikit-learn)", "GPUCB (george)"]
    for rows in policies.values():
        assert [int(row["round"]) for row in rows] == list(range(1, 21))
        assert (np.diff([float(row["cumulative_seconds"]) for row in rows]) > 0).all()
    # They find the higher hill, at 0.45.
    for row in policies["GPUCB (george)"][-3:]:
        assert float(row["arm"]) == pytest.approx(0.45, abs=0.1)


def test_estimates_are_of_the_known_function(tables):
    rows = tables["F1_estimates.csv"]
    assert len(rows) == 3 * 100
    for row in rows[::37]:
        assert float(row["true_mean"]) == pytest.approx(float(f1_run_time.reward(np.array(float(row["arm"])))))
        assert float(row["upper_bound"]) <= float(row["mean"]) + 2 * float(row["std"]) + 1e-9


def test_claims_are_tested_on_several_functions(tables):
    assert len(tables["F1_found.csv"]) == 2 * 2
    assert all(float(row["shortfall"]) >= 0 for row in tables["F1_found.csv"])
    assert len(tables["F1_sensitivity.csv"]) == 2 * len(f1_run_time.SCALES) * 2
