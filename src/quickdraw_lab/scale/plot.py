"""The picture of the time of a choice against the number of arms and of observations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quickdraw_bandits.plots.style import Style, drawing
from quickdraw_lab.scale.curves import VARIED, Point

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLES = {
    "auto": Style("#D55E00", "solid", "Quick-Draw, auto"),
    "tree": Style("#009E73", (0, (5, 1.5, 1, 1.5)), "tree engine"),
    "cached": Style("#E69F00", (0, (2.5, 1.2)), "cached engine"),
    "exact": Style("#0072B2", (0, (5, 1.5)), "exact engine"),
    "NumPy": Style("#000000", (0, (1, 1.2)), "direct sum in NumPy"),
    "scikit-learn": Style("#CC79A7", (0, (8, 1.5)), "GP of scikit-learn"),
}
_MARKS = {"auto": "o", "tree": "^", "cached": "s", "exact": "D", "NumPy": "x", "scikit-learn": "v"}


def draw_scale(points: Sequence[Point]) -> "Figure":
    """Return a figure with two panels: time of a choice against arms, and against observations."""
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.2, 4.2), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for panel, against, other in zip(panels, VARIED, reversed(VARIED), strict=True):
            for name, style in _STYLES.items():
                line = [p for p in points if (p["against"], p["series"]) == (against, name)]
                panel.plot(
                    [p[against] for p in line], [p["ms"] for p in line], color=style.colour, linestyle=style.dashes,
                    label=style.label, marker=_MARKS[name], markersize=4.5, linewidth=2.2 if name == "auto" else 1.4,
                    zorder=3 if name == "auto" else 2,
                )  # fmt: skip
            fixed = next((p[other] for p in points if p["against"] == against), 0)
            panel.set(xscale="log", yscale="log", xlabel=against, title=f"{fixed:,} {other}")
            panel.grid(True)
        panels[0].set_ylabel("milliseconds per choice")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize="small", handlelength=3)
        return figure
