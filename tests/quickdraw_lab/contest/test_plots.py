from quickdraw_lab.contest.plots import draw_ranks, draw_regrets


def row(environment, policy, regret, rank, role="policy", verdict="worse"):
    return {
        "environment": environment,
        "policy": policy,
        "role": role,
        "regret_per_round": regret,
        "regret_low": regret - 0.01,
        "regret_high": regret + 0.01,
        "mean_rank": rank,
        "reference": "QuickDraw",
        "verdict": verdict,
    }


ROWS = [
    row("base", "QuickDraw", 0.1, 1.2, verdict="reference"),
    row("base", "Random", 0.4, 2.0, verdict="open"),
    row("base", "Restless", 0.5, 2.8),
    row("base", "SpaceTimeGPUCB", 0.05, "", "attainable"),
    row("few-arms", "Restless", 0.1, 1.0),
    row("few-arms", "QuickDraw", 0.2, 2.0, verdict="reference"),
]


def test_ranks_are_written_into_cells_and_policies_ordered_by_them():
    panel, *_ = draw_ranks(ROWS).axes
    assert [label.get_text() for label in panel.get_yticklabels()] == ["Quick-Draw", "Restless", "Random"]
    assert [label.get_text() for label in panel.get_xticklabels()] == ["base", "few-arms", "all"]
    texts = {(round(text.get_position()[0]), round(text.get_position()[1])): text.get_text() for text in panel.texts}
    assert texts == {
        (0, 0): "1.2", (1, 0): "2.0", (2, 0): "1.6",
        (0, 1): "2.8", (1, 1): "1.0", (2, 1): "1.9",
        (0, 2): "2.0", (1, 2): "–", (2, 2): "2.0",
    }  # fmt: skip
    # The least regret is framed: Quick-Draw on base, Restless on few arms.
    assert [(round(frame.get_x() + 0.45), round(frame.get_y() + 0.43)) for frame in panel.patches] == [(0, 0), (1, 1)]


def test_regrets_have_one_panel_per_environment_and_the_oracle_is_marked():
    figure = draw_regrets(ROWS)
    shown = [panel for panel in figure.axes if panel.get_visible()]
    assert [panel.get_title(loc="left") for panel in shown] == ["base", "few-arms"]
    labels = [label.get_text() for label in shown[0].get_yticklabels()]
    assert labels == ["Quick-Draw", "Random", "Restless", "Space-time GP-UCB (attainable)"]


def test_what_the_paired_difference_leaves_open_is_hollow_and_the_reference_a_line():
    panel, *_ = draw_regrets(ROWS).axes
    hollow = {
        line.get_ydata()[0]: line.get_markerfacecolor() == "white" for line in panel.lines if len(line.get_ydata()) == 1
    }
    assert hollow == {0: False, 1: True, 2: False, 3: True}  # the last is what is attainable, a diamond
    [across] = [line for line in panel.lines if line.get_linestyle() == ":"]
    assert list(across.get_xdata()) == [0.1, 0.1]


def test_two_policies_of_one_name_are_told_apart_and_titles_stay_within_small_figures():
    rival = "benchmarks.rivals.mabwiser:UCB1"
    rows = [row("base:noise=0.1", "UCB1", 0.1, 1.0, verdict="reference"), row("base:noise=0.1", rival, 0.2, 2.0)]
    for figure in (draw_ranks(rows), draw_regrets(rows)):
        labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        assert labels == ["UCB1", "UCB1 (mabwiser)"]
        figure.draw_without_rendering()
        width = figure.get_window_extent().width
        assert figure.get_suptitle().split("\n")[0] in (
            "Mean rank by regret, 1 is best",
            "Regret per round: mean and its 95 % interval",
        )
        assert figure._suptitle.get_window_extent().x1 <= width
        assert all(text.get_window_extent().x0 >= 0 for text in figure.axes[0].get_yticklabels())
