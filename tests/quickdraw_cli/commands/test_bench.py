import csv

import numpy as np
import pytest

from quickdraw_cli import main
from quickdraw_lab.scale import curves, run
from quickdraw_lab.scale.histories import History
from quickdraw_lab.scale.table import Row


def test_scale_prints_and_writes(tmp_path, capsys, monkeypatch):
    row = Row("1,000 in 2-D", "10", "3 times faster", 2.5, False, 1.0, 0.1, 2.5)
    monkeypatch.setattr(run, "measures", lambda quick: {"plane": lambda: row})
    monkeypatch.setattr(curves, "SERIES", {"auto": lambda arms, seen: 1e-3})
    monkeypatch.setattr(curves, "box_history", lambda dimension, n: History(np.zeros(1), np.zeros((1, 2)), np.zeros(1)))
    assert main(["bench", "scale", "--quick", "--out", str(tmp_path / "below" / "quick.json")]) == 0
    said = capsys.readouterr()
    assert "3 times faster" in said.out
    assert "a hundredth" in said.out
    assert "plane …" in said.err
    names = {path.name for path in (tmp_path / "below").iterdir()}
    assert names == {"quick.json", "quick.csv", "quick.png", "quick.svg"}


def test_soak_writes_a_table(tmp_path, capsys):
    path = tmp_path / "soak.csv"
    assert main(["bench", "soak", "--rounds", "40", "--arms", "20", "--engine", "exact", "--out", str(path)]) == 0
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[-1]["rounds"] == "40"
    assert all(float(row["excess"]) <= 1e-9 for row in rows)
    assert "ms_per_round" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scale", "--rounds", "5"], "--rounds applies to soak only"),
        (["scale", "--out", "x.csv"], "--out must end in .json, got x.csv"),
        (["soak", "--quick"], "--quick applies to scale only"),
        (["soak", "--dimension", "4"], "--dimension must be an integer"),
        (["soak", "--rounds", "0"], "--rounds must be an integer of at least 1, got 0"),
        (["soak", "--engine", "fast", "--rounds", "1"], "engine must be one of"),
    ],
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(["bench", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.splitlines()[-1].startswith("quickdraw bench: error: ")
