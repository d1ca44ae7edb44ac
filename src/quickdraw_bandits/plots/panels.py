"""The axes that a picture is drawn on: those of the caller, or new ones."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

Panels = NDArray[np.object_]
"""An array of matplotlib axes."""


def panels_of(
    axes: "Axes | Sequence[Axes] | Panels | None", rows: int, columns: int, size: tuple[float, float]
) -> Panels:
    """Return ``rows * columns`` axes in one dimension: those given, or those of a new figure of ``size`` inches."""
    if axes is None:
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=size, layout="constrained")
        return np.asarray(figure.subplots(rows, columns, squeeze=False)).ravel()
    given = np.array([axes], dtype=object).ravel()
    if len(given) != rows * columns or not all(hasattr(each, "plot") for each in given):
        raise ValueError(f"axes must be {rows * columns} matplotlib axes, got {len(given)}: {given[0]!r}")
    return given


def panel_of(ax: "Axes | None", size: tuple[float, float]) -> "Axes":
    """Return the axes given, or those of a new figure of ``size`` inches."""
    panel: Axes = panels_of(ax, 1, 1, size)[0]
    return panel


def figure_of(panel: "Axes") -> "FigureBase":
    """Return the figure, or the part of one, that axes belong to."""
    figure = panel.get_figure()
    assert figure is not None  # axes that were never removed have one
    return figure
