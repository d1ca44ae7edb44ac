import base64
import re

import pytest

from quickdraw_lab.claims.statements import CLAIMS
from quickdraw_lab.figures.f4_to_f9_sweeps import SWEEPS
from quickdraw_lab.pages import render
from quickdraw_lab.report import report_page
from quickdraw_lab.report.shown_tables import sweep_summary

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="
)
SWEEP = [
    {"parameter": "alpha", "value": "1.0", "policy": "QuickDraw", "field": str(f),
     "regret_per_round": str(f), "seconds": "2"}
    for f in range(3)
]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    lines = ["parameter,value,policy,field,regret_per_round,seconds"]
    lines += [",".join(row.values()) for row in SWEEP]
    (tmp_path / "F5.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "F5.png").write_bytes(PIXEL)
    (tmp_path / "F10.png").write_bytes(PIXEL)
    (tmp_path / "F2.csv").write_text("a,b\n" + "1,<b>\n" * 40)
    (tmp_path / "runs.jsonl").touch()
    return tmp_path


def test_holds_every_figure_and_table(folder):
    page = report_page(folder)
    assert page.count("<img ") == 2
    assert page.count(base64.b64encode(PIXEL).decode()) == 2
    assert re.findall('data-name="(.*?)"', page.partition("</style>")[2]) == ["F2", "F5"]
    assert re.findall('<section id="(.*?)"', page) == ["F2", "F5", "F10"]
    assert "the first 8 of 40 rows" in page


def test_what_a_killed_process_left_behind_is_not_shown(folder):
    page = report_page(folder)
    (folder / ".F5-x1y2.csv").write_text("parameter,val")
    (folder / ".F5-x1y2.png").write_bytes(PIXEL[:20])
    assert report_page(folder) == page


def test_claims_without_results_are_counted_at_the_end(folder):
    page = report_page(folder)
    assert f"{len(CLAIMS)} more claims are about results that are not in this" in page
    assert "not measured" not in page.partition("</style>")[2]
    assert page.index("claims are about results") > page.index('<section id="F10">')


def test_claims_with_results_come_first(folder):
    lines = ["parameter,value,policy,field,regret_per_round,seconds"]
    lines += [f"l_x,{value},QuickDraw,{f},{1 / value + f},1.0" for value in SWEEPS["F8"].values for f in range(3)]
    (folder / "F8.csv").write_text("\n".join(lines) + "\n")
    page = report_page(folder)
    assert re.findall('<section id="(.*?)"', page) == ["claims", "F2", "F5", "F8", "F10"]
    of_f8 = [claim for claim in CLAIMS if claim.figure == "F8"]
    shown = page.partition("</style>")[2].split('data-name="claims"')[1].split("</table>")[0]
    assert 0 < shown.count('class="verdict"') <= len(of_f8)
    assert shown.count('<a href="#F8">F8</a>') == shown.count('class="verdict"')
    assert "Quick-Draw&#39;s regret rises as l_x falls below 1." in shown


def test_every_link_leads_somewhere(folder):
    page = report_page(folder)
    assert set(re.findall('href="#(.*?)"', page)) == set(re.findall('<section id="(.*?)"', page))


def test_of_two_files_of_a_picture_the_lighter_is_taken(folder):
    (folder / "F5.svg").write_text("<svg/>")
    assert "data:image/svg+xml;base64,PHN2Zy8+" in report_page(folder)
    (folder / "F5.svg").write_text("<svg>" + " " * 1000 + "</svg>")
    assert "image/svg" not in report_page(folder)


def test_loads_nothing_and_runs_nothing(folder):
    page = report_page(folder)
    assert not re.search(r"https?://|<script|<link|@import|url\(", page)
    assert "default-src 'none'" in page


def test_text_from_tables_is_escaped(folder):
    assert "<td>&lt;b&gt;</td>" in report_page(folder)
    assert "<b>" not in render("report.html", sections=["<b>"], found=[], counted="", absent=0, rules="",
                               failures=[{"<b>": "<b>"}], figures=[])  # fmt: skip


def test_failures_are_shown(folder):
    assert "Runs that failed" not in report_page(folder)
    (folder / "failures.csv").write_text("policy,message\nmine:P,RuntimeError: no\n")
    page = report_page(folder)
    assert "Runs that failed" in page
    assert "RuntimeError: no" in page


def test_a_sweep_is_summed_up():
    [row] = sweep_summary(SWEEP)
    assert row == {
        "parameter": "alpha", "value": "1.0", "policy": "Quick-Draw", "fields": "3",
        "regret per round": "1.0000 [-1.4841, 3.4841]", "seconds": "2",
    }  # fmt: skip


def test_refuses_folders_without_results(tmp_path):
    with pytest.raises(ValueError, match="has no results of quickdraw reproduce"):
        report_page(tmp_path)
    with pytest.raises(ValueError, match="none is not a folder"):
        report_page(tmp_path / "none")
