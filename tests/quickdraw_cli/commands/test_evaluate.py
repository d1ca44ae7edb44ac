import csv
import re

import pytest

from quickdraw_bandits.datasets import generate_log, open_bandit
from quickdraw_bandits.evaluation.off_policy import builder, play_log
from quickdraw_bandits.policies import SlidingEpsilonGreedy
from quickdraw_cli import main, terminal
from quickdraw_cli.commands import evaluate


@pytest.fixture
def log_file(tmp_path):
    log, _ = generate_log(400, n_arms=5, level=0.1, width=0.5, group_sizes=[2, 1], seed=3)
    with open(tmp_path / "log.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["when", "arm", "reward", "p", "who", "note"])
        writer.writerows(zip(log.time, log.arm, log.reward, log.propensity, log.group, log.group, strict=True))
    return log, ["log.csv", "--time", "when", "--propensity", "p", "--group", "who"]


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_evaluate_prints_and_writes_what_the_library_says(log_file, capsys):
    log, options = log_file
    settings = ["--policies", "slidingepsilongreedy", "--learn-from", "matched", "--interval", "90", "--jobs", "1"]
    assert main(["evaluate", *options, *settings, "--seed", "5", "--out", "there"]) == 0
    played = play_log(log, builder(SlidingEpsilonGreedy), learn_from="matched", interval=90, seed=5)
    expected = played.ips()
    written = rows("there/estimates.csv")
    assert [row["estimator"] for row in written] == [
        "ips",
        "self-normalised ips",
        "direct method",
        "doubly robust",
        "self-normalised doubly robust",
        "replay",
    ]
    assert float(written[0]["value"]) == expected.value
    assert float(written[0]["low"]) == expected.low
    assert {row["learn_from"] for row in written} == {"matched"}
    said = capsys.readouterr().out
    assert said.splitlines()[0].endswith("not read: column 'note'")
    assert f"{expected.value:.4g}" in said
    assert said.endswith("written to there: estimates.csv\n")


@pytest.mark.parametrize("width", [60, 80])
def test_estimates_fit_a_narrow_terminal(log_file, capsys, monkeypatch, width):
    for module in (terminal, evaluate):
        monkeypatch.setattr(module, "terminal_width", lambda: width)
    assert main(["evaluate", *log_file[1], "--policies", "SlidingEpsilonGreedy", "Random", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= width
    headings = [f"{policy}, {mode}" for mode in ("logged", "matched") for policy in ("SlidingEpsilonGreedy", "Random")]
    assert [line for line in said.splitlines() if line in headings] == headings
    for heading in headings:
        part = said.split(f"{heading}\n")[1].split("\n\n")[0]
        columns = part.splitlines()[0 if width == 60 else 1].split()
        assert columns == ["estimator", "value", *(["error"] if width == 80 else []), "low", "high", "ess"] + (
            ["weak"] if width == 80 else []
        )
        rows = [line for line in part.splitlines() if "doubly robust" in line]
        assert len(rows) == 2
        assert all(0 <= float(re.split("  +", row)[1]) <= 1 for row in rows)


def test_both_readings_and_several_runs(log_file, capsys):
    _, options = log_file
    assert main(["evaluate", *options, "--policies", "random", "--runs", "2", "--jobs", "1", "--bootstrap"]) == 0
    written = rows("results/evaluate/estimates.csv")
    assert len(written) == 2 * 2 * 6
    assert {(row["learn_from"], row["run"]) for row in written} == {
        ("logged", "0"), ("logged", "1"), ("matched", "0"), ("matched", "1"),
    }  # fmt: skip
    assert "weak: Random, logged, replay: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["none.csv"], "none.csv must be a file, and there is none"),
        (["log.csv"], "log.csv has no column 'time'"),
        (["log.csv", "--policies", "magic"], "there is no policy 'magic'"),
        (["log.csv", "--level", "2"], "level must be above 0 and below 1, got 2.0"),
    ],
)
def test_bad_input_is_one_line(log_file, capsys, options, message):
    assert main(["evaluate", *options]) == 2
    said = capsys.readouterr().err
    assert said.startswith("quickdraw evaluate: error: ")
    assert message in said
    assert said.count("\n") == 1


def test_rows_out_of_order_name_the_option(tmp_path, capsys):
    (tmp_path / "back.csv").write_text("time,arm,reward,propensity\n5,1,0,0.5\n1,2,1,0.5\n")
    assert main(["evaluate", "back.csv"]) == 2
    said = capsys.readouterr().err
    assert "row 2: must be no earlier than the row before (5), or give --sort, got 1" in said
    assert main(["evaluate", "back.csv", "--sort", "--policies", "Random", "--jobs", "1"]) == 0


def test_reproducing_from_rows_out_of_order_names_the_option(tmp_path, capsys):
    folder = tmp_path / "random" / "women"
    folder.mkdir(parents=True)
    (folder / "item_context.csv").write_text(",item_id,item_feature_0\n0,0,0.5\n1,1,0.7\n")
    features = ",".join(f"user_feature_{i}" for i in range(4))
    (folder / "women.csv").write_text(
        f",timestamp,item_id,position,click,propensity_score,{features}\n"
        "0,2019-11-25,0,1,0,0.5,a,b,c,d\n1,2019-11-24,1,1,0,0.5,a,b,c,d\n"
    )
    assert main(["reproduce", "TAB1", "--policies", "Random", "--data", str(tmp_path)]) == 2
    assert ", or give --sort, got " in capsys.readouterr().err


def test_table_1_on_the_sample(capsys):
    assert main(["reproduce", "TAB1", "--policies", "Random", "--runs", "2", "--jobs", "1", "--out", "there"]) == 0
    table = rows("there/TAB1.csv")
    assert list(table[0]) == ["policy", "ctr_percent", "sd", "ess", "learn_from", "events"]
    assert [(row["policy"], row["learn_from"], row["events"]) for row in table] == [
        ("Random", "logged", "10000"),
        ("Random", "matched", "10000"),
    ]
    for row in table:
        assert float(row["ctr_percent"]) == pytest.approx(100 * open_bandit().reward.mean())
        assert float(row["sd"]) == 0
        assert float(row["ess"]) == pytest.approx(10_000)
    said = capsys.readouterr().out
    assert "Open Bandit sample, random/women: Log(10,000 events, 46 arms, 205 groups, mean reward 0.0046)" in said
    assert "0.49" in said  # what the paper prints stands beside it


def test_figure_12_on_a_generated_log(tmp_path):
    options = ["--generate", "300", "--runs", "1", "--jobs", "1", "--learn-from", "logged", "--out", "there"]
    assert main(["reproduce", "F12", "--policies", "Random", *options]) == 0
    table = rows("there/F12.csv")
    assert float(table[0]["time_scale"]) == 0.01
    assert {row["learn_from"] for row in table} == {"logged"}
    assert all(0 < float(row["true_percent"]) < 10 for row in table)
    assert (tmp_path / "there/F12.png").read_bytes().startswith(b"\x89PNG")


def test_a_log_is_either_made_or_read(capsys):
    assert main(["reproduce", "TAB1", "--policies", "Random", "--generate", "10", "--data", "somewhere"]) == 2
    assert "--generate makes a log" in capsys.readouterr().err
    assert main(["reproduce", "TAB1", "--policies", "Random", "--data", "nowhere"]) == 2
    assert "nowhere/random/women must hold women.csv or women.csv.gz" in capsys.readouterr().err
