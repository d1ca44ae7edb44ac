"""The table and picture of very many arms are those of the measurements beside them."""

from pathlib import Path

from quickdraw_lab.scale.page import section
from quickdraw_lab.scale.run import Measurements

DOCS = Path(__file__).parents[2] / "docs"


def test_the_section_is_that_of_the_measurements():
    """If not: python -m quickdraw_lab.scale.page docs/benchmarks.md docs/results/scale.json."""
    measurements = Measurements.read(DOCS / "results" / "scale.json")
    assert section(measurements, "results/scale.png") in (DOCS / "benchmarks.md").read_text(encoding="utf-8")
