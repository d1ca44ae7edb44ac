"""The figure of ``quickdraw play``: choices, regret and learned scales."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace
from quickdraw_lab.plots.fields import Axis, arm_axis, draw_choices
from quickdraw_lab.plots.style import drawing, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_play(env: Environment, traces: Sequence[Trace]) -> "Figure":
    """Return a figure with one panel per policy, one with the regret of all, and one per policy that learns scales."""
    with drawing():
        from matplotlib.figure import Figure

        learned = [trace for trace in traces if trace.scales is not None]
        count = len(traces) + 1 + len(learned)
        columns = 2 if count == 4 else min(3, count)
        rows = -(-count // columns)
        figure = Figure(figsize=(4.2 * columns + 0.6, 3.2 * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
        panels = list(grid.flat)
        for unused in panels[count:]:
            unused.remove()
        panels = panels[:count]
        of_policies, of_regret, of_scales = panels[: len(traces)], panels[len(traces)], panels[len(traces) + 1 :]

        time, arm = Axis(env.times, "time", "round"), arm_axis(env)
        limits = (float(env.mean.min()), float(env.mean.max()))
        for number, (panel, trace) in enumerate(zip(of_policies, traces, strict=True)):
            image = draw_choices(panel, env, trace, time, arm, limits)
            if number == 0 and trace.warmup:
                panel.annotate(
                    "warm-up",
                    (time.values[trace.warmup], 0.0),
                    (-3, 4),
                    xycoords=panel.get_xaxis_transform(),
                    textcoords="offset points",
                    rotation=90,
                    ha="right",
                    fontsize="small",
                    color="#222222",
                    bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8},
                )
            if number % columns == 0:
                panel.set_ylabel(arm.label)
            else:
                panel.tick_params(labelleft=False)
            if number + columns < len(panels):
                panel.tick_params(labelbottom=False)
            else:
                panel.set_xlabel(time.label)
        figure.colorbar(image, ax=panels, label="mean reward", fraction=0.025, pad=0.015, aspect=40)
        _draw_regret(of_regret, traces, time)
        for panel, trace in zip(of_scales, learned, strict=True):
            _draw_scales(panel, trace, time)
        return figure


def _draw_regret(panel: "Axes", traces: Sequence[Trace], time: Axis) -> None:
    for trace in sorted(traces, key=lambda trace: -trace.regret_per_round):
        style = style_of(trace.policy)
        total = np.cumsum(trace.regret[trace.warmup :])
        panel.plot(time.values[trace.warmup :], total, color=style.colour, linestyle=style.dashes, label=style.label)
    panel.set_title("Cumulative regret after the warm-up" if traces[0].warmup else "Cumulative regret")
    panel.set_xlabel(time.label)
    panel.set_xlim(*time.edges)
    panel.set_ylim(bottom=0)
    panel.grid(True)
    panel.set_axisbelow(True)
    panel.legend(loc="upper left", handlelength=3.2)


def _draw_scales(panel: "Axes", trace: Trace, time: Axis) -> None:
    """Draw the scales that a policy used for each choice; the background is grey where its kernel is smooth."""
    style = style_of(trace.policy)
    scales = trace.scales or ()
    when = time.values[trace.warmup :]
    curves = {
        "$l_x$, distance": ("length_scale", "-"),
        "$l_t$, time": ("time_scale", (0, (5, 2))),
        "noise, reward": ("noise", (0, (1, 1.5))),
        r"$\gamma$, reward": ("gamma", (0, (6, 1.5, 1, 1.5))),
        "own level, share": ("own_level", (0, (3, 1, 1, 1, 1, 1))),
    }
    for label, (name, dashes) in curves.items():
        values = [getattr(each, name, 0.0) or np.nan for each in scales]  # a logarithmic axis has no 0
        panel.step(when, values, where="mid", color=style.colour, linestyle=dashes, label=label)
    smooth = [each is not None and each.family == "smooth" for each in scales]
    panel.fill_between(
        when, 0, 1, where=smooth, step="mid", transform=panel.get_xaxis_transform(), color="#000000", alpha=0.06, lw=0
    )
    panel.set_yscale("log")
    low, high = panel.get_ylim()
    panel.set_ylim(low, high * (high / low) ** 0.4)  # room for the legend
    panel.set_title("Scales learned", color=style.colour)
    panel.set_title("grey: smooth, white: rough or jagged", loc="right", fontweight="normal", color="#222222")
    panel.set_xlabel(time.label)
    panel.set_xlim(*time.edges)
    panel.grid(True)
    panel.set_axisbelow(True)
    panel.legend(loc="upper left", handlelength=3.2)
