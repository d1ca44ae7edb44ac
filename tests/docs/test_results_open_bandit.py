"""The numbers on the page of results are those of the tables beside it."""

import csv
import math
from pathlib import Path

import pytest

from quickdraw_lab.figures.f12_tab1_open_bandit import PRINTED, figure_12, table_1
from quickdraw_lab.log_evaluation import summary_rows

RESULTS = Path(__file__).parents[2] / "docs" / "results"
FOLDER = RESULTS / "open-bandit"
NUMBERS = ("run", "value", "standard_error", "low", "high", "ess", "events", "true_value")


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def estimates(path):
    return [{name: float(text) if name in NUMBERS else text for name, text in row.items()} for row in rows(path)]


@pytest.mark.parametrize("which", ["sample", "generated"])
def test_table_1_on_the_page(which):
    page = (RESULTS / "open-bandit.md").read_text(encoding="utf-8")
    summary = [
        row for row in summary_rows(estimates(FOLDER / which / "TAB1_estimates.csv")) if row["estimator"] == "ips"
    ]
    table = rows(FOLDER / which / "TAB1.csv")
    assert len(table) == len(summary) > 0
    for row, behind, again in zip(table, summary, table_1(summary), strict=True):
        for name in ("ctr_percent", "ess"):
            assert float(row[name]) == pytest.approx(again[name], rel=1e-12)
        truth = "" if math.isnan(behind["true_value"]) else f" {100 * behind['true_value']:.2f} |"
        deviation = "" if math.isnan(float(row["sd"])) else f" ± {float(row['sd']):.2f}"
        printed = "{:.2f} ± {:.2f}".format(*PRINTED[row["policy"]])
        line = (
            f"| {row['policy']} | {row['learn_from']} | {float(row['ctr_percent']):.2f}{deviation} "
            f"| {100 * behind['standard_error']:.2f} |{truth} {float(row['ess']):,.0f} | {printed} |"
        ).replace("| nan |", "| – |")
        assert line in page, line


@pytest.mark.parametrize("which", ["sample", "generated"])
def test_figure_12_is_there_with_its_numbers(which):
    table = rows(FOLDER / which / "F12.csv")
    again = figure_12(summary_rows(estimates(FOLDER / which / "F12_estimates.csv")))
    assert len(table) == len(again) == 18
    for row, recomputed in zip(table, again, strict=True):
        assert float(row["ctr_percent"]) == pytest.approx(recomputed["ctr_percent"], rel=1e-12)
    assert (FOLDER / which / "F12.png").read_bytes().startswith(b"\x89PNG")
    assert f"(open-bandit/{which}/F12.png)" in (RESULTS / "open-bandit.md").read_text(encoding="utf-8")
