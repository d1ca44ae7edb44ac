"""The picture of F1: two policies after a few rounds, and the run time of three."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.evaluation import Trace
from quickdraw_lab.plots.style import Look, drawing, look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Curve:
    """What a policy believes after a few rounds, with what it saw."""

    policy: str
    mean: Floats
    std: Floats
    bound: Floats
    trace: Trace


_LOOKS = {
    "QuickDraw": look_of("QuickDraw"),
    "GPUCB (scikit-learn)": Look("#332288", (0, (5, 1.5)), "GP-UCB (scikit-learn)"),
    "GPUCB (george)": Look("#44AA99", (0, (5, 1.5, 1, 1.5)), "GP-UCB (george)"),
}


def draw_run_time(x: Floats, true_mean: Floats, curves: Sequence[Curve], traces: Mapping[str, Trace]) -> "Figure":
    """Return a figure with a panel for each curve, and one with the cumulative run time of all traces."""
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.2, 2.5 * (len(curves) + 1)), layout="constrained")
        panels = figure.subplots(len(curves) + 1, 1)
        for panel, curve in zip(panels, curves, strict=False):
            _draw_curve(panel, x, true_mean, curve)
        panels[0].legend(loc="upper left", ncols=2, fontsize="small")
        panels[len(curves) - 1].set_xlabel("arm")
        times = panels[-1]
        for name, trace in traces.items():
            look = _LOOKS[name]
            rounds = np.arange(1, len(trace.arms) + 1)
            total = np.cumsum(trace.choice_seconds)
            times.plot(rounds, total, color=look.colour, linestyle=look.dashes, label=look.label)
        times.set_yscale("log")
        times.set_xlabel("round")
        times.set_ylabel("cumulative seconds")
        times.set_title("Run time, one thread")
        times.grid(True)
        times.legend(loc="upper center", ncols=3, handlelength=3.2, fontsize="small")
        times.set_ylim(top=20 * max(trace.choice_seconds.sum() for trace in traces.values()))
        return figure


def _draw_curve(panel: "Axes", x: Floats, true_mean: Floats, curve: Curve) -> None:
    look = _LOOKS[curve.policy]
    panel.fill_between(x, curve.mean, np.minimum(curve.bound, 1.6), color=look.colour, alpha=0.18, linewidth=0)
    panel.plot(x, curve.mean, color=look.colour, label="mean, to upper bound")
    panel.plot(x, true_mean, color="#222222", linestyle=(0, (4, 2)), label="true reward")
    panel.scatter(
        x[curve.trace.arms], curve.trace.rewards, s=20, color=look.colour, edgecolors="#222222", linewidths=0.5,
        zorder=3, label="rounds played",
    )  # fmt: skip
    panel.set_ylim(-0.15, 1.6)
    panel.set_ylabel("reward")
    panel.set_title(f"{look.label} after {len(curve.trace.arms)} rounds", color=look.colour)
