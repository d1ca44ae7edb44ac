"""F4 to F9: regret per round against one parameter."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.plots.style import drawing, style_of
from quickdraw_lab.figures.figure import SimulatedFigure
from quickdraw_lab.figures.sweep import Sweep
from quickdraw_lab.result_tables import Row
from quickdraw_lab.statistics import mean_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LENGTHS = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.0)
"""The values of rho_x and rho_t."""

SCALES = (1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0, 1e1, 3e1, 1e2)
"""The values of l_x and l_t."""

SWEEPS: Mapping[str, Sweep] = {
    "F4": Sweep("sigma_noise", (0.0, 0.05, 0.1, 0.2, 0.3, 0.5), r"noise $\sigma_{\mathrm{noise}}$", logarithmic=False),
    "F5": Sweep("alpha", (0.5, 1.0, 2.0, 3.0, 5.0), r"sharpness of the field $\alpha$", logarithmic=False),
    "F6": Sweep("rho_x", LENGTHS, r"correlation length over arms $\rho_x$"),
    "F7": Sweep("rho_t", LENGTHS, r"correlation length over time $\rho_t$"),
    "F8": Sweep("l_x", SCALES, r"length scale $l_x$ of Quick-Draw", ("length_scale",)),
    "F9": Sweep("l_t", SCALES, r"time scale $l_t$ of Quick-Draw", ("time_scale",)),
}

_TITLES = {
    "F4": "regret against noise",
    "F5": "regret against the sharpness of the field",
    "F6": "regret against the correlation length over arms",
    "F7": "regret against the correlation length over time",
    "F8": "regret against Quick-Draw’s length scale",
    "F9": "regret against Quick-Draw’s time scale",
}

FIGURES = {
    figure_id: SimulatedFigure(
        title=_TITLES[figure_id],
        caption="Regret per round after the warm-up: mean over fields, and its 95 % interval; of few fields, each one.",
        sweep=sweep,
        behaviour=bool(sweep.of_policy),  # the text says how it depends on the scales of Quick-Draw
    )
    for figure_id, sweep in SWEEPS.items()
}

FEWEST_FOR_BANDS = 5
"""With fewer fields, an interval is wider than all differences between policies: single fields are drawn instead."""

_MARKERS = {"QuickDraw": "o", "SlidingGPUCB": "s", "Restless": "^", "SlidingEpsilonGreedy": "D", "Random": "v"}


def draw_sweep(rows: Sequence[Row], symbol: str, logarithmic: bool) -> "Figure":
    """Return a figure with one line per policy: the mean over fields, in a band that shows its 95 % interval.

    With few fields, dots show the single fields instead.
    """
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.6, 3.7), layout="constrained")
        panel = figure.subplots()
        fields = len({row["field"] for row in rows})
        highest = 0.0
        for policy in dict.fromkeys(row["policy"] for row in rows):
            values, low, mean, high = _curve([row for row in rows if row["policy"] == policy])
            highest = max(highest, float(mean.max()))
            style = style_of(policy)
            if fields >= FEWEST_FOR_BANDS:
                panel.fill_between(values, low, high, color=style.colour, alpha=0.18, linewidth=0)
            else:
                mine = np.array([(row["value"], row["regret_per_round"]) for row in rows if row["policy"] == policy])
                panel.scatter(mine[:, 0], mine[:, 1], s=7, color=style.colour, alpha=0.55, linewidths=0)
                highest = max(highest, float(mine[:, 1].max()) / 1.15)
            panel.plot(
                values,
                mean,
                color=style.colour,
                linestyle=style.dashes,
                marker=_MARKERS.get(policy, "X"),
                markersize=4,
                label=style.label,
            )
        if logarithmic:
            panel.set_xscale("log")
        panel.set_xlabel(symbol)
        panel.set_ylabel("regret per round")
        panel.set_ylim(0, 1.25 * highest)
        panel.set_title(_what_is_shown(fields), fontsize="small", fontweight="normal")
        panel.grid(True)
        panel.set_axisbelow(True)
        if len({row["policy"] for row in rows}) > 1:
            figure.legend(loc="outside right upper", handlelength=3.4)
        else:
            panel.set_title(style_of(rows[0]["policy"]).label, loc="right", color=style_of(rows[0]["policy"]).colour)
        return figure


def _what_is_shown(fields: int) -> str:
    if fields >= FEWEST_FOR_BANDS:
        return f"mean and 95 % interval over {fields} fields"
    return f"mean over {fields} fields; dots: single fields" if fields > 1 else "one field"


def _curve(rows: Sequence[Row]) -> tuple[Floats, Floats, Floats, Floats]:
    values = sorted({float(row["value"]) for row in rows})
    intervals = [
        mean_interval([row["regret_per_round"] for row in rows if float(row["value"]) == value]) for value in values
    ]
    mean, low, high = (np.array(column) for column in zip(*intervals, strict=True))
    return np.array(values), low, mean, high
