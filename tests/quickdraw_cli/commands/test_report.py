import pytest

from quickdraw_cli import main


def test_writes_the_page(tmp_path, capsys):
    (tmp_path / "TAB1.csv").write_text("policy,ctr\nRandom,0.5\n")
    assert main(["report", str(tmp_path)]) == 0
    assert "<td>Random</td>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert capsys.readouterr().out == f"written to {tmp_path / 'report.html'}\n"
    assert main(["report", str(tmp_path), "--out", str(tmp_path / "below" / "page.html")]) == 0
    assert (tmp_path / "below" / "page.html").exists()


@pytest.mark.parametrize("name", ["none", "empty"])
def test_bad_input_is_one_line(tmp_path, capsys, name):
    (tmp_path / "empty").mkdir()
    assert main(["report", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("quickdraw report: error: ")
    assert said.count("\n") == 1
    assert not list((tmp_path / "empty").iterdir())
