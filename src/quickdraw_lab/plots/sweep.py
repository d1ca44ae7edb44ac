"""The pictures of F4-F9: regret per round against one parameter."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_lab.plots.style import drawing, look_of
from quickdraw_lab.statistics import mean_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MARKERS = {"QuickDraw": "o", "SlidingGPUCB": "s", "Restless": "^", "SlidingEpsilonGreedy": "D", "Random": "v"}


def draw_sweep(rows: Sequence[Mapping[str, Any]], symbol: str, logarithmic: bool) -> "Figure":
    """Return a figure with a line for each policy: the mean over fields, in a band that is its 95 % interval."""
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.6, 3.7), layout="constrained")
        panel = figure.subplots()
        fields = len({row["field"] for row in rows})
        highest = 0.0
        for policy in dict.fromkeys(row["policy"] for row in rows):
            values, low, mean, high = _curve([row for row in rows if row["policy"] == policy])
            highest = max(highest, float(mean.max()))
            look = look_of(policy)
            panel.fill_between(values, low, high, color=look.colour, alpha=0.18, linewidth=0)
            panel.plot(
                values,
                mean,
                color=look.colour,
                linestyle=look.dashes,
                marker=_MARKERS.get(policy, "X"),
                markersize=4,
                label=look.label,
            )
        if logarithmic:
            panel.set_xscale("log")
        panel.set_xlabel(symbol)
        panel.set_ylabel("regret per round")
        # With few fields bands are wide; the lines decide what is shown.
        panel.set_ylim(0, 1.25 * highest)
        panel.set_title(f"mean and 95 % interval over {fields} fields", fontsize="small", fontweight="normal")
        panel.grid(True)
        panel.set_axisbelow(True)
        if len({row["policy"] for row in rows}) > 1:
            figure.legend(loc="outside right upper", handlelength=3.4)
        else:
            panel.set_title(look_of(rows[0]["policy"]).label, loc="right", color=look_of(rows[0]["policy"]).colour)
        return figure


def _curve(rows: Sequence[Mapping[str, Any]]) -> tuple[Floats, Floats, Floats, Floats]:
    values = sorted({float(row["value"]) for row in rows})
    intervals = [
        mean_interval([row["regret_per_round"] for row in rows if float(row["value"]) == value]) for value in values
    ]
    mean, low, high = (np.array(column) for column in zip(*intervals, strict=True))
    return np.array(values), low, mean, high
