import pytest

from quickdraw_bandits.evaluation.tables import text_table
from quickdraw_cli import terminal

ROWS = [
    {"policy": name, "regret per round": 0.1, "reward per round": 0.5, "ms per choice": 1.0, "parameters": "defaults"}
    for name in ("AdaptiveQuickDraw", "Random")
]


@pytest.mark.parametrize("width", [30, 60, 70, 200])
def test_no_line_is_longer_than_the_terminal_and_no_value_is_lost(width):
    table = text_table(ROWS, width)
    assert max(map(len, table.splitlines())) <= width
    assert table.count("0.1") == table.count("0.5") == table.count("defaults") == 2
    for block in table.split("\n\n"):
        assert block.count("AdaptiveQuickDraw") == 1  # every part says whose values these are


def test_a_table_that_fits_is_not_changed():
    assert text_table(ROWS, 200) == text_table(ROWS)
    assert len(text_table(ROWS, 50).split("\n\n")) == 2


def test_entries_are_wrapped(capsys):
    terminal.print_entry("name", "word " * 100)
    name, *lines = capsys.readouterr().out.splitlines()
    assert name == "name"
    assert all(line.startswith("    ") and len(line) <= 100 for line in lines)
