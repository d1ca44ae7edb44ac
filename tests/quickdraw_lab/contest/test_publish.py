import csv
import json

import pytest

from quickdraw_lab.contest.environments import ENVIRONMENTS
from quickdraw_lab.contest.plan import Plan
from quickdraw_lab.contest.publish import main
from quickdraw_lab.contest.write import write_tables
from quickdraw_lab.files import write_csv
from quickdraw_lab.testbed import TestBed

REGRETS = {
    "base": {"QuickDraw": 0.1, "Restless": 0.3, "Random": 0.5},
    "few-arms": {"QuickDraw": 0.2, "Restless": 0.05, "Random": 0.5},
    "hill": {"QuickDraw": 0.2, "Restless": 0.2, "Random": 0.5},
}


@pytest.fixture
def results(tmp_path):
    environments = {name: ENVIRONMENTS[name] for name in REGRETS}
    plan = Plan.of(REGRETS["base"], environments, TestBed(n_arms=5, n_rounds=20, warmup=2), 3, 1, budget=1)
    names = {spec: name for name, spec in environments.items()}
    swing = {"QuickDraw": 0.0, "Restless": 0.01, "Random": 0.02}
    records = {
        run: {
            "regret_per_round": REGRETS[names[run.spec]][run.contestant.policy]
            + swing[run.contestant.policy] * (run.number - 1),
            "seconds_per_choice": 0.002,
            "cpu_seconds": 1.0,
        }
        for run in plan.result_runs({})
    }
    (tmp_path / "results").mkdir()
    write_tables(plan, records, tmp_path / "results")
    return tmp_path / "results"


def test_the_page_says_where_quick_draw_wins_and_where_not(results, tmp_path):
    folder = tmp_path / "docs" / "results" / "contest"
    (folder / "main").mkdir(parents=True)
    about = {"title": "The contest", "command": "quickdraw compare --fields 3", "machine": "a small one"}
    (folder / "main" / "about.json").write_text(json.dumps(about))
    main([str(folder), f"main={results}"])
    page = tmp_path / "docs" / "which-policy.md"
    text = page.read_text(encoding="utf-8")
    assert text.startswith(
        "# Which policy?\n\n"
        "**Quick-Draw** did best: it has the lowest mean rank of 3 policies, 1.5, and the least regret on 2 of 3 "
        "environments. A choice takes 2 ms.\n\nHow to read this page:\n\n- **Policies.** "
    )
    assert "On base every other policy is worse.\nOn hill no policy is better, and some comparisons are open.\n" in text
    assert "On few-arms at least one policy is better.\n" in text
    assert "| few-arms | Restless 0.050 | 0.200 | Restless (×1) | – |\n" in text
    short = "Quick-Draw 1.5 (2 ms per choice), Restless 1.5 (2 ms per choice), Random 3.0 (2 ms per choice).\n"
    assert f"The lowest mean ranks of 3 policies, over all environments played: {short}" in text
    assert "Policies of other libraries" not in text
    assert "| Quick-Draw | 2 | 2 | this one |\n" in text
    # Student's t for three fields: 4.303 · 0.01 / sqrt(3).
    assert "| Restless | 0.300 ± 0.025 | +0.200 [+0.175, +0.225] | worse | 2.0 | 2 | defaults |\n" in text
    assert "- Machine: a small one\n" in text
    assert "(results/contest/main/contest_ranks.png)" in text
    assert "[contest_runs](results/contest/main/contest_runs.csv.gz)" in text
    packed = (folder / "main" / "contest_runs.csv.gz").read_bytes()
    page.unlink()
    main([str(folder), f"main={results}"])
    assert (folder / "main" / "contest_runs.csv.gz").read_bytes() == packed
    picture = (folder / "main" / "contest_ranks.png").read_bytes()
    (folder / "main" / "contest_ranks.png").unlink()
    main([str(folder)])
    assert page.read_text(encoding="utf-8") == text
    assert (folder / "main" / "contest_ranks.png").read_bytes() == picture  # drawn from the tables that are kept


def test_refuses_what_is_no_contest(tmp_path):
    with pytest.raises(ValueError, match=r"there is no contest\.csv"):
        main([str(tmp_path / "docs" / "results" / "contest"), f"main={tmp_path}"])


def test_says_what_is_missing_about_a_contest(results, tmp_path):
    folder = tmp_path / "docs" / "results" / "contest"
    with pytest.raises(ValueError, match=r"main/about\.json must be"):
        main([str(folder), f"main={results}"])
    with pytest.raises(ValueError, match="arguments must be NAME=RESULTS, got 'main'"):
        main([str(folder), "main"])


def test_says_how_it_is_called(capsys):
    main(["--help"])
    assert "docs/results/contest main=RESULTS" in capsys.readouterr().out


def test_the_page_shows_where_policies_of_other_libraries_win(results, tmp_path):
    folder = tmp_path / "docs" / "results" / "contest"
    (folder / "main").mkdir(parents=True)
    (folder / "main" / "about.json").write_text(json.dumps({"title": "The contest", "command": "quickdraw compare"}))
    table = results / "contest.csv"
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["policy"] == "Restless":  # from now on it comes from elsewhere
            row |= {"policy": "some.rivals.theirs:UCB1", "version": "theirs 1.2", "mean_rank": "1.0"}
    write_csv(table, rows)
    main([str(folder), f"main={results}"])
    text = (tmp_path / "docs" / "which-policy.md").read_text(encoding="utf-8")
    assert (
        "**UCB1 (theirs)** did best: it has the lowest mean rank of 3 policies, 1.0, and the least regret on 2 of 3 "
        "environments. A choice takes 2 ms.\n"
        "It is better than Quick-Draw on 1 of them, by the rule below. Quick-Draw has a mean rank of 1.5 "
        "and takes 2 ms.\n"
    ) in text
    assert (
        "**Policies of other libraries**, compared with Quick-Draw:\n\n"
        "- UCB1 (theirs), theirs 1.2: **better** on few-arms; open on hill; worse on base.\n"
    ) in text
    assert "| UCB1 (theirs) | 2 | 2 | theirs 1.2 |\n" in text
