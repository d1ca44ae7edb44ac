import numpy as np
import pytest

from quickdraw_lab.scale import curves, run, table
from quickdraw_lab.scale.histories import ROUND, History
from quickdraw_lab.scale.page import BEGIN, END, main, section
from quickdraw_lab.scale.plot import draw_scale
from quickdraw_lab.scale.soak import memory, soak
from quickdraw_lab.scale.table import Row


def random_history(dimension, n):
    random = np.random.default_rng(0)
    return History(np.arange(n) * ROUND, random.uniform(-1, 1, (n, dimension)), random.uniform(size=n))


@pytest.fixture
def short(monkeypatch):
    """Two rows that take no time, and curves of two series over few arms."""
    asked = []

    def measure(name):
        asked.append(name)
        return Row("1,000 in 2-D", "10", "3 times faster", 2.5, False, 1.0, 0.1, 2.5)

    monkeypatch.setattr(run, "measures", lambda quick: {name: lambda name=name: measure(name) for name in "ab"})
    series = {"auto": lambda arms, seen: len(arms) * 1e-4, "NumPy": lambda arms, seen: len(arms) * 1e-2}
    monkeypatch.setattr(curves, "SERIES", series)
    monkeypatch.setattr(curves, "box_history", random_history)
    return asked


def test_what_is_measured_is_kept_and_not_measured_again(tmp_path, short):
    path = tmp_path / "scale.json"
    said = []
    found = run.run(path, True, said.append)
    assert short == ["a", "b"]
    assert run.Measurements.read(path) == found
    # NumPy's series ends with the first point that takes too long.
    arms = {
        name: [p["arms"] for p in found.points if (p["against"], p["series"]) == ("arms", name)]
        for name in curves.SERIES
    }
    assert arms == {"auto": [100, 1000, 10_000], "NumPy": [100, 1000]}
    del found.rows["b"]
    found.points.pop()
    found.write(path)
    again = run.run(path, True, said.append)
    assert short == ["a", "b", "b"]
    assert len(again.points) == len(found.points) + 1


def test_files_of_other_measurements_are_refused(tmp_path, short):
    path = tmp_path / "scale.json"
    run.run(path, True, lambda line: None)
    with pytest.raises(ValueError, match="was measured with quick True, not False; choose another --out"):
        run.run(path, False, lambda line: None)
    for text in ("{", "[]", "{}", "3"):
        path.write_text(text)
        with pytest.raises(ValueError, match="has no measurements of this command"):
            run.run(path, True, lambda line: None)
        assert path.read_text() == text


def test_every_row_says_what_is_wanted_and_measured(monkeypatch):
    """With a hundredth of the work of the quick ones, on random histories, for which no search in a box is compiled."""
    monkeypatch.setattr(table, "box_history", random_history)
    monkeypatch.setattr(table, "WARMUP", 2)
    monkeypatch.setattr(table, "ROUNDS", 3)
    monkeypatch.setattr(table, "BLOCK", 4)
    monkeypatch.setattr(table, "BLOCKS", 4)
    kept = {
        "faster": table._faster(table.places(1, 100), "100 on a line", 30, 1e6),
        "more arms": table._more_arms(100, 200, 30),
        "more observations": table._more_observations(100, 20, 40),
        "cosine": table._cosine_more(100, 20, 40),
        "passes": table._cosine_passes(100, 40),
    }
    assert kept["faster"].measured == pytest.approx(kept["faster"].other / kept["faster"].choice)
    assert not kept["faster"].kept
    assert kept["more arms"].measured == pytest.approx(kept["more arms"].choice / kept["more arms"].other)
    assert kept["more observations"].observations == "20 → 40"
    for name in ("cosine", "passes"):
        row = kept[name]
        assert row.measured == pytest.approx((row.choice + row.update) / row.other)
    assert list(table.measures(True)) == list(table.measures(False))


def test_the_series_measure_the_same_problem():
    seen = random_history(2, 20)
    for name, seconds in curves.SERIES.items():
        assert 0 <= seconds(curves.places(2, 30), seen) < 60, name


def test_the_picture_has_a_line_for_every_series():
    points = [
        {"against": against, "series": name, "arms": 10, "observations": 20, "ms": 1.0}
        for against in ("arms", "observations")
        for name in curves.SERIES
    ]
    left, right = draw_scale(points).axes
    assert len(left.lines) == len(right.lines) == len(curves.SERIES)
    assert left.get_title(loc="left") == "20 observations"
    assert right.get_title(loc="left") == "10 arms"


def test_the_page_is_written_between_its_marks(tmp_path, short):
    path, page = tmp_path / "results" / "scale.json", tmp_path / "page.md"
    found = run.run(path, True, lambda line: None)
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    main(page, path)
    text = page.read_text(encoding="utf-8")
    assert text == f"before\n{section(found, 'results/scale.png')}\nafter\n"
    assert "| 1,000 in 2-D | 10 | 3 times faster | 2.5 | **no** | 1 | 0.1 | 2.5 |" in text


def test_a_soak_reports_speed_memory_and_accuracy():
    reports = []
    rows = list(soak(250, 30, 2, "cached", lambda done, total: reports.append((done, total))))
    assert reports[0] == (0, 250)
    assert reports[-1] == (250, 250)
    assert rows[-1]["rounds"] == 250
    assert all(0 <= row["excess"] <= 1e-3 and row["ms_per_round"] >= 0 and row["mb"] > 1 for row in rows)
    assert memory() > 2**20
