"""Playing one policy again changes its rows alone, and gives what the whole contest would give."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from quickdraw_cli import main as quickdraw
from quickdraw_lab.contest import readme, replay
from quickdraw_lab.contest.publish import pack
from quickdraw_lab.result_tables import Tables

RESULTS = Path(__file__).parents[3] / "docs" / "results"
POLICIES = ["AdaptiveQuickDraw", "QuickDraw", "Random"]
SIZE = "--on few-arms road --recorded road=road.npy --rounds 60 --warmup 10 --fields 3 --tuning-fields 1 --budget 2"
TIMES = {"seconds_per_choice", "cpu_seconds"}


pytestmark = pytest.mark.usefixtures("in_this_process")


@pytest.fixture(scope="module")
def contest(tmp_path_factory, run_here):
    """Return a folder with a record, and published results of one small contest on it, in two places."""
    base = tmp_path_factory.mktemp("contest")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(base)
        patch.setattr("quickdraw_lab.runner.pool.run_on_pool", run_here)
        np.save("road.npy", np.random.default_rng(0).random((80, 6)))
        assert quickdraw(["compare", *POLICIES, *SIZE.split(), "--jobs", "1", "--out", "results"]) == 0
    for name in ("readme", "contest/small"):
        folder = base / "docs/results" / name
        pack(base / "results", folder)
        about = {"title": "Small", "command": f"quickdraw compare {' '.join(POLICIES)} {SIZE}", "machine": "this one"}
        (folder / "about.json").write_text(json.dumps(about))
    return base


@pytest.fixture
def published(contest, tmp_path, monkeypatch):
    """Return a copy of the published results, with wrong numbers for the adaptive policy."""
    shutil.copytree(contest, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    shutil.copytree("docs/results/readme", "expected")
    for folder in ("docs/results/readme", "docs/results/contest/small"):
        runs = [
            {**row, "regret_per_round": 0.9} if row["policy"] == "AdaptiveQuickDraw" else row
            for row in Tables(Path(folder)).rows("contest_runs")
        ]
        replay.write_tables(Path(folder), runs)
        assert "better" not in {row["verdict"] for row in Tables(Path(folder)).rows("contest")}
    return Path("docs/results")


def without_times(rows):
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


def test_the_tables_and_pages_are_those_of_the_whole_contest(published, monkeypatch):
    monkeypatch.setattr(readme, "NAMES", {"few-arms": "few arms"})
    monkeypatch.setattr(readme, "SHOWN", tuple(POLICIES))
    shutil.copyfile(RESULTS / "scale.csv", published / "scale.csv")
    Path("README.md").write_text(f"{readme.BEGIN}old{readme.END}")
    replay.main(["README.md", str(published), "AdaptiveQuickDraw", "--recorded", "road=road.npy"])
    expected = Tables(Path("expected"))
    for folder in ("readme", "contest/small"):
        tables = Tables(published / folder)
        for name in ("contest", "contest_runs", "contest_tuning"):
            assert without_times(tables.rows(name)) == without_times(expected.rows(name))
    own = next(row for row in expected.rows("contest") if row["policy"] == "AdaptiveQuickDraw")
    assert f"**{float(own['regret_per_round']):.3f}**" in Path("README.md").read_text()
    assert "- Played again: Adaptive Quick-Draw, on " in Path("docs/which-policy.md").read_text()


def test_times_can_be_kept():
    old = [
        {"environment": "base", "policy": policy, "number": "0", "regret_per_round": "0.3", "seconds_per_choice": "0.1"}
        for policy in ("AdaptiveQuickDraw", "Random")
    ]
    new = [{**old[0], "number": 0, "regret_per_round": 0.2, "seconds_per_choice": 9.0}]
    assert replay.replaced(old, new, "AdaptiveQuickDraw")[0]["seconds_per_choice"] == 9.0
    mine, other = replay.replaced(old, new, "AdaptiveQuickDraw", keep_times=True)
    assert (mine["regret_per_round"], mine["seconds_per_choice"], other) == (0.2, "0.1", old[1])


def test_policies_that_are_tuned_and_missing_records_are_refused(published):
    with pytest.raises(ValueError, match="QuickDraw is tuned"):
        replay.main(["README.md", str(published), "QuickDraw", "--recorded", "road=road.npy"])
    with pytest.raises(ValueError, match="give --recorded road=FILE"):
        replay.main(["README.md", str(published), "AdaptiveQuickDraw"])


@pytest.mark.parametrize("name", ["readme", "contest/main", "contest/mabwiser", "contest/wdbo"])
def test_published_summaries_follow_from_their_runs(name):
    tables = Tables(RESULTS / name)
    old = tables.rows("contest")
    new = replay.summarised(old, tables.rows("contest_runs"))
    assert [{key: str(value) for key, value in row.items()} for row in new] == old
