"""Policies learn from the columns of data frames: datetimes, labels and rewards."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import quickdraw_bandits as qd

START = datetime(2026, 3, 28, 22, tzinfo=UTC)
TIMES = [START + timedelta(hours=3 * k, microseconds=k) for k in range(6)]  # across the change to summer time
LABELS = ["low", "high", "usual", "low", "usual", "high"]
REWARDS = [1.0, 3.0, 2.0, 1.5, 2.5, 3.5]
TABLE = {"time": TIMES, "arm": LABELS, "reward": REWARDS}
POSITIONS = [0, 2, 1, 0, 1, 2]


def berlin(frame):
    return frame.assign(time=frame["time"].dt.tz_convert("Europe/Berlin"))


FRAMES = {
    "lists": TABLE,
    "pandas": pandas.DataFrame(TABLE),
    "pandas, other zone": berlin(pandas.DataFrame(TABLE)),
    "pandas, no zone": pandas.DataFrame(TABLE).assign(time=lambda frame: frame["time"].dt.tz_localize(None)),
    "pandas, Arrow": berlin(pandas.DataFrame(TABLE)).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, categories": pandas.DataFrame(TABLE).astype({"arm": "category"}),
    "polars": polars.DataFrame(TABLE),
    "polars, other zone": polars.DataFrame(TABLE).with_columns(polars.col("time").dt.convert_time_zone("Asia/Tokyo")),
    "polars, categories": polars.DataFrame(TABLE).with_columns(polars.col("arm").cast(polars.Categorical)),
    "arrow": pyarrow.table(TABLE),
    "arrow, categories": pyarrow.table(TABLE | {"arm": pyarrow.array(LABELS).dictionary_encode()}),
}


@pytest.fixture
def policy():
    arms = qd.Arms([4.99, 5.99, 6.49], labels=["low", "usual", "high"])
    return qd.QuickDraw(arms, time_scale=timedelta(days=1), seed=0)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_columns_of_any_frame_teach_the_same(policy, frame):
    policy.update(frame["time"], frame["arm"], frame["reward"])
    times, arms, rewards = policy.observations
    assert times.tolist() == [time.replace(tzinfo=None) for time in TIMES]
    assert arms.tolist() == POSITIONS
    assert rewards.tolist() == REWARDS


def test_numbers_as_columns():
    for frame in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
        columns = frame({"time": [0.5, 1.5], "arm": [2, 0], "reward": [1, 0]})
        policy = qd.QuickDraw(qd.Arms.grid(0, 1, 3), seed=0)
        policy.update(columns["time"], columns["arm"], columns["reward"])
        assert [column.tolist() for column in policy.observations] == [[0.5, 1.5], [2, 0], [1.0, 0.0]]


def test_one_label(policy):
    policy.update(pandas.Timestamp(START).tz_convert("Asia/Tokyo"), "high", 0.5)
    assert policy.observations[0].tolist() == [START.replace(tzinfo=None)]
    assert policy.select(pandas.Timestamp(START)) in range(3)
    policy.expect(START, "low")
    assert policy.observations[1].tolist() == [2]
    assert policy.pending[1].tolist() == [0]
    policy.forget(START, "low")
    assert len(policy.pending[0]) == 0


@pytest.mark.parametrize(
    "among", [["low", "usual"], pandas.Series(["usual", "low"]), polars.Series([True, True, False])]
)
def test_labels_of_arms_that_may_be_chosen(policy, among):
    chosen = {policy.select(TIMES[0], among=among) for _ in range(30)}
    assert chosen == {0, 1}


def test_labels_of_retired_arms_and_in_questions(policy):
    policy.update(TIMES, LABELS, REWARDS)
    assert policy.estimate(TIMES[-1], ["high"])[0] == policy.estimate(TIMES[-1])[0][2]
    policy.retire("high")
    policy.retire(polars.Series(["low"]))
    assert policy.select(TIMES[-1]) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arm": [*LABELS[:5], "dear"]}, "arm must be one of the 3 labels of the arms, got 'dear' at position 5"),
        ({"arm": LABELS[:5]}, "must have the same length, got 6, 5 and 6"),
        ({"time": pandas.Series([*TIMES[:5], None])}, "time must be a datetime, got NaT at position 5"),
        ({"reward": pandas.Series([*REWARDS[:5], None])}, "reward must be finite, got nan at position 5"),
        ({"time": list(range(6))}, "time must be a datetime, like earlier times and time scales"),
    ],
)
def test_bad_columns_change_nothing(policy, change, message):
    columns = TABLE | change
    with pytest.raises(ValueError, match=message):
        policy.update(columns["time"], columns["arm"], columns["reward"])
    assert policy.n_observations == 0


def test_labels_where_arms_have_none():
    policy = qd.QuickDraw(qd.Arms.grid(0, 1, 3), seed=0)
    with pytest.raises(ValueError, match="arm must be a position, as the arms have no labels, got 'low'"):
        policy.update([0.0], np.array(["low"]), [1.0])
    with pytest.raises(ValueError, match="among must be a position, as the arms have no labels, got 'low'"):
        policy.select(0.0, among=["low"])


def test_one_time_may_be_a_timestamp_of_pandas(policy):
    """It has a ``to_numpy`` as columns have, and is none."""
    policy.update(TIMES, LABELS, REWARDS)
    later = pandas.Timestamp(TIMES[-1]) + pandas.Timedelta(hours=1)
    policy.update(later, "high", 1.0)
    assert policy.observations[0][-1] == later.to_datetime64()
    assert policy.select(later) in range(3)


def test_a_label_can_be_explained_and_a_whole_frame_is_refused():
    import pandas

    arms = qd.Arms([1.0, 2.0], labels=["low", "high"])
    for policy in (qd.QuickDraw(arms), qd.AdaptiveQuickDraw(arms, seed=0), qd.Mixed(qd.QuickDraw(arms), uniform=0.1)):
        policy.update([0.0, 1.0], ["low", "high"], [0.2, 0.9])
        assert policy.explain(2.0, "high").mean == policy.explain(2.0, 1).mean
        with pytest.raises(ValueError, match="reward"):
            policy.update([2.0, 3.0], ["low", "high"], pandas.DataFrame({"paid": [0.1, 0.2]}))


@pytest.mark.parametrize("arm", [4.99, [4.99, 5.99], np.array([4.99])])
def test_numbers_that_look_like_labels_are_refused_with_advice(arm):
    policy = qd.QuickDraw(qd.Arms([4.99, 5.99], labels=["4.99", "5.99"]), time_scale=1.0, seed=0)
    count = np.size(arm)
    times, rewards = ([0.0] * count, [0.5] * count) if np.ndim(arm) else (0.0, 0.5)
    with pytest.raises(ValueError, match=r"a label, which is a string like '4\.99', got 4\.99"):
        policy.update(times, arm, rewards)
    assert policy.n_observations == 0
