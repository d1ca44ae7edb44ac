"""What the page of the adaptive policy says of boxes is what was measured."""

import csv
from pathlib import Path

import numpy as np

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_has_the_figures_of_the_games():
    with (DOCS / "results" / "continuum.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    page = " ".join((DOCS / "results" / "adaptive.md").read_text().split())
    fields = sorted({row["field"] for row in rows})
    assert (len(fields), len(rows)) == (20, 80)
    most, compared = max(float(row["below"]) for row in rows), sum(int(row["compared"]) for row in rows)
    assert most <= 0.01
    assert f"by {most:.4f} gamma at most in {compared} choices" in page
    gains = [
        np.mean([float(row["in_box"]) - float(row["on_grid"]) for row in rows if row["field"] == field])
        for field in fields
    ]
    error = 1.96 * np.std(gains, ddof=1) / len(gains) ** 0.5
    assert f"was {np.mean(gains):+.3f} ± {error:.3f}, paired over the fields" in page
    assert np.mean(gains) > -error
