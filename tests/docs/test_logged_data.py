import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "logged-data.md"


def test_the_examples_of_the_page_run():
    tested = doctest.testfile(str(PAGE), module_relative=False)
    assert tested.attempted >= 15
    assert tested.failed == 0
