"""The picture of F12: Quick-Draw's click-through rate against its time scale."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quickdraw_lab.plots.style import drawing, look_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_figure_12(rows: Sequence[Mapping[str, Any]], title: str) -> "Figure":
    """Return a figure with one panel for each reading of what the policy learns from; bands are 95 % intervals.

    Where the truth is known it is drawn beside the estimate.
    """
    with drawing():
        from matplotlib.figure import Figure

        readings = list(dict.fromkeys(row["learn_from"] for row in rows))
        figure = Figure(figsize=(4.2 * len(readings) + 0.4, 3.4), layout="constrained")
        panels = figure.subplots(1, len(readings), squeeze=False, sharey=True)[0]
        look = look_of("QuickDraw")
        for panel, reading in zip(panels, readings, strict=True):
            chosen = sorted((row for row in rows if row["learn_from"] == reading), key=lambda row: row["time_scale"])
            x, rate, low, high, true = (
                np.array([row[name] for row in chosen])
                for name in ("time_scale", "ctr_percent", "low", "high", "true_percent")
            )
            panel.fill_between(x, low, high, color=look.colour, alpha=0.15, linewidth=0)
            panel.plot(x, rate, color=look.colour, marker="o", markersize=4, label="estimate (IPS)")
            if np.isfinite(true).all():
                panel.plot(x, true, color="#222222", linestyle=(0, (4, 2)), label="truth")
            panel.set_xscale("log")
            panel.set_xlabel("time scale $l_t$ (the log spans 1)")
            panel.set_title(f"learns from {reading} events")
            panel.grid(True)
            panel.set_axisbelow(True)
            panel.legend(loc="best")
        panels[0].set_ylabel("click-through rate, %")
        panels[0].set_ylim(bottom=0)
        figure.suptitle(title, fontsize="medium")
        return figure
