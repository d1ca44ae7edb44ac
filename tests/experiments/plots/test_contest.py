from quickdraw_bandits.experiments.plots.contest import draw_ranks, draw_regrets


def row(environment, policy, regret, rank, role="policy"):
    return {
        "environment": environment,
        "policy": policy,
        "role": role,
        "regret_per_round": regret,
        "regret_low": regret - 0.01,
        "regret_high": regret + 0.01,
        "mean_rank": rank,
    }


ROWS = [
    row("base", "QuickDraw", 0.1, 1.2),
    row("base", "Random", 0.4, 2.0),
    row("base", "Restless", 0.5, 2.8),
    row("base", "SpaceTimeGPUCB", 0.05, "", "attainable"),
    row("few-arms", "Restless", 0.1, 1.0),
    row("few-arms", "QuickDraw", 0.2, 2.0),
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


def test_regrets_have_a_panel_to_an_environment_and_yardsticks_are_named_so():
    figure = draw_regrets(ROWS)
    shown = [panel for panel in figure.axes if panel.get_visible()]
    assert [panel.get_title(loc="left") for panel in shown] == ["base", "few-arms"]
    labels = [label.get_text() for label in shown[0].get_yticklabels()]
    assert labels == ["Quick-Draw", "Random", "Restless", "Space-time GP-UCB (attainable)"]
