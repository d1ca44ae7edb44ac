import sys

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.datasets import Log, read_log

TABLE = {
    "when": [0.5, 1.5, 2.5, 2.5],
    "choice": [10, 30, 20, 10],
    "paid": [1.0, 0.0, 2.5, 1.0],
    "p": [0.5, 0.25, 0.25, 0.5],
    "who": ["b", "a", "b", "b"],
    "note": ["x", "y", "z", "w"],
}
NAMES = {"time": "when", "arm": "choice", "reward": "paid", "propensity": "p", "group": "who"}


def write(folder, kind, table=TABLE):
    path = folder / f"log.{kind}"
    if kind == "parquet":
        pyarrow.parquet.write_table(pyarrow.table(table), path)
    else:
        rows = [",".join(table)] + [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
        path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_named_columns(tmp_path, kind):
    log = read_log(write(tmp_path, kind), **NAMES)
    np.testing.assert_array_equal(log.time, TABLE["when"])
    np.testing.assert_array_equal(log.arm, [0, 2, 1, 0])
    assert log.arm_names == ("10", "20", "30")
    np.testing.assert_array_equal(log.arms.points[:, 0], [-1, 0, 1])
    np.testing.assert_array_equal(log.reward, TABLE["paid"])
    np.testing.assert_array_equal(log.propensity, TABLE["p"])
    assert [log.group_names[g] for g in log.group] == TABLE["who"]
    assert log.left_out == {"column 'note'": 1}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_labels_that_are_no_numbers_are_equally_far_apart(tmp_path, kind):
    log = read_log(write(tmp_path, kind), **NAMES | {"arm": "note", "group": None})
    assert log.arm_names == ("w", "x", "y", "z")
    np.testing.assert_array_equal(log.arm, [1, 2, 3, 0])
    np.testing.assert_array_equal(log.arms.distances(0), [0, 1, 1, 1])
    assert log.group_names == ("all",)


def test_coordinates_from_a_column(tmp_path):
    path = write(tmp_path, "csv", TABLE | {"size": [3.0, 5.0, 3.0, 3.0]})
    log = read_log(path, **NAMES, coordinate="size")
    np.testing.assert_array_equal(log.arms.points[:, 0], [-1, -1, 1])
    path = write(tmp_path, "csv", TABLE | {"size": [3.0, 5.0, 3.0, 4.0]})
    with pytest.raises(ValueError, match=r"column 'size', row 1: must be the same in all rows of arm '10', as 4.0 is"):
        read_log(path, **NAMES, coordinate="size")


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "+00:00"])
def test_dates_in_parquet(tmp_path, unit, zone):
    dates = pyarrow.array(np.array(["2020-01-01", "2020-01-02"], f"M8[{unit}]")).cast(pyarrow.timestamp(unit, zone))
    columns = {"time": dates, "arm": [0, 1], "reward": [0.0, 1.0], "propensity": [0.5, 0.5]}
    log = read_log(write(tmp_path, "parquet", columns))
    np.testing.assert_array_equal(log.time, [1577836800, 1577923200])


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("p", [0.5, 0.0, 0.5, 0.5], "column 'p', row 2: must be a probability above 0 and at most 1, got "),
        ("p", [0.5, 0.5, 0.5, 2.0], "column 'p', row 4: must be a probability above 0 and at most 1, got "),
        (
            "paid",
            [0.5, 0.0, float("nan"), 0.5],
            "column 'paid', row 3: must be a finite number or read with fill=0, if a gap means 0, got nothing",
        ),
        ("when", [1.0, 0.0, 2.0, 3.0], "column 'when', row 2: must be no earlier than the row before"),
        ("when", [1.0, float("inf"), 2.0, 3.0], "column 'when', row 2: must be a number or a date like .*, got 'inf'"),
        ("who", ["b", "", "a", "c"], "column 'who', row 2: must be a label, got nothing"),
    ],
)
def test_errors_name_file_column_and_row(tmp_path, kind, column, values, message):
    with pytest.raises(ValueError, match=rf"log.{kind}: {message}"):
        read_log(write(tmp_path, kind, TABLE | {column: values}), **NAMES)


def test_nothing_in_a_field(tmp_path):
    with pytest.raises(
        ValueError,
        match=r"log.parquet: column 'paid', row 2: must be a finite number or read with fill=0.*, got nothing",
    ):
        read_log(write(tmp_path, "parquet", TABLE | {"paid": [1.0, None, 1.0, 1.0]}), **NAMES)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_no_arm_in_a_field(tmp_path, missing):
    with pytest.raises(ValueError, match=r"log.parquet: column 'choice', row 3: must be a label, got nothing"):
        read_log(write(tmp_path, "parquet", TABLE | {"choice": [1.0, 2.0, missing, missing]}), **NAMES)


def test_sorting_keeps_the_order_of_equal_times(tmp_path):
    table = TABLE | {"when": [5.0, 1.0, 5.0, 0.0]}
    log = read_log(write(tmp_path, "csv", table), **NAMES, sort=True)
    np.testing.assert_array_equal(log.time, [0, 1, 5, 5])
    np.testing.assert_array_equal(log.reward, [1.0, 0.0, 1.0, 2.5])


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_missing_file_and_column(tmp_path, kind):
    with pytest.raises(ValueError, match=f"none.{kind} must be a file, and there is none"):
        read_log(tmp_path / f"none.{kind}")
    with pytest.raises(ValueError, match=f"log.{kind} has no column 'time'; its columns are 'when', 'choice'"):
        read_log(write(tmp_path, kind))


@pytest.mark.parametrize("separator", [";", "\t", "|", " ", ","])
def test_the_separator_is_found(tmp_path, separator):
    rows = ["time arm reward propensity", "0 red 1.5 0.5", "1 blue 0 0.25"]
    (tmp_path / "log.csv").write_text("\n".join(rows).replace(" ", separator))
    log = read_log(tmp_path / "log.csv")
    assert log.arm_names == ("blue", "red")
    assert log.reward.tolist() == [1.5, 0]


def test_decimal_commas(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("time;arm;reward;propensity\n0;red;1,5;0,5\n1;blue;0;0,25\n")
    with pytest.raises(
        ValueError, match=r"'reward', row 1: .* \(with decimal commas, read with decimal=','\), got '1,5'"
    ):
        read_log(path)
    log = read_log(path, decimal=",")
    assert log.reward.tolist() == [1.5, 0]
    assert log.propensity.tolist() == [0.5, 0.25]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_missing_rewards_are_filled_when_asked_for(tmp_path, kind):
    path = write(tmp_path, kind, TABLE | {"paid": [1.0, float("nan"), 2.5, 1.0]})
    assert read_log(path, **NAMES, fill=0).reward.tolist() == [1, 0, 2.5, 1]
    path = write(tmp_path, kind, TABLE | {"p": [1.0, float("nan"), 0.5, 1.0]})
    with pytest.raises(ValueError, match="column 'p', row 2: must be a finite number, got nothing"):
        read_log(path, **NAMES, fill=0)


def test_arms_that_are_given(tmp_path):
    arms = Arms([1.0, 2.0, 4.0, 8.0], labels=["v", "y", "x", "z"])
    table = TABLE | {"note": ["x", "y", "z", "x"]}
    log = read_log(write(tmp_path, "csv", table), **NAMES | {"arm": "note"}, arms=arms)
    assert log.arms is arms
    assert log.arm.tolist() == [2, 1, 3, 2]
    assert log.arm_names == ("v", "y", "x", "z")
    with pytest.raises(ValueError, match=r"log.csv: column 'note', row 4: must be one of the 4 arms, got 'w'"):
        read_log(write(tmp_path, "csv"), **NAMES | {"arm": "note"}, arms=arms)
    log = read_log(write(tmp_path, "csv", TABLE | {"choice": [0, 1, 3, 1]}), **NAMES, arms=Arms.grid(0, 1, 4))
    assert log.arm.tolist() == [0, 1, 3, 1]


def test_one_column_twice(tmp_path):
    with pytest.raises(ValueError, match=r"must be different columns"):
        read_log(write(tmp_path, "csv"), **NAMES | {"group": "choice"})


def test_not_a_table(tmp_path):
    (tmp_path / "log.parquet").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match=r"log.parquet must be a Parquet table, and cannot be read"):
        read_log(tmp_path / "log.parquet")
    (tmp_path / "log.csv").write_bytes(b"time\n\xff\xfe\n")
    with pytest.raises(ValueError, match=r"log.csv must be a CSV table in UTF-8"):
        read_log(tmp_path / "log.csv", time="time")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_without_polars_the_error_says_what_to_install(tmp_path, monkeypatch, kind):
    path = write(tmp_path, kind)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r'pip install "quickdraw-bandits\[tables\]" \(from a clone'):
        read_log(path, **NAMES)


def test_an_empty_file(tmp_path):
    (tmp_path / "log.csv").write_text("\n\n")
    with pytest.raises(ValueError, match=r"log.csv must have columns, and is empty$"):
        read_log(tmp_path / "log.csv")


def test_quoted_fields_may_hold_separators_and_lines(tmp_path):
    path = tmp_path / "log.csv"
    plain = "time,arm,reward,propensity,note\n" + "".join(f"{k},a,0.5,0.5,x\n" for k in range(5))
    path.write_text(plain + '5,"b",1,0.25,"two\nlines, and a comma"\n6,a,0,1,x\n')
    log = read_log(path, time="time", arm="arm", reward="reward", propensity="propensity")
    assert log.time.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert [log.arm_names[arm] for arm in log.arm] == ["a"] * 5 + ["b", "a"]
    path.write_text(plain + "5,b,1,0.25\n")
    with pytest.raises(ValueError, match="row 6 must have 5 fields as the header has, got 4"):
        read_log(path, time="time", arm="arm", reward="reward", propensity="propensity")


def test_a_missing_column_says_how_to_name_it():
    with pytest.raises(ValueError, match=r"no column 'time'; its columns are 'ts', 'arm'; name yours by time=..."):
        Log.from_frame({"ts": [1.0], "arm": ["a"]})


def test_times_that_go_back_are_shown_as_dates():
    frame = {"time": ["2026-07-02", "2026-07-01"], "arm": ["a", "b"], "reward": [0, 1], "propensity": [0.5, 0.5]}
    with pytest.raises(ValueError, match=r"the row before \(2026-07-02 00:00:00\).* got 2026-07-01 00:00:00"):
        Log.from_frame(frame)


def test_one_of_each_is_written_in_the_singular():
    log = Log.from_frame({"time": [1.0], "arm": ["a"], "reward": [1.0], "propensity": [0.5]})
    assert repr(log) == "Log(1 event, 1 arm, 1 group, mean reward 1)"
