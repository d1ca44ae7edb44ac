import gzip
from datetime import UTC, datetime

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from quickdraw_bandits import Arms
from quickdraw_bandits.environments import Recorded
from quickdraw_bandits.environments.reward_tables import may_be_header

DAYS = [datetime(2026, 7, 1, tzinfo=UTC), datetime(2026, 7, 2, tzinfo=UTC), datetime(2026, 7, 4, tzinfo=UTC)]
WIDE = {"day": DAYS, "low": [0.1, 0.8, 0.3], "high": [0.9, 0.2, 0.5]}
REWARDS = np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.5]])
SECONDS = np.array([day.timestamp() for day in DAYS])

FRAMES = {
    "pandas": pandas.DataFrame,
    "pandas zone": lambda columns: pandas.DataFrame(columns).assign(
        day=lambda frame: frame["day"].dt.tz_convert("Asia/Tokyo")
    ),
    "polars": polars.DataFrame,
    "pyarrow": pyarrow.table,
    "dictionary": dict,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_wide_frame(make):
    env = Recorded.from_frame(make(WIDE), time="day", noise=0.5, seed=3)
    np.testing.assert_array_equal(env.mean, REWARDS)
    np.testing.assert_array_equal(env.times, SECONDS)
    assert env.arms.labels.tolist() == ["low", "high"]
    assert (env.noise, env.seed) == (0.5, 3)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_long_frame_in_any_order(make):
    rows = [(DAYS[2], "low", 0.3), (DAYS[0], "high", 0.9), (DAYS[1], "low", 0.8)]
    rows += [(DAYS[0], "low", 0.1), (DAYS[2], "high", 0.5), (DAYS[1], "high", 0.2)]
    days, prices, profits = map(list, zip(*rows, strict=True))
    frame = make({"day": days, "price": prices, "profit": profits})
    arms = Arms([1.0, 2.0], labels=["low", "high"])
    env = Recorded.from_frame(frame, arms, time="day", arm="price", reward="profit")
    np.testing.assert_array_equal(env.mean, REWARDS)
    np.testing.assert_array_equal(env.times, SECONDS)
    assert env.arms is arms
    by_name = Recorded.from_frame(frame, time="day", arm="price", reward="profit")
    assert by_name.arms.labels.tolist() == ["high", "low"]
    np.testing.assert_array_equal(by_name.mean, REWARDS[:, ::-1])


def test_columns_are_matched_with_the_labels_of_given_arms():
    arms = Arms([1.0, 2.0], labels=["high", "low"])
    np.testing.assert_array_equal(Recorded.from_frame(WIDE, arms, time="day").mean, REWARDS[:, ::-1])
    with pytest.raises(ValueError, match="must be named by the labels of the arms, got no column 'medium'"):
        Recorded.from_frame(WIDE, Arms([1.0, 2.0], labels=["high", "medium"]), time="day")
    np.testing.assert_array_equal(Recorded.from_frame(WIDE, Arms([1.0, 2.0]), time="day").mean, REWARDS)


def test_numbers_that_head_columns_are_coordinates():
    env = Recorded.from_frame(pandas.DataFrame(REWARDS, columns=[4.99, 6.49]))
    assert env.arms.points[:, 0].tolist() == [4.99, 6.49]
    assert env.arms.position("6.49") == 1
    plain = Recorded.from_frame(pandas.DataFrame(REWARDS))
    assert plain.arms.labels == range(2)
    assert plain.arms.points[:, 0].tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"low": [0.1, None, 0.3]}, {"time": "day"}, r"frame: column 'low', row 1: .*fill='linear'.*, got nothing"),
        ({"low": [0.1, "x", 0.3]}, {"time": "day"}, "frame: column 'low', row 1: must be a finite number, got 'x'"),
        ({"low": [0.1, np.inf, 0.3]}, {"time": "day"}, "column 'low', row 1: must be a finite number, got inf"),
        ({"low": [0.1, 0.2]}, {"time": "day"}, "columns of frame must have the same length, got {'day': 3, 'low': 2"),
        ({"day": [1, 2, 2]}, {"time": "day"}, "times must increase"),
        ({"day": [1, DAYS[1], 2]}, {"time": "day"}, "column 'day', row 1: must be a number, as in the rows before"),
        ({"day": [DAYS[0], None, DAYS[1]]}, {"time": "day"}, "'day', row 1: must be a number or a date .*got nothing"),
        ({}, {"time": "when"}, "frame has no column 'when'; its columns are 'day', 'low', 'high'"),
        ({}, {"time": "day", "arm": "low"}, "time, arm and reward must be given together"),
        ({}, {"time": "day", "fill": "cubic"}, "fill must be None, a number, 'linear' or 'previous', got 'cubic'"),
    ],
)
def test_bad_frames(changes, options, message):
    with pytest.raises(ValueError, match=message):
        Recorded.from_frame(WIDE | changes, **options)


@pytest.mark.parametrize("frame", [None, "day,low", 3.0, polars.LazyFrame(WIDE), REWARDS])
def test_what_is_no_frame(frame):
    with pytest.raises(ValueError, match="frame must be a data frame"):
        Recorded.from_frame(frame)


def test_long_frames_with_gaps_and_repetitions():
    long = {"t": [0, 0, 1], "arm": ["a", "b", "a"], "paid": [1.0, 2.0, 3.0]}
    names = {"time": "t", "arm": "arm", "reward": "paid"}
    with pytest.raises(ValueError, match=r"got none of arm 'b' at time 1; fill='linear'"):
        Recorded.from_frame(long, **names)
    assert Recorded.from_frame(long, **names, fill="previous").mean.tolist() == [[1, 2], [3, 2]]
    assert Recorded.from_frame(long, **names, fill=0).mean.tolist() == [[1, 2], [3, 0]]
    with pytest.raises(
        ValueError, match=r"column 'paid', row 3: must be the only reward of arm 'b' at its time, got 9"
    ):
        Recorded.from_frame({"t": [0, 0, 1, 0], "arm": list("abab"), "paid": [1, 2, 3, 9]}, **names)


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.tsv", "a.parquet"])
def test_files_give_what_frames_give(tmp_path, name):
    frame = polars.DataFrame(WIDE)
    path = tmp_path / name
    if name == "a.parquet":
        frame.write_parquet(path)
    else:
        text = frame.write_csv(separator="\t" if name == "a.tsv" else ";").encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    env = Recorded.load(path, time="day")
    np.testing.assert_array_equal(env.mean, REWARDS)
    np.testing.assert_array_equal(env.times, SECONDS)
    assert env.arms.labels.tolist() == ["low", "high"]


def test_the_index_of_pandas_is_no_arm(tmp_path):
    path = tmp_path / "a.csv"
    pandas.DataFrame({"low": [0.1, 0.8], "high": [0.9, 0.2]}).to_csv(path)
    assert Recorded.load(path).mean.tolist() == [[0.1, 0.9], [0.8, 0.2]]
    pandas.DataFrame(REWARDS).to_csv(path)
    np.testing.assert_array_equal(Recorded.load(path).mean, REWARDS)


def test_a_header_of_numbers_is_noticed(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("4.99,5.99,6.49\n0.3,0.8,0.1\n0.2,0.1,0.9\n")
    with pytest.raises(
        ValueError, match=r"prices.csv: the first row \(4.99, 5.99, 6.49\) may be a header .*header=True"
    ):
        Recorded.load(path)
    env = Recorded.load(path, header=True)
    assert env.n_rounds == 2
    assert env.arms.points[:, 0].tolist() == [4.99, 5.99, 6.49]
    assert Recorded.load(path, header=False).n_rounds == 3


@pytest.mark.parametrize(
    ("rewards", "noticed"),
    [
        ([[4.99, 5.99], [0.3, 0.8], [0.4, 0.1]], True),
        ([[5.99, 4.99, 6.49], [0.3, 0.8, 0.1], [0.1, 0.2, 0.1]], True),
        ([[0, 1, 2, 3], [3.5, 0.8, 1.1, 0.5]], True),
        ([[9, 5, 1], [3, 8, 1]], True),
        ([[1, 2], [3, 4]], False),
        ([[1, 2, 3], [2, 3, 4], [5, 6, 9]], False),
        ([[0.3, 0.8], [0.4, 0.1]], False),
        ([[np.nan, 5.99], [0.3, 0.8]], False),
        ([[4.99, 5.99]], False),
        ([[4.99], [0.3]], False),
    ],
)
def test_what_may_be_a_header(rewards, noticed):
    assert may_be_header(np.array(rewards, dtype=float)) is noticed


def test_gaps_in_files_are_named_or_filled(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,NA\n2,\nn/a,7\n4,9\n")
    with pytest.raises(
        ValueError, match=r"a.csv: column 'y', row 1: must be a finite number \(fill='linear'.*nothing$"
    ):
        Recorded.load(path)
    assert Recorded.load(path, fill="linear").mean.tolist() == [[1, 7], [2, 7], [3, 7], [4, 9]]
    assert Recorded.load(path, fill=0.5).mean.tolist() == [[1, 0.5], [2, 0.5], [0.5, 7], [4, 9]]


def test_errors_show_dates_as_dates():
    days = np.array(["2026-07-01", "2026-07-01", "2026-07-02"], dtype="datetime64[D]")
    frame = {"day": days, "price": ["a", "b", "a"], "paid": [1.0, 2.0, 3.0]}
    with pytest.raises(ValueError, match=r"got none of arm 'b' at time 2026-07-02 00:00:00"):
        Recorded.from_frame(frame, time="day", arm="price", reward="paid")


@pytest.mark.parametrize("name", [None, "day"])
def test_dates_in_the_index_of_pandas_are_the_times(name):
    days = pandas.date_range("2026-07-01", periods=3, tz="Europe/London", name=name)
    wide = pandas.DataFrame({"4.99": [0.1, 0.2, 0.3], "5.99": [0.3, 0.2, 0.1]}, index=days)
    env = Recorded.from_frame(wide)
    assert env.dates
    assert env.times.tolist() == [day.timestamp() for day in days]
    assert env.arms.points[:, 0].tolist() == [4.99, 5.99]
    numbered = Recorded.from_frame(wide.reset_index(drop=True))
    assert not numbered.dates
    assert numbered.times.tolist() == pytest.approx([0, 1 / 3, 2 / 3])
