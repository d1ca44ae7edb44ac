import math
import os
import stat

import pytest

from quickdraw_lab.files import check_folder, replacing, write_csv


def test_writes_rows(tmp_path):
    write_csv(tmp_path / "deep" / "a.csv", iter([{"x": 1, "y": "a,b"}, {"x": 0.1, "y": None}]))
    assert (tmp_path / "deep" / "a.csv").read_text() == 'x,y\n1,"a,b"\n0.1,\n'
    assert os.listdir(tmp_path / "deep") == ["a.csv"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    (tmp_path / "a.csv").write_text("old")

    def rows():
        yield {"x": 1}
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_csv(tmp_path / "a.csv", rows())
    assert (tmp_path / "a.csv").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.csv"]


def test_results_are_as_readable_as_other_files(tmp_path):
    with replacing(tmp_path / "a.txt") as temporary:
        temporary.write_text("new")
        assert temporary.suffix == ".txt"
    (tmp_path / "other").touch()
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_numbers_come_back_as_they_were(tmp_path):
    write_csv(tmp_path / "a.csv", [{"x": math.pi}])
    assert float((tmp_path / "a.csv").read_text().split()[1]) == math.pi


def test_check_folder_makes_it_and_leaves_nothing(tmp_path):
    check_folder(tmp_path / "a" / "b")
    assert os.listdir(tmp_path / "a" / "b") == []
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        check_folder(tmp_path / "file")
    with pytest.raises(OSError, match="file"):
        check_folder(tmp_path / "file" / "below")


def test_a_folder_that_takes_no_files_is_named(tmp_path, monkeypatch):
    def refuse(dir):
        raise PermissionError(13, "Permission denied", f"{dir}/tmpabc")

    monkeypatch.setattr("quickdraw_lab.files.TemporaryFile", refuse)
    with pytest.raises(PermissionError, match="Permission denied") as caught:
        check_folder(tmp_path)
    assert caught.value.filename == str(tmp_path)
