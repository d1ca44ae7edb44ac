import numpy as np

import quickdraw_bandits as qd
from quickdraw_bandits.environments import RandomField
from quickdraw_lab.figures.f3_f13_choices import draw_panels


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
