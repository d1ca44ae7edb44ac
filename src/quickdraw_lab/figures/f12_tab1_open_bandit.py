"""F12 and TAB1: click-through rates of the paper's policies on the Open Bandit data."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.evaluation.off_policy import builder
from quickdraw_bandits.evaluation.off_policy.protocol import Build
from quickdraw_bandits.plots.style import drawing, style_of
from quickdraw_bandits.policies import QuickDraw
from quickdraw_lab.figures.figure import LogFigure
from quickdraw_lab.players.built_in import PAPER, find_policies
from quickdraw_lab.result_tables import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRINTED = {
    "Random": (0.49, 0.05),
    "SlidingGPUCB": (0.57, 0.01),
    "Restless": (0.98, 0.02),
    "SlidingEpsilonGreedy": (2.12, 0.04),
    "QuickDraw": (3.51, 0.04),
}
"""TAB1 as printed: click-through rate and standard deviation over ten runs, in percent, on the full data."""

TIME_SCALES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""The values of l_t in F12."""


def table_1(summary: Sequence[Row]) -> list[Row]:
    """Return TAB1 from the summary of an evaluation: click-through rates by inverse propensity scoring, in percent."""
    return [
        {
            "policy": row["policy"],
            "ctr_percent": 100 * row["value"],
            "sd": 100 * row["sd"],
            "ess": row["ess"],
            "learn_from": row["learn_from"],
            "events": row["events"],
        }
        for row in summary
        if row["estimator"] == "ips"
    ]


def figure_12_builders(time_scales: Sequence[float] = TIME_SCALES) -> dict[str, Build]:
    """Return Quick-Draw with each time scale, under names that ``figure_12`` parses."""
    return {f"QuickDraw(time_scale={scale:g})": builder(QuickDraw, time_scale=scale) for scale in time_scales}


def figure_12(summary: Sequence[Row]) -> list[Row]:
    """Return F12 from the summary of an evaluation of ``figure_12_builders``, in percent."""
    return [
        {
            "time_scale": float(row["policy"].partition("=")[2].rstrip(")")),
            "ctr_percent": 100 * row["value"],
            "sd": 100 * row["sd"],
            "low": 100 * row["low"],
            "high": 100 * row["high"],
            "ess": row["ess"],
            "true_percent": 100 * row["true_value"],
            "learn_from": row["learn_from"],
            "events": row["events"],
        }
        for row in summary
        if row["estimator"] == "ips"
    ]


def beside_printed(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of TAB1 with the numbers printed in the paper."""
    return [
        {**row, "printed": printed, "printed_sd": printed_sd}
        for row in rows
        for printed, printed_sd in [PRINTED.get(row["policy"], (math.nan, math.nan))]
    ]


def draw_figure_12(rows: Sequence[Row], title: str) -> "Figure":
    """Return a figure with one panel per learning mode. Bands are 95 % intervals.

    The true value is drawn as well where it is known.
    """
    with drawing():
        from matplotlib.figure import Figure

        modes = list(dict.fromkeys(row["learn_from"] for row in rows))
        figure = Figure(figsize=(4.2 * len(modes) + 0.4, 3.4), layout="constrained")
        panels = figure.subplots(1, len(modes), squeeze=False, sharey=True)[0]
        style = style_of("QuickDraw")
        for panel, mode in zip(panels, modes, strict=True):
            chosen = sorted((row for row in rows if row["learn_from"] == mode), key=lambda row: row["time_scale"])
            x, rate, low, high, true = (
                np.array([row[name] for row in chosen])
                for name in ("time_scale", "ctr_percent", "low", "high", "true_percent")
            )
            panel.fill_between(x, low, high, color=style.colour, alpha=0.15, linewidth=0)
            panel.plot(x, rate, color=style.colour, marker="o", markersize=4, label="estimate (IPS)")
            if np.isfinite(true).all():
                panel.plot(x, true, color="#222222", linestyle=(0, (4, 2)), label="truth")
            panel.set_xscale("log")
            panel.set_xlabel("time scale $l_t$ (the log spans 1)")
            panel.set_title(f"learns from {mode} events")
            panel.grid(True)
            panel.set_axisbelow(True)
            panel.legend(loc="best")
        panels[0].set_ylabel("click-through rate, %")
        panels[0].set_ylim(bottom=0)
        figure.suptitle(title, fontsize="medium")
        return figure


FIGURES = {
    "F12": LogFigure(
        title="click-through rate against Quick-Draw’s time scale",
        caption="Estimates by inverse propensity scoring with 95 % intervals.",
        builders=lambda names: figure_12_builders(),
        table=figure_12,
        draw=draw_figure_12,
    ),
    "TAB1": LogFigure(
        title="click-through rates on logged data",
        builders=lambda names: {policy.__name__: builder(policy) for policy in find_policies(names or PAPER)},
        table=table_1,
        shown=beside_printed,
    ),
}
