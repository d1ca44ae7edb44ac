"""All figures and tables of the paper by id. Add a new one here."""

from collections.abc import Iterable, Mapping

from quickdraw_lab.figures import (
    f1_run_time,
    f2_random_fields,
    f3_f13_choices,
    f4_to_f9_sweeps,
    f10_f11_sliding_gp,
    f12_tab1_open_bandit,
)
from quickdraw_lab.figures.figure import Figure, LogFigure, SimulatedFigure

SIMULATED: Mapping[str, SimulatedFigure] = {
    **f1_run_time.FIGURES,
    **f2_random_fields.FIGURES,
    **f3_f13_choices.FIGURES,
    **f4_to_f9_sweeps.FIGURES,
    **f10_f11_sliding_gp.FIGURES,
}
"""Figures made from simulations."""

ON_A_LOG: Mapping[str, LogFigure] = f12_tab1_open_bandit.FIGURES
"""Figures and tables made from a log."""


def in_order(ids: Iterable[str]) -> list[str]:
    """Return the ids in the order of the paper: figures by number, then tables, then ids that the paper does not have.

    Examples
    --------
    >>> in_order(["TAB1", "F10", "F2"])
    ['F2', 'F10', 'TAB1']
    """
    return sorted(ids, key=lambda each: (each not in _ALL, not each.startswith("F"), len(each), each))


_ALL: Mapping[str, Figure] = {**SIMULATED, **ON_A_LOG}
FIGURES: Mapping[str, Figure] = {each: _ALL[each] for each in in_order(_ALL)}
"""All of them, in the order of the paper."""
