"""Files give what Python's own csv module and conversions give."""

import csv
import gzip
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.tables import FileTable, layout

FINITE = st.floats(allow_nan=False, allow_infinity=False)
DATES = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.sampled_from([None, UTC]))
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\0", exclude_categories=["Cs"]), min_size=1)
ROWS = st.lists(st.tuples(DATES, TEXT.filter(str.strip), st.none() | FINITE, TEXT), min_size=1, max_size=20)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.sampled_from(",;\t|"), st.booleans())
def test_any_table_is_read_as_python_reads_it(tmp_path_factory, rows, separator, compressed):
    path = tmp_path_factory.mktemp("table") / ("a.csv.gz" if compressed else "a.csv")
    with gzip.open(path, "wt", newline="") if compressed else path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(["when", "arm", "paid", "note"])
        writer.writerows(
            [(date.isoformat(" "), arm, "" if paid is None else repr(paid), note) for date, arm, paid, note in rows]
        )
    found = FileTable(path, separator=separator).read({"when": "times", "arm": "labels", "paid": "numbers"})
    dates = [(date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() for date, *_ in rows]
    np.testing.assert_array_equal(found["when"], dates)
    np.testing.assert_array_equal(found["paid"], [np.nan if paid is None else paid for _, _, paid, _ in rows])
    assert [found["arm"].labels[code] for code in found["arm"].codes] == [arm for _, arm, _, _ in rows]


def test_blocks_join(tmp_path, monkeypatch):
    """Quoted fields of several lines stay together, and errors count rows from the start of the file."""
    monkeypatch.setattr(layout, "BLOCK", 20)
    path = tmp_path / "a.csv"
    lines = ["x,note", *(f'{k},"line\n{k}, ""two"""' for k in range(50))]
    path.write_text("\n".join(lines))
    found = FileTable(path).read({"x": "numbers", "note": "labels"})
    assert found["x"].tolist() == list(range(50))
    assert found["note"].labels[found["note"].codes[7]] == 'line\n7, "two"'
    path.write_text("\n".join([*lines, 'oops,""']))
    with pytest.raises(ValueError, match="column 'x', row 51: must be a finite number, got 'oops'"):
        FileTable(path).read({"x": "numbers"})


USUAL = DATES.map(lambda date: date.replace(microsecond=date.microsecond or 1).isoformat(" "))
OTHER = DATES.map(lambda date: date.isoformat("T", "seconds"))
SHORT = st.integers(-(10**6), 10**6).map(" {}".format)
GAPS = ["", "NA", "nan", "null"]


@settings(max_examples=60, deadline=None)
@given(st.data(), st.booleans())
def test_blocks_that_are_read_in_different_ways_join(tmp_path_factory, data, compressed):
    """Dates in the usual layout, other dates, numbers, gaps and texts of gaps, each in some blocks of one file."""
    times = data.draw(st.sampled_from([[USUAL, OTHER], [FINITE.map(repr), SHORT]]))
    paid = FINITE.map(repr) | SHORT | st.sampled_from(GAPS)
    rows = []
    for when in data.draw(st.lists(st.sampled_from(times), min_size=1, max_size=6)):
        row = st.tuples(when, paid, st.sampled_from(["red", "blue", "3"]))
        rows += data.draw(st.lists(row, min_size=1, max_size=4))
    path = tmp_path_factory.mktemp("table") / ("a.csv.gz" if compressed else "a.csv")
    text = "".join(",".join(row) + "\n" for row in [("when", "paid", "arm"), *rows])
    path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(layout, "BLOCK", 40)
        found = FileTable(path).read({"when": "times", "paid": "numbers", "arm": "labels"})
    expected = []
    for when, *_ in rows:
        try:
            expected.append(float(when))
        except ValueError:
            date = datetime.fromisoformat(when)
            expected.append((date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp())
    np.testing.assert_array_equal(found["when"], expected)
    np.testing.assert_array_equal(found["paid"], [np.nan if each in GAPS else float(each) for _, each, _ in rows])
    assert [found["arm"].labels[code] for code in found["arm"].codes] == [arm for *_, arm in rows]


def test_the_error_of_a_late_block_names_its_row(tmp_path, monkeypatch):
    monkeypatch.setattr(layout, "BLOCK", 40)
    rows = [f"2026-07-01 12:00:{k % 60:02}.000001,{k}" for k in range(200)]
    rows[150] = rows[150].split(",")[0] + ",inf"
    (tmp_path / "a.csv").write_text("\n".join(["when,x", *rows]))
    with pytest.raises(ValueError, match="column 'x', row 151: must be a finite number, got 'inf'"):
        FileTable(tmp_path / "a.csv").read({"when": "times", "x": "numbers"})


@pytest.mark.parametrize("field", ["", '""'])
def test_a_missing_label_is_refused(tmp_path, field):
    (tmp_path / "a.csv").write_text(f"arm,x\nred,1\n{field},2\n")
    with pytest.raises(ValueError, match="column 'arm', row 2: must be a label, got nothing"):
        FileTable(tmp_path / "a.csv").read({"arm": "labels", "x": "numbers"})


@pytest.mark.parametrize("text", ["a,b\n1,2\n3,4,5\n", "a,b\n1,2\n3\n", "a,b\n1,\n3\n", 'a,b\n1,"2"\n"3"\n'])
def test_rows_of_another_width(tmp_path, text):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(ValueError, match=r"a.csv: row 2 must have 2 fields as the header has, got (1|3)"):
        FileTable(tmp_path / "a.csv").read({"a": "numbers"})


def test_blank_lines_and_trailing_separators(tmp_path):
    (tmp_path / "a.csv").write_text("\n  \na,b\n1,2,\n\n3,\n \n")
    found = FileTable(tmp_path / "a.csv").read({"a": "numbers", "b": "numbers"})
    assert found["a"].tolist() == [1, 3]
    np.testing.assert_array_equal(found["b"], [2, np.nan])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2], [1, 2]),
        ([True, False], [1, 0]),
        ([Decimal("1.5"), Decimal("2.25")], [1.5, 2.25]),
        (["1.5", " 2 "], [1.5, 2]),
        ([1.5, None], [1.5, np.nan]),
        ([1.5, float("nan")], [1.5, np.nan]),
    ],
)
def test_numbers_of_any_type_in_parquet(tmp_path, values, expected):
    polars.DataFrame({"x": values}).write_parquet(tmp_path / "a.parquet")
    np.testing.assert_array_equal(FileTable(tmp_path / "a.parquet").read({"x": "numbers"})["x"], expected)


def test_times_of_both_kinds_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("t\n1\n2026-07-01\n")
    with pytest.raises(ValueError, match="column 't', row 2: must be a number, as in the rows before, got 'a date'"):
        FileTable(tmp_path / "a.csv").read({"t": "times"})


def test_bad_options(tmp_path):
    (tmp_path / "a.csv").write_text("t\n1\n")
    with pytest.raises(ValueError, match="separator must be one character or None, got ', '"):
        FileTable(tmp_path / "a.csv", separator=", ")
    with pytest.raises(ValueError, match="decimal must be"):
        FileTable(tmp_path / "a.csv", decimal=";")


@pytest.mark.parametrize(
    ("field", "advice"),
    [
        ('"1,000"', "without separators of thousands (if these are decimal commas, read with decimal=',')"),
        ('"0,125"', "(with decimal commas, read with decimal=',')"),
        ("2026-07-01", "(name a column of times by time=...)"),
    ],
)
def test_errors_say_what_may_be_wrong(tmp_path, field, advice):
    (tmp_path / "a.csv").write_text(f"x,y\n{field},1\n")
    with pytest.raises(ValueError, match="must be a finite number") as error:
        FileTable(tmp_path / "a.csv").read({"x": "numbers"})
    assert advice in str(error.value)
