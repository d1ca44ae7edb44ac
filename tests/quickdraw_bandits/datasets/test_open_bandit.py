import csv
import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest

from quickdraw_bandits.datasets import open_bandit

HEADER = ["", "timestamp", "item_id", "position", "click", "propensity_score", "user_feature_0", "user_feature_1"]
ROWS = [
    ["0", "2019-11-24 00:00:00.000001+00:00", "7", "1", "0", "0.5", "a", "x"],
    ["1", "2019-11-24 00:00:01+00:00", "3", "2", "1", "0.25", "b", "x"],
    ["2", "2019-11-24 01:00:01+01:00", "5", "3", "0", "0.25", "a", "x"],
    ["3", "2019-11-24 00:00:02", "3", "1", "1", "1.0", "a", "w"],
]
ITEMS = "item_id,item_feature_0,item_feature_1\n7,4.0,h\n3,-4.0,h\n5,-4.0,i\n"


def write(folder: Path, rows=ROWS, header=HEADER, items=ITEMS, compress=False) -> Path:
    campaign = folder / "random" / "men"
    campaign.mkdir(parents=True)
    (campaign / "item_context.csv").write_text(items)
    affinity = [f"user-item_affinity_{item}" for item in (3, 5, 7)]
    with gzip.open(campaign / "men.csv.gz", "wt") if compress else (campaign / "men.csv").open("w") as file:
        csv.writer(file).writerows(
            [header + affinity] + [[*row, i, 0.0, i / 2] for i, row in enumerate(rows)],
        )
    return folder


@pytest.mark.parametrize("compress", [False, True])
def test_the_published_layout(tmp_path, compress):
    log = open_bandit(write(tmp_path, compress=compress), "men")
    start = 1574553600
    np.testing.assert_array_equal(log.time, [start + 1e-6, start + 1, start + 1, start + 2])
    assert log.arm_names == ("3", "5", "7")
    np.testing.assert_array_equal(log.arm, [2, 0, 1, 0])
    np.testing.assert_array_equal(log.arms.points[:, 0], [-1, -1, 1])
    np.testing.assert_array_equal(log.reward, [0, 1, 0, 1])
    np.testing.assert_array_equal(log.propensity, [0.5, 0.25, 0.25, 1.0])
    assert [log.group_names[g] for g in log.group] == ["a/x", "b/x", "a/x", "a/w"]
    assert log.affinity is None
    assert log.left_out == {"columns user-item_affinity_*": 3, "column ''": 1, "column 'position'": 1}


def test_affinities_are_kept_when_asked_for(tmp_path):
    log = open_bandit(write(tmp_path), "men", affinity=True)
    assert log.affinity.dtype == np.float32
    np.testing.assert_array_equal(log.affinity, [[0, 0, 0], [1, 0, 0.5], [2, 0, 1], [3, 0, 1.5]])
    assert log.left_out == {"column ''": 1, "column 'position'": 1}


def changed(row, column, value):
    rows = [list(r) for r in ROWS]
    rows[row - 1][HEADER.index(column)] = value
    return rows


@pytest.mark.parametrize(
    ("row", "column", "value", "expectation"),
    [
        (2, "propensity_score", "0", "a probability above 0 and at most 1"),
        (3, "propensity_score", "1.01", "a probability above 0 and at most 1"),
        (4, "propensity_score", "nan", "a finite number"),
        (3, "click", "", "a finite number"),
        (3, "click", "yes", "a finite number"),
        (2, "item_id", "4", "an item that .*item_context.csv describes"),
        (4, "item_id", "99", "an item that .*item_context.csv describes"),
        (2, "timestamp", "yesterday", "a number or a date like"),
        (4, "timestamp", "2018-01-01", "no earlier than the row before"),
        (3, "user_feature_1", "", "a label"),
    ],
)
def test_errors_name_file_column_and_row(tmp_path, row, column, value, expectation):
    with pytest.raises(ValueError, match=f"men.csv: column '{column}', row {row}: must be {expectation}.*, got "):
        open_bandit(write(tmp_path, changed(row, column, value)), "men")


def test_rows_out_of_order_are_sorted_when_asked_for(tmp_path):
    folder = write(tmp_path, ROWS[::-1])
    with pytest.raises(ValueError, match=r"row 2: must be no earlier than the row before .*read with sort=True"):
        open_bandit(folder, "men")
    log = open_bandit(folder, "men", sort=True)
    np.testing.assert_array_equal(log.arm, [2, 1, 0, 0])  # the two equal times stay in the order of the file


def test_missing_files_and_columns(tmp_path):
    with pytest.raises(ValueError, match=r"random/women must hold women.csv or women.csv.gz, and has neither"):
        open_bandit(tmp_path)
    folder = write(tmp_path, [row[:4] + row[5:] for row in ROWS], header=HEADER[:4] + HEADER[5:])
    with pytest.raises(ValueError, match=r"men.csv has no column 'click'; its columns are '', 'timestamp'"):
        open_bandit(folder, "men")
    (folder / "random" / "men" / "item_context.csv").unlink()
    with pytest.raises(ValueError, match=r"must hold item_context.csv or item_context.csv.gz"):
        open_bandit(folder, "men")


def test_an_item_described_twice(tmp_path):
    with pytest.raises(ValueError, match=r"item_context.csv: column 'item_id', row 4: .*no other row has, got 3.0"):
        open_bandit(write(tmp_path, items=ITEMS + "3,1.0,h\n"), "men")


def test_no_events(tmp_path):
    with pytest.raises(ValueError, match=r"men.csv must hold at least one row below its header, got none"):
        open_bandit(write(tmp_path, []), "men")


def test_a_row_of_another_width(tmp_path):
    with pytest.raises(ValueError, match=r"men.csv: row 2 must have 11 fields as the header has, got 10"):
        open_bandit(write(tmp_path, [ROWS[0], ROWS[1][1:]]), "men")


def test_a_file_that_is_cut_short(tmp_path):
    folder = write(tmp_path, compress=True)
    file = folder / "random" / "men" / "men.csv.gz"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"men.csv.gz must be a CSV table in UTF-8, plain or gzip, and cannot be read"):
        open_bandit(folder, "men")


def test_no_user_features_make_one_group(tmp_path):
    log = open_bandit(write(tmp_path, [row[:6] for row in ROWS], header=HEADER[:6]), "men")
    assert log.group_names == ("all",)
    np.testing.assert_array_equal(log.group, [0, 0, 0, 0])


def test_the_sample_within_the_package():
    log = open_bandit()
    assert len(log) == 10_000
    assert len(log.arms) == 46
    assert log.reward.sum() == 46
    assert len(log.group_names) == 205
    assert np.bincount(log.group).max() == 796
    np.testing.assert_array_equal(log.propensity, np.full(10_000, 1 / 46))
    assert log.arms.points.min() == -1
    assert log.arms.points.max() == 1
    assert len(np.unique(log.arms.points)) == 29
    bts = open_bandit(behavior="bts", affinity=True)
    assert bts.reward.sum() == 46
    assert bts.propensity.min() == 1e-6
    assert bts.affinity.shape == (10_000, 46)


def test_what_the_sample_cannot_answer():
    with pytest.raises(ValueError, match=r"campaign must be 'women' for the sample"):
        open_bandit(campaign="men")
    with pytest.raises(ValueError, match=r"behavior must be one of random, bts, got 'greedy'"):
        open_bandit(behavior="greedy")


def test_packing_and_reading_give_what_the_tables_give(tmp_path):
    from quickdraw_bandits.datasets.pack_open_bandit import pack

    source = write(tmp_path / "source")
    for behavior in ("random", "bts"):
        women = source / behavior / "women"
        women.mkdir(parents=True)
        shutil.copy(source / "random" / "men" / "men.csv", women / "women.csv")
        (women / "item_context.csv").write_text(ITEMS)
    pack(source, tmp_path)
    with np.load(tmp_path / "bts_women.npz") as packed:
        np.testing.assert_array_equal(np.cumsum(packed["time_step"]) / 1e6, open_bandit(source, behavior="bts").time)
        np.testing.assert_array_equal(packed["coordinate"], [-4.0, -4.0, 4.0])
        np.testing.assert_array_equal(packed["affinity_value"], [1, 0.5, 2, 1, 3, 1.5])
