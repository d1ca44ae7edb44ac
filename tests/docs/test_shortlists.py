"""The table of shortlists on the page of the adaptive policy is that of the measurements."""

import csv
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_has_every_row_of_the_measurements():
    page = (DOCS / "results" / "adaptive.md").read_text()
    with (DOCS / "results" / "shortlists.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 8
    for row in rows:
        line = (
            f"| {row['version']} | {int(row['arms']):,} | {row['dimension']} | {row['metric']} | {row['spread']} | "
            f"{row['choices']} | {float(row['mean']):.4f} | {float(row['p99']):.3f} | {float(row['ms']):.1f} |"
        )
        assert line in page, line


def test_the_shortlists_of_now_keep_their_limits():
    with (DOCS / "results" / "shortlists.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["version"] == "now"]
    assert all(float(row["mean"]) <= 0.01 and float(row["p99"]) <= 0.05 for row in rows)
