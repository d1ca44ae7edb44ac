"""The tables of measurements on the pages about live systems are those of the files."""

import json
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def measured(name):
    return json.loads((DOCS / "results" / name).read_text())


def cells(line):
    return " | ".join(line) + " |"


def test_the_page_has_the_coverage_of_intervals():
    page, found = (DOCS / "results" / "adaptive.md").read_text(), measured("coverage.json")
    assert found["command"] in page
    for name, figures in found["settings"].items():
        pairs = zip(figures["coverage"], figures["lowest_tenth"], strict=True)
        line = f"| {name} | " + cells(f"{share:.3f} ({least:.2f})" for share, least in pairs)
        assert line in page, line


def test_intervals_cover_what_they_should_from_the_twentieth_round_on():
    """Where noise does not exceed the signal; the page says how it is elsewhere."""
    settings = measured("coverage.json")["settings"]
    for name in ("noise 0", "noise 0.05", "noise 0.1"):
        assert all(0.9 <= round(share, 2) <= 0.98 for share in settings[name]["coverage"][1:]), name


def test_the_page_has_the_regret_of_late_rewards():
    page, rows = (DOCS / "live.md").read_text(), measured("delays.json")["rows"]
    for player in {row["player"] for row in rows}:
        some = sorted((row for row in rows if row["player"] == player), key=lambda row: row["delay"])
        line = cells(f"{row['regret']:.3f} ± {row['interval']:.3f}" for row in some)
        assert line in page, line


def test_the_page_has_the_coverage_of_estimates_from_live_logs():
    page, rows = (DOCS / "live.md").read_text(), measured("live-logs.json")["rows"]
    for estimator in {row["estimator"] for row in rows}:
        line = f"| {estimator} | " + cells(f"{row['coverage']:.3f}" for row in rows if row["estimator"] == estimator)
        assert line in page, line
    # 200 logs: a true coverage of 95 % is seen as 91.4 % or less once in a hundred times.
    assert all(0.92 <= row["coverage"] <= 0.98 for row in rows if row["weak"] < 1)
    assert {row["estimator"] for row in rows if row["weak"] == 1} == {"direct method", "replay"}
