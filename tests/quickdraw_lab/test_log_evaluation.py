import math

import numpy as np
import pytest

from quickdraw_bandits.datasets import generate_log
from quickdraw_bandits.evaluation.off_policy import builder, play_logs
from quickdraw_bandits.policies import Random, SlidingEpsilonGreedy
from quickdraw_lab.figures.f12_tab1_open_bandit import beside_printed, figure_12, figure_12_builders, table_1
from quickdraw_lab.log_evaluation import estimate_rows, summary_rows


def test_records_and_their_summary():
    log, rates = generate_log(300, n_arms=5, level=0.1, width=0.5, group_sizes=[1], seed=0)
    builders = {"Greedy": builder(SlidingEpsilonGreedy), "Random": builder(Random)}
    plays = play_logs(log, builders, runs=3, learn_from="matched", interval=100, truth=rates, seed=1)
    rows = list(estimate_rows(plays, "matched"))
    assert len(rows) == 2 * 3 * 6
    summary = summary_rows(rows)
    assert len(summary) == 2 * 6
    values = [row["value"] for row in rows if row["policy"] == "Greedy" and row["estimator"] == "ips"]
    greedy = summary[0]
    assert (greedy["policy"], greedy["estimator"], greedy["runs"]) == ("Greedy", "ips", 3)
    assert greedy["value"] == pytest.approx(np.mean(values))
    assert greedy["sd"] == pytest.approx(np.std(values, ddof=1))
    assert greedy["weakness"] != ""
    uniform = rates(log.group, log.time).mean()
    assert summary[6]["true_value"] == pytest.approx(uniform)

    table = table_1(summary)
    assert list(table[0]) == ["policy", "ctr_percent", "sd", "ess", "learn_from", "events"]
    assert [row["policy"] for row in table] == ["Greedy", "Random"]
    assert table[0]["ctr_percent"] == pytest.approx(100 * np.mean(values))
    beside = beside_printed(table)
    assert math.isnan(beside[0]["printed"])
    assert (beside[1]["printed"], beside[1]["printed_sd"]) == (0.49, 0.05)


def test_one_run_has_no_deviation():
    log, _ = generate_log(200, n_arms=5, level=0.1, width=0.5, group_sizes=[1], seed=0)
    assert math.isnan(summary_rows(estimate_rows(play_logs(log, {"Random": builder(Random)}), "logged"))[0]["sd"])


def test_figure_12_has_a_row_for_each_time_scale():
    log, _ = generate_log(200, n_arms=5, level=0.1, width=0.5, group_sizes=[1], seed=0)
    builders = figure_12_builders([0.25, 4.0])
    for scale, build in zip([0.25, 4.0], builders.values(), strict=True):
        assert build(log.arms, np.random.default_rng(0)).kernel.time_scale == scale
    rows = figure_12(summary_rows(estimate_rows(play_logs(log, builders), "logged")))
    assert [row["time_scale"] for row in rows] == [0.25, 4.0]
    assert all(row["low"] <= row["ctr_percent"] <= row["high"] or math.isnan(row["low"]) for row in rows)
