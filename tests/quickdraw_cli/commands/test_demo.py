from dataclasses import replace

from matplotlib.figure import Figure

import quickdraw_bandits as qd
from quickdraw_cli import main
from quickdraw_lab.demo import chapters, page


def test_prints_two_tables_and_names_the_page(tmp_path, capsys, monkeypatch):
    def build(seed):
        return qd.environments.RandomField(n_arms=20, n_rounds=40, seed=seed)

    monkeypatch.setattr(chapters, "SETTINGS", [replace(each, warmup=10, build=build) for each in chapters.SETTINGS])
    for drawn in ("draw_story", "draw_others"):  # pictures have a test of their own, and take seconds
        monkeypatch.setattr(page, drawn, lambda chapter, narrow=False: Figure())
    assert main(["demo", "--out", "there"]) == 0
    said = capsys.readouterr().out
    assert said.count("Adaptive Quick-Draw") == 2
    assert said.splitlines()[-1] == f"Open in a browser: {(tmp_path / 'there/demo.html').as_uri()}"
    assert (tmp_path / "there/demo.html").exists()
