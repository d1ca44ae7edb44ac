import csv
import json

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_cli import main
from quickdraw_lab.players.built_in import PAPER

SMALL = ["--arms", "12", "--rounds", "40", "--warmup", "10"]
TWO = ["--policies", "random", "slidingEpsilonGreedy"]


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_writes_and_prints_what_was_played(tmp_path, capsys):
    field = ["--length-x", "0.3", "--length-t", "0.2", "--power", "2", "--noise", "0.1", "--seed", "7"]
    assert main(["play", *TWO, *SMALL, *field, "--out", "there"]) == 0
    env = qd.environments.RandomField(0.3, 0.2, 2.0, 0.1, n_arms=12, n_rounds=40, seed=7)
    policies = (qd.policies.Random(env.arms, seed=7), qd.policies.SlidingEpsilonGreedy(env.arms, seed=7))
    traces = [qd.simulate(policy, env, warmup=10, seed=7) for policy in policies]

    said = capsys.readouterr()
    table = [line.split() for line in said.out.splitlines()]
    rounds, summary = rows(tmp_path / "there/rounds.csv"), rows(tmp_path / "there/summary.csv")
    assert len(rounds) == 80
    for i, trace in enumerate(traces):
        mine = rounds[40 * i : 40 * i + 40]
        assert {row["policy"] for row in mine} == {trace.policy}
        assert [int(row["round"]) for row in mine] == list(range(40))
        for name, values in [
            ("time", trace.times),
            ("arm", trace.arms),
            ("reward", trace.rewards),
            ("regret", trace.regret),
        ]:
            np.testing.assert_allclose([float(row[name]) for row in mine], values, rtol=1e-12, atol=1e-12)
        assert summary[i]["policy"] == trace.policy
        assert float(summary[i]["regret_per_round"]) == pytest.approx(trace.regret_per_round)
        assert table[1 + i][:3] == [trace.policy, f"{trace.regret_per_round:.4g}", f"{trace.reward_per_round:.4g}"]
    assert said.out.splitlines()[-1] == "written to there: play.png, summary.csv, rounds.csv, play.json"
    assert "Random: 40 of 40 rounds in " in said.err
    assert (tmp_path / "there/play.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == [
        "play.json", "play.png", "rounds.csv", "summary.csv"
    ]  # fmt: skip


def test_default_is_the_adaptive_policy_and_the_papers_five(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "quickdraw_lab.players.built_in.find_policies",
        lambda names: asked.extend(names) or [qd.policies.Random],
    )
    assert main(["play", *SMALL]) == 0
    assert asked[0] == "AdaptiveQuickDraw"
    assert set(asked[1:]) == set(PAPER)
    assert (tmp_path / "results/play/play.png").exists()


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".csv"])
def test_plays_on_recorded_rewards(tmp_path, suffix, capsys):
    rewards = np.random.default_rng(0).random((30, 4))
    path = tmp_path / f"data{suffix}"
    if suffix == ".csv":
        np.savetxt(path, rewards, delimiter=",", header="a,b,c,d", comments="")
    else:
        {".npy": np.save, ".npz": np.savez}[suffix](path, rewards)
    assert main(["play", *TWO, "--data", str(path), "--warmup", "5"]) == 0
    for row in rows(tmp_path / "results/play/rounds.csv"):
        best, paid = max(rewards[int(row["round"])]), rewards[int(row["round"]), int(row["arm"])]
        assert float(row["reward"]) == pytest.approx(paid)
        assert float(row["regret"]) == pytest.approx(best - paid)
    assert "note" not in capsys.readouterr().err


def test_rewards_out_of_range_are_noted_and_scaled_on_demand(tmp_path, capsys):
    rewards = 100 * np.random.default_rng(0).random((30, 4)) - 50
    np.save(tmp_path / "data.npy", rewards)
    command = ["play", *TWO, "--data", "data.npy", "--warmup", "5"]
    assert main(command) == 0
    assert "note: policies expect rewards in [0, 1]" in capsys.readouterr().err
    assert main([*command, "--scale"]) == 0
    assert "note" not in capsys.readouterr().err
    scaled = (rewards - rewards.min()) / (rewards.max() - rewards.min())
    for row in rows(tmp_path / "results/play-2/rounds.csv"):
        assert float(row["reward"]) == pytest.approx(scaled[int(row["round"]), int(row["arm"])])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policies", "nobody"], "there is no policy 'nobody'; known policies are "),
        (["--length-x", "0"], "length_x must be above 0, got 0.0"),
        (["--length-t", "-1"], "length_t must be above 0, got -1.0"),
        (["--power", "nan"], "power must be a finite number, got nan"),
        (["--noise", "-1"], "noise must be at least 0, got -1.0"),
        (["--arms", "1"], "n_arms must be an integer of at least 2, got 1"),
        (["--rounds", "0"], "n_rounds must be an integer of at least 1, got 0"),
        (["--rounds", "50", "--warmup", "50"], "--warmup must be below the number of rounds, 50, got 50"),
        (["--seed", "-1"], "seed must be an integer from 0 to 4294967295, got -1"),
        (["--data", "none.npy"], "none.npy must be a file, and there is none"),
        (["--data", "bad.doc"], "bad.doc: the file must be one of .npy, .npz, .csv"),
        (
            ["--data", "nan.csv"],
            "nan.csv: column '1', row 2: must be a finite number (--fill linear, previous or a number fills gaps)",
        ),
        (["--data", "ok.csv", "--arms", "5"], "--arms describes a random field and has no effect with --data"),
        (["--data", "ok.csv"], "--warmup must be below the number of rounds, 2, got 100"),
        (["--data", "flat.csv", "--scale"], "flat.csv: all rewards are 1 and cannot be scaled"),
        (
            ["--data", "prices.csv"],
            "prices.csv: the first row (4.99, 5.99, 6.49) may be a header or a round of rewards; say which by "
            "--header or --no-header",
        ),
        (
            ["--data", "commas.csv"],
            "commas.csv: column 'x', row 1: must be a finite number (with decimal commas, give --decimal ,), got '0,5'",
        ),
        (["--data", "empty.csv"], "empty.csv must have columns, and is empty"),
        (
            ["--data", "days.csv"],
            "days.csv: column 'day', row 1: must be a finite number (name a column of times by --time-column), got ",
        ),
        (["--fill", "0"], "--fill is about recorded rewards; give --data too"),
        (["--scale"], "--scale needs recorded rewards; give --data too"),
        (["--out", "ok.csv"], "ok.csv: File exists"),
        (["--out", "ok.csv/below"], "ok.csv/below: Not a directory"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(tmp_path, capsys, arguments, message):
    (tmp_path / "nan.csv").write_text("1,2\nnan,3\n")
    (tmp_path / "ok.csv").write_text("1,0\n0,1\n")
    (tmp_path / "flat.csv").write_text("1,1\n1,1\n")
    (tmp_path / "prices.csv").write_text("4.99,5.99,6.49\n0.1,0.9,0.2\n")
    (tmp_path / "commas.csv").write_text("x;y\n0,5;0,25\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "days.csv").write_text("day,x,y\n2026-07-01,1,2\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert main(["play", *TWO, *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"quickdraw play: error: {message}")
    assert said.err.count("\n") == 1
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_table_with_dates_gaps_and_decimal_commas(tmp_path, capsys):
    rows = [f"2026-07-{k + 1:02};{'' if k == 3 else '0,5'};0,{k}" for k in range(9)]
    (tmp_path / "data.csv").write_text("\n".join(["day;low;high", *rows]))
    options = ["--time-column", "day", "--decimal", ",", "--fill", "linear", "--warmup", "3"]
    assert main(["play", *TWO, "--data", "data.csv", *options]) == 0
    with open(tmp_path / "results/play/rounds.csv", newline="") as file:
        times = {float(row["time"]) for row in csv.DictReader(file)}
    assert times == {k / 8 for k in range(9)}


def test_a_game_never_overwrites_another_unless_told_to(tmp_path, capsys):
    assert main(["play", *TWO, *SMALL, "--seed", "1", "--out", "there"]) == 0
    first = (tmp_path / "there/rounds.csv").read_bytes()
    assert main(["play", *TWO, *SMALL, "--seed", "2", "--out", "there"]) == 2
    assert "there holds the results of another game; choose another --out, or give --replace" in capsys.readouterr().err
    assert (tmp_path / "there/rounds.csv").read_bytes() == first
    assert main(["play", *TWO, *SMALL, "--seed", "2", "--out", "there", "--replace"]) == 0
    assert (tmp_path / "there/rounds.csv").read_bytes() != first
    assert json.loads((tmp_path / "there/play.json").read_text())["seed"] == "2"
    for _ in range(3):
        assert main(["play", *TWO, *SMALL]) == 0
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == ["play", "play-2", "play-3"]


def test_a_game_that_fails_leaves_its_folder_free(tmp_path, monkeypatch):
    def fail(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("quickdraw_lab.play.traces.play", fail)
    assert main(["play", *TWO, *SMALL, "--out", "there"]) == 130
    assert list((tmp_path / "there").iterdir()) == []
