import numpy as np

from quickdraw_lab.figures.f12_tab1_open_bandit import draw_figure_12


def row(scale, reading, true):
    names = ("time_scale", "ctr_percent", "low", "high", "true_percent", "learn_from")
    return dict(zip(names, (scale, scale + 1, scale, scale + 2, true, reading), strict=True))


def test_one_panel_to_a_reading_and_the_truth_where_it_is_known():
    rows = [row(10, "logged", 2.0), row(0.1, "logged", 1.0), row(1, "matched", np.nan)]
    figure = draw_figure_12(rows, "a log")
    logged, matched = figure.axes
    np.testing.assert_array_equal(logged.lines[0].get_xdata(), [0.1, 10])
    np.testing.assert_array_equal(logged.lines[0].get_ydata(), [1.1, 11])
    np.testing.assert_array_equal(logged.lines[1].get_ydata(), [1.0, 2.0])
    assert len(matched.lines) == 1
    assert [panel.get_title(loc="left") for panel in figure.axes] == [
        "learns from logged events",
        "learns from matched events",
    ]
