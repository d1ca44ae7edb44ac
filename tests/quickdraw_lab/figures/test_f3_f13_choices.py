import csv

import numpy as np

import quickdraw_bandits as qd
from quickdraw_bandits.environments import RandomField
from quickdraw_lab.figures.f3_f13_choices import FIELD, draw_panels, make_choices
from quickdraw_lab.testbed import FieldSetting, TestBed

TEST_BED = TestBed(seed=2, n_arms=30, n_rounds=60, warmup=20)


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_four_policies_after_the_same_warm_up(tmp_path):
    assert make_choices("F3", TEST_BED, tmp_path) == ["F3.csv", "F3.png", "F3.svg"]
    table = rows(tmp_path / "F3.csv")
    arms = {}
    for row in table:
        arms.setdefault(row["policy"], []).append(row["arm"])
    assert list(arms) == ["SlidingGPUCB", "SlidingEpsilonGreedy", "Restless", "QuickDraw"]
    assert len({tuple(each[:20]) for each in arms.values()}) == 1
    assert len({tuple(each) for each in arms.values()}) == 4


def test_small_scales(tmp_path):
    make_choices("F13", TEST_BED, tmp_path)
    env = TEST_BED.environment(FIELD, FieldSetting())
    policy = qd.QuickDraw(env.arms, length_scale=0.1, time_scale=0.1, seed=env.seed)
    trace = qd.simulate(policy, env, warmup=20, seed=env.seed)
    assert [int(row["arm"]) for row in rows(tmp_path / "F13.csv")] == trace.arms.tolist()


def test_titles_do_not_overlap():
    env = RandomField(n_arms=20, n_rounds=40)
    trace = qd.simulate(qd.QuickDraw(env.arms, seed=0), env, warmup=10)
    figure = draw_panels(env, [trace], ["$l_x = l_t = 0.1$"])
    figure.canvas.draw()
    panel = figure.axes[0]
    boxes = [title.get_window_extent() for title in (panel._left_title, panel.title, panel._right_title)]
    filled = sorted((box for box in boxes if box.width > 0), key=lambda box: box.x0)
    assert len(filled) == 2
    assert filled[0].x1 + 5 < filled[1].x0
    assert np.all([figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in filled])
