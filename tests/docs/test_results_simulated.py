"""The page of simulated experiments is what its tables make it."""

from pathlib import Path

from quickdraw_lab.figures.f4_to_f9_sweeps import SWEEPS
from quickdraw_lab.players.built_in import PAPER
from quickdraw_lab.report.publish import page
from quickdraw_lab.result_tables import Tables

FOLDER = Path(__file__).parents[2] / "docs" / "results" / "simulated"


def test_the_page_is_up_to_date():
    """If not: python -m quickdraw_lab.report.publish docs/results/simulated."""
    assert FOLDER.with_suffix(".md").read_text(encoding="utf-8") == page(FOLDER)


def test_every_setting_has_every_field_of_every_policy():
    tables = Tables(FOLDER)
    fields = {row["field"] for row in tables.rows("F4")}
    assert len(fields) >= 40
    for piece, sweep in SWEEPS.items():
        policies = ("QuickDraw",) if sweep.of_policy else PAPER
        for policy in policies:
            for value in sweep.values:
                assert set(tables.by_field(piece, policy, value)) == fields


def test_quick_draw_is_a_hundred_times_faster_than_both_processes_in_the_end():
    tables = Tables(FOLDER)
    totals = {
        policy: max(tables.by_field("F1", policy, column="cumulative_seconds", key="round").values())
        for policy in ("QuickDraw", "GPUCB (scikit-learn)", "GPUCB (george)")
    }
    assert 100 * totals["QuickDraw"] <= min(totals["GPUCB (scikit-learn)"], totals["GPUCB (george)"])
