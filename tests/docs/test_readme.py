"""The README says what the tables say, and is short."""

from pathlib import Path

import pytest

from quickdraw_lab.contest.readme import results, with_results

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_is_that_of_the_results():
    assert with_results(README, results(ROOT / "docs" / "results")) == README


def test_it_is_short():
    assert len(README.splitlines()) <= 120


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match="the page must have the lines <!-- results --> and <!-- end of results -->"):
        with_results("# Title\n", "table")
