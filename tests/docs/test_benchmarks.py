"""The table and picture of very many arms are those of the measurements beside them."""

import json
from pathlib import Path

from quickdraw_lab.scale.page import BEGIN, END, section

DOCS = Path(__file__).parents[2] / "docs"


def test_the_section_is_that_of_the_measurements():
    """If not: python -m quickdraw_lab.scale.page docs/benchmarks.md docs/results/scale.json."""
    page, measurements = (DOCS / "benchmarks.md").read_text(encoding="utf-8"), DOCS / "results" / "scale.json"
    expected = f"{BEGIN}\n{END}"
    if measurements.exists():
        expected = section(json.loads(measurements.read_text(encoding="utf-8")), "results/scale.png")
    assert expected in page
