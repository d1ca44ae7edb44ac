"""Measurements of shards are written at once, and not repeated."""

import json

import pytest

from quickdraw_cli.main import main
from quickdraw_lab.scale import shard_run
from quickdraw_lab.scale.fan_out import FanOut
from quickdraw_lab.scale.shards import ShardRow


@pytest.fixture
def measured(monkeypatch):
    made = []

    def measure(name):
        made.append(name)
        return ShardRow(name, "quick", 1.5, True, 2.0, 1.0, 0.5)

    names = ("overhead", "plane")
    monkeypatch.setattr(shard_run, "shard_measures", lambda quick: {n: lambda n=n: measure(n) for n in names})
    monkeypatch.setattr(shard_run, "fan_out", lambda questions, arms: [FanOut("small", 1, 1.0, 2.0, 1.0, 2.0, 10)])
    return made


def test_a_second_run_goes_on_where_the_first_stopped(tmp_path, measured):
    path = tmp_path / "shards.json"
    shard_run.run_shards(path, True, print)
    content = json.loads(path.read_text())
    del content["rows"]["plane"]
    path.write_text(json.dumps(content))
    rows = shard_run.run_shards(path, True, print)
    assert measured == ["overhead", "plane", "plane"]
    assert list(rows) == ["overhead", "plane"]
    with pytest.raises(ValueError, match="was measured with quick True; choose another --out"):
        shard_run.run_shards(path, False, print)


def test_the_command_prints_a_table(tmp_path, measured, capsys):
    assert main(["bench", "scale", "--shards", "--quick", "--out", str(tmp_path / "shards.json")]) == 0
    assert "overhead" in capsys.readouterr().out
    assert main(["bench", "soak", "--shards"]) != 0
