import math

from quickdraw_bandits.evaluation.text_table import text_table


def test_columns_line_up_and_missing_numbers_are_dashes():
    table = text_table([{"name": "a", "x": 1.23456789, "n": 10}, {"name": "long", "x": math.nan, "n": None}])
    assert table == "name      x     n\na     1.235    10\nlong      -  None"
