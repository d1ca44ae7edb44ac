from quickdraw_lab.figures.catalogue import FIGURES, ON_A_LOG, SIMULATED, in_order


def test_every_figure_of_the_paper_is_there_in_order():
    assert list(FIGURES) == [*(f"F{number}" for number in range(1, 14)), "TAB1"]
    assert not set(SIMULATED) & set(ON_A_LOG)


def test_figures_have_a_title_and_pictures_a_caption():
    assert len({figure.title for figure in FIGURES.values()}) == len(FIGURES)
    assert [name for name, figure in FIGURES.items() if not figure.caption] == ["TAB1"]


def test_ids_that_the_paper_does_not_have_come_last():
    assert in_order(["Z", "TAB1", "F11", "F99", "F2"]) == ["F2", "F11", "TAB1", "F99", "Z"]
