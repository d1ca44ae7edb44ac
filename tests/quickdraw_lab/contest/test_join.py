"""Policies that are added to a contest have the rows that they would have had from the start."""

import json
import shutil
from pathlib import Path

import pytest

from quickdraw_lab.contest import join
from quickdraw_lab.contest.compare import compare
from quickdraw_lab.contest.publish import pack
from quickdraw_lab.contest.write import write_tables
from quickdraw_lab.result_tables import Tables
from quickdraw_lab.testbed import TestBed

TIMES = {"seconds_per_choice", "cpu_seconds"}


def play(policies, out):
    """Write the tables of a small contest, without pictures."""
    small = TestBed(n_arms=20, n_rounds=30, warmup=5)
    contest = compare(policies, "few-arms", budget=2, fields=3, tuning_fields=1, test_bed=small)
    Path(out).mkdir()
    write_tables(contest._plan, contest._records, Path(out))


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Return a folder with one contest of two policies, beside the results of a third and of all three."""
    monkeypatch.chdir(tmp_path)
    play(["QuickDraw", "Random"], "two")
    play(["UCB1"], "third")
    play(["QuickDraw", "Random", "UCB1"], "all")
    folder = Path("docs/results/contest/small")
    pack(Path("two"), folder)
    (folder / "about.json").write_text(
        json.dumps({"title": "Small", "command": "quickdraw compare", "machine": "this"})
    )
    return folder


def without_times(rows):
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


def test_the_tables_are_those_of_the_whole_contest(published):
    join.main(["docs/results/contest", "small=third"])
    whole, found = Tables(Path("all")), Tables(published)
    for name in ("contest", "contest_runs", "contest_tuning"):
        assert without_times(found.rows(name)) == without_times(whole.rows(name))
    assert (published / "contest_ranks.png").exists()
    page = Path("docs/which-policy.md").read_text()
    assert "- Added later: UCB1, on " in page
    assert "lowest mean ranks of 3 policies" in page


def test_what_does_not_fit_is_refused_and_changes_nothing(published, tmp_path):
    before = (published / "contest.csv").read_bytes()
    with pytest.raises(ValueError, match="QuickDraw is in the contest already"):
        join.main(["docs/results/contest", "small=two"])
    with pytest.raises(ValueError, match=r"there is no contest\.csv"):
        join.main(["docs/results/contest", "small=nowhere"])
    with pytest.raises(ValueError, match=r"arguments must name contests in docs.*, got 'large'"):
        join.main(["docs/results/contest", "large=third"])
    shutil.copytree("third", "fewer")
    text = (tmp_path / "fewer" / "contest.csv").read_text().replace("few-arms,UCB1,policy,3", "few-arms,UCB1,policy,2")
    (tmp_path / "fewer" / "contest.csv").write_text(text)
    with pytest.raises(ValueError, match="UCB1 played 2 environments few-arms, unlike others"):
        join.main(["docs/results/contest", "small=fewer"])
    assert (published / "contest.csv").read_bytes() == before
