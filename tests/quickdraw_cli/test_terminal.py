import pytest

from quickdraw_bandits.evaluation.text_table import text_table
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


ESTIMATES = [
    {"policy": policy, "learn from": mode, "estimator": estimator, "value": 0.25}
    for policy in ("AdaptiveQuickDraw", "Random")
    for mode in ("logged", "matched")
    for estimator in ("ips", "self-normalised doubly robust")
]


def test_sections_of_a_table_that_is_too_wide():
    table = text_table(ESTIMATES, 50, sections=("policy", "learn from"))
    assert max(map(len, table.splitlines())) <= 50
    parts = table.split("\n\n")
    assert [part.splitlines()[0] for part in parts] == [
        f"{policy}, {mode}" for policy in ("AdaptiveQuickDraw", "Random") for mode in ("logged", "matched")
    ]
    assert all(part.splitlines()[1].split() == ["estimator", "value"] and part.count("0.25") == 2 for part in parts)
    assert text_table(ESTIMATES, 200, sections=("policy", "learn from")) == text_table(ESTIMATES)


def test_all_keys_are_repeated():
    rows = [{"length_scale": 0.1, "time_scale": 1.0, "reward per round": 0.5, "ms per choice": 2.0}]
    below = text_table(rows, 36, keys=2).split("\n\n")
    assert [part.splitlines()[1].split()[:2] for part in below] == [["length_scale", "time_scale"]] * 2


def test_text_is_wrapped_at_words_in_a_terminal_only(capsys, monkeypatch):
    text = "written to results/play: " + "a-long-name.csv " * 8
    terminal.print_text(text)
    assert capsys.readouterr().out == f"{text}\n"
    monkeypatch.setattr(terminal, "terminal_width", lambda: 60)
    terminal.print_text(text)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) <= 60
    assert " ".join(lines).split() == text.split()
