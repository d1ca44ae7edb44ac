import json

import pytest

from quickdraw_lab.figures.f4_to_f9_sweeps import SWEEPS
from quickdraw_lab.report.publish import main, page


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    lines = ["parameter,value,policy,field,regret_per_round,seconds"]
    lines += [f"l_x,{value},QuickDraw,{f},{value + f},1.0" for value in SWEEPS["F8"].values for f in range(3)]
    (folder / "F8.csv").write_text("\n".join(lines) + "\n")
    (folder / "F8.png").write_bytes(b"picture")
    (folder / "runs.jsonl").write_text("not for the page")
    return folder


def test_packs_and_writes_a_page_of_its_numbers(results, tmp_path):
    target = tmp_path / "docs" / "simulated"
    target.mkdir(parents=True)
    (target / "about.json").write_text(json.dumps({"command": "quickdraw reproduce all", "machine": "a small one"}))
    main([str(results), str(target)])
    assert sorted(path.name for path in target.iterdir()) == ["F8.csv.gz", "F8.png", "about.json"]
    text = (tmp_path / "docs" / "simulated.md").read_text(encoding="utf-8")
    assert "quickdraw reproduce all\n" in text
    assert "- Machine: a small one\n" in text
    assert "| 0.01 | 1.010 ± 2.484 |\n" in text  # Student's t for three fields
    assert "![F8](simulated/F8.png)" in text
    assert "| 5 | F8 | Quick-Draw's regret rises as l_x falls below 1. | " in text

    packed = (target / "F8.csv.gz").read_bytes()
    main([str(results), str(target)])
    assert (target / "F8.csv.gz").read_bytes() == packed
    (tmp_path / "docs" / "simulated.md").unlink()
    main([str(target)])
    assert (tmp_path / "docs" / "simulated.md").read_text(encoding="utf-8") == text == page(target)
