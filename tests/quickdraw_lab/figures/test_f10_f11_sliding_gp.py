import csv

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_lab.figures import f10_f11_sliding_gp
from quickdraw_lab.figures.f10_f11_sliding_gp import belief_at, make_window, round_of
from quickdraw_lab.testbed import FieldSetting, TestBed

TEST_BED = TestBed(seed=2, n_arms=30, n_rounds=150, warmup=20)


def test_the_rounds_are_the_papers():
    assert round_of("F10", TestBed()) == 220
    assert round_of("F11", TestBed()) == 520


@pytest.mark.parametrize("n_rounds", [22, 25, 60])
def test_a_short_game_has_such_rounds_too(tmp_path, n_rounds):
    test_bed = TestBed(n_arms=10, n_rounds=n_rounds, warmup=20)
    assert make_window("F10", test_bed, tmp_path)[0] == "F10.csv"


def test_the_belief_is_that_of_the_policy_in_a_whole_game():
    env = TEST_BED.environment(3, FieldSetting())
    trace = qd.simulate(qd.policies.SlidingGPUCB(env.arms, seed=env.seed), env, TEST_BED.warmup, env.seed)
    belief = belief_at(env, 120, TEST_BED.warmup)
    assert belief.arms.tolist() == trace.arms[20:120].tolist()
    assert belief.rewards.tolist() == trace.rewards[20:120].tolist()
    assert belief.rounds.tolist() == list(range(20, 120))
    assert int(belief.bound.argmax()) == trace.arms[120]
    np.testing.assert_allclose(belief.bound, belief.mean + 2 * belief.std)
    np.testing.assert_array_equal(belief.true_mean, env.mean[120])


def test_writes_belief_samples_and_how_often_the_bound_is_too_low(tmp_path, monkeypatch):
    monkeypatch.setattr(f10_f11_sliding_gp, "BOUNDS", 2)
    names = ["F11.csv", "F11_samples.csv", "F11_bounds.csv", "F11.png", "F11.svg"]
    assert make_window("F11", TEST_BED, tmp_path) == names
    with open(tmp_path / "F11_bounds.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["field"] for row in table] == ["0", "1"]
    belief = belief_at(TEST_BED.environment(1, FieldSetting()), 78, TEST_BED.warmup)
    assert float(table[1]["above_share"]) == pytest.approx((belief.true_mean > belief.bound).mean())
    assert make_window("F10", TEST_BED, tmp_path) == ["F10.csv", "F10_samples.csv", "F10.png", "F10.svg"]
