import sys
from datetime import timedelta

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.evaluation.off_policy import builder
from quickdraw_bandits.frames import columns_of_rows, frame

BACKENDS = {"polars": polars.DataFrame, "pandas": pandas.DataFrame, "pyarrow": pyarrow.Table}


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_backend_holds_the_same_values(backend):
    columns = {"x": np.array([1.5, 2.5]), "n": [1, 2], "name": ["a", "b"], "on": [True, False], "gap": [None, 3.0]}
    made = frame(columns, backend)
    assert type(made) is BACKENDS[backend]
    plain = polars.DataFrame(made).to_dict(as_series=False)
    assert plain == {"x": [1.5, 2.5], "n": [1, 2], "name": ["a", "b"], "on": [True, False], "gap": [None, 3.0]}


@pytest.mark.parametrize("backend", BACKENDS)
def test_values_that_no_column_can_hold_become_text(backend):
    values = [2.0, "auto", None, timedelta(days=1)]
    made = polars.DataFrame(frame({"exploration": values}, backend))
    assert made["exploration"].to_list() == ["2.0", "auto", None, "1 day, 0:00:00"]


def test_whole_numbers_and_fractions_share_a_column_of_numbers():
    assert frame({"cap": [1, 0.5, None]})["cap"].to_list() == [1.0, 0.5, None]
    assert frame({"cap": [np.float64(0.5), 1]})["cap"].to_list() == [0.5, 1.0]


def test_an_unknown_backend_is_refused():
    with pytest.raises(ValueError, match="backend must be one of polars, pandas, pyarrow, got 'spark'"):
        frame({"a": [1]}, "spark")


@pytest.mark.parametrize(
    ("backend", "cure"),
    [("polars", r"quickdraw-bandits\[tables\]"), ("pandas", "pip install pandas"), ("pyarrow", r"bandits\[parquet\]")],
)
def test_a_missing_library_is_named(backend, cure, monkeypatch):
    monkeypatch.setitem(sys.modules, backend, None)
    with pytest.raises(ImportError, match=cure):
        frame({"a": [1]}, backend)


def test_records_of_different_names_have_all_columns():
    assert columns_of_rows([]) == {}
    assert columns_of_rows([{"b": 1}, {"a": 2}]) == {"b": [1, None], "a": [None, 2]}


@pytest.fixture(scope="module")
def env():
    return qd.environments.KnownFunction(lambda x, t: 1 - abs(x - t), n_arms=20, n_rounds=60)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_trace_as_a_frame(env, backend):
    trace = qd.simulate(qd.policies.SlidingEpsilonGreedy(env.arms, seed=0), env, warmup=10)
    made = polars.DataFrame(trace.to_frame(backend))
    assert made["arm"].to_list() == trace.arms.tolist()
    assert made["regret"].to_list() == trace.regret.tolist()
    after = made.filter(~polars.col("warmup"))
    assert len(after) == 50
    assert after["reward"].mean() == pytest.approx(trace.reward_per_round)
    assert made["policy"].unique().to_list() == ["SlidingEpsilonGreedy"]


def test_the_trace_of_a_policy_that_learns_scales_has_them(env):
    trace = qd.simulate(qd.AdaptiveQuickDraw(env.arms, seed=0), env, warmup=10)
    made = trace.to_frame()
    assert made["length_scale"][:10].null_count() == 10
    last = trace.scales[-1]
    assert made[-1, "length_scale"] == last.length_scale
    assert made[-1, "family"] == last.family


def test_a_tuning_result_as_a_frame(env):
    grid = {"time_scale": [0.1, None], "engine": ["exact"]}
    result = qd.tune(qd.QuickDraw, grid, env, warmup=10)
    made = result.to_frame()
    assert made.columns[:3] == ["policy", "time_scale", "engine"]
    assert made["reward_per_round"].to_list() == [row["reward_per_round"] for row in result.rows]
    assert made["reward_per_round"].is_sorted(descending=True)
    assert dict(made.select("time_scale", "engine").row(0, named=True)) == result.best


def test_estimates_and_events_as_frames():
    log, rates = qd.datasets.generate_log(2000, n_arms=5, level=0.1, width=0.4, seed=1)
    played = qd.evaluation.play_log(log, builder(qd.policies.Random), truth=rates)
    estimates = played.estimates()
    made = estimates.to_frame()
    assert made["estimator"].to_list() == [one.estimator for one in estimates]
    assert made["value"].to_list() == [one.value for one in estimates]
    assert estimates[0].to_frame().equals(made[:1])
    events = played.to_frame()
    assert len(events) == 2000
    weighted = (events["reward"] * events["target"] / events["propensity"]).mean()
    assert weighted == pytest.approx(played.ips().value)
    assert events["true_reward"].mean() == pytest.approx(played.true_value)
