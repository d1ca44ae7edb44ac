import numpy as np
import pytest

from quickdraw_bandits.plots.style import style_of
from quickdraw_lab.figures.f4_to_f9_sweeps import draw_sweep

ROWS = [
    {"value": value, "policy": policy, "field": field, "regret_per_round": value + field + len(policy)}
    for policy in ("QuickDraw", "Random", "mine:Own")
    for value in (0.1, 0.01, 1.0)
    for field in range(3)
]


def test_draws_means_in_a_band_with_the_policys_own_look():
    figure = draw_sweep(ROWS, "x", logarithmic=True)
    [panel] = figure.axes
    assert panel.get_xscale() == "log"
    assert [line.get_label() for line in panel.lines] == ["Quick-Draw", "Random", "Own (mine)"]
    line = panel.lines[0]
    np.testing.assert_allclose(line.get_xdata(), [0.01, 0.1, 1.0])
    np.testing.assert_allclose(line.get_ydata(), [10.01, 10.1, 11.0])
    assert line.get_color() == style_of("QuickDraw").colour
    band = panel.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == pytest.approx(11 + 4.302653 / np.sqrt(3), rel=1e-6)  # Student's t for three fields
    assert "3 fields" in panel.get_title("left")


def test_one_policy_needs_no_legend():
    figure = draw_sweep(ROWS[:9], "x", logarithmic=False)
    assert not figure.legends
    assert figure.axes[0].get_xscale() == "linear"
    assert figure.axes[0].get_title("right") == "Quick-Draw"
