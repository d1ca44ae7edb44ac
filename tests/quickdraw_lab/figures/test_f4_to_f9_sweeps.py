import numpy as np
import pytest

from quickdraw_bandits.plots.style import style_of
from quickdraw_lab.figures.f4_to_f9_sweeps import draw_sweep

ROWS = [
    {"value": value, "policy": policy, "field": field, "regret_per_round": value + field + len(policy)}
    for policy in ("QuickDraw", "Random", "mine:Own")
    for value in (0.1, 0.01, 1.0)
    for field in range(5)
]


def test_draws_means_in_a_band_with_the_policys_own_look():
    figure = draw_sweep(ROWS, "x", logarithmic=True)
    [panel] = figure.axes
    assert panel.get_xscale() == "log"
    assert [line.get_label() for line in panel.lines] == ["Quick-Draw", "Random", "Own (mine)"]
    line = panel.lines[0]
    np.testing.assert_allclose(line.get_xdata(), [0.01, 0.1, 1.0])
    np.testing.assert_allclose(line.get_ydata(), [11.01, 11.1, 12.0])
    assert line.get_color() == style_of("QuickDraw").colour
    band = panel.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == pytest.approx(12 + 2.776445 * np.std(range(5), ddof=1) / np.sqrt(5), rel=1e-6)  # Student's t
    assert "5 fields" in panel.get_title("left")


def test_one_policy_needs_no_legend():
    figure = draw_sweep(ROWS[:15], "x", logarithmic=False)
    assert not figure.legends
    assert figure.axes[0].get_xscale() == "linear"
    assert figure.axes[0].get_title("right") == "Quick-Draw"


def test_few_fields_are_dots_instead_of_bands_that_cover_everything():
    few = [row for row in ROWS if row["field"] < 2]
    [panel] = draw_sweep(few, "x", logarithmic=True).axes
    assert panel.get_title("left") == "mean over 2 fields; dots: single fields"
    dots = panel.collections[0].get_offsets()
    np.testing.assert_allclose(sorted(dots[:, 1]), sorted(row["regret_per_round"] for row in few[:6]))
    assert panel.get_ylim()[1] >= dots[:, 1].max()
