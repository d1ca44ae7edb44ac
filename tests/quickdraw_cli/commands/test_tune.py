import csv

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_cli import main
from quickdraw_cli.commands.tune import parse_grid

SMALL = ["--arms", "12", "--rounds", "40", "--warmup", "10"]
GRID = ["--grid", "window=5,20", "epsilon=0.1,0.5"]


def test_prints_and_writes_what_tune_finds(tmp_path, capsys):
    arguments = ["slidingepsilongreedy", *GRID, "--fields", "2", *SMALL, "--noise", "0.1", "--seed", "3"]
    assert main(["tune", *arguments, "--out", "new/result.csv"]) == 0
    expected = qd.tune(
        qd.policies.SlidingEpsilonGreedy,
        {"window": [5, 20], "epsilon": [0.1, 0.5]},
        [qd.environments.RandomField(noise=0.1, n_arms=12, n_rounds=40, seed=seed) for seed in (3, 4)],
        warmup=10,
        seed=3,
    )
    said = capsys.readouterr()
    table = [line.split() for line in said.out.splitlines()[:5]]
    assert table[0][:2] == ["window", "epsilon"]
    with open(tmp_path / "new/result.csv", newline="") as file:
        written = list(csv.DictReader(file))
    for line, row, record in zip(table[1:], expected.rows, written, strict=True):
        assert line[:3] == [str(row["window"]), str(row["epsilon"]), f"{row['reward_per_round']:.4f}"]
        assert float(record["reward_per_round"]) == pytest.approx(row["reward_per_round"])
    assert "SlidingEpsilonGreedy: 8 of 8 runs in " in said.err


def test_tunes_on_recorded_rewards(tmp_path, capsys):
    np.save(tmp_path / "data.npy", np.random.default_rng(0).random((30, 4)))
    assert main(["tune", "SlidingEpsilonGreedy", "--grid", "epsilon=0,1", "--data", "data.npy", "--warmup", "5"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["data.npy"]


def test_grid_values_are_numbers_words_or_text():
    assert parse_grid(["a=1,2.5,1e-3", "b=none,True,false,text"]) == {
        "a": [1, 2.5, 0.001],
        "b": [None, True, False, "text"],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody", *GRID], "there is no policy 'nobody'"),
        (["Random", *GRID], "grid must name parameters of Random: it has none; got 'window'"),
        (["SlidingEpsilonGreedy", "--grid", "speed=1"], "grid must name parameters of SlidingEpsilonGreedy: window, "),
        (["SlidingEpsilonGreedy", "--grid", "window"], "--grid must be NAME=VALUE,VALUE,... for each parameter, got "),
        (["SlidingEpsilonGreedy", "--grid", "window=1,,2"], "--grid must be NAME=VALUE,VALUE,... for each parameter"),
        (["SlidingEpsilonGreedy", "--grid", "=1"], "--grid must be NAME=VALUE,VALUE,... for each parameter"),
        (["SlidingEpsilonGreedy", "--grid", "window=1", "window=2"], "--grid must name each parameter once"),
        (["SlidingEpsilonGreedy", "--grid", "epsilon=7"], "epsilon must be between 0 and 1, got 7"),
        (["SlidingEpsilonGreedy", *GRID, "--fields", "0"], "--fields must be an integer of at least 1, got 0"),
        (["SlidingEpsilonGreedy", *GRID, "--jobs", "0"], "jobs must be an integer of at least 1, got 0"),
        (["SlidingEpsilonGreedy", *GRID, "--seed", "-1"], "seed must be an integer from 0 to 4294967295, got -1"),
        (["SlidingEpsilonGreedy", *GRID, "--data", "ok.csv", "--fields", "2"], "--fields needs random fields"),
        (["SlidingEpsilonGreedy", *GRID, "--out", "."], "--out must be a file, got the folder ."),
    ],
)
def test_bad_input_is_one_line(tmp_path, capsys, arguments, message):
    (tmp_path / "ok.csv").write_text("1,0\n0,1\n")
    assert main(["tune", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"quickdraw tune: error: {message}")
    assert said.err.count("\n") == 1
