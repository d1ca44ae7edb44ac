"""The picture of several policies on one environment: what each chose (as in F3), its regret, what it learned."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace
from quickdraw_lab.plots.style import drawing, look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

LARGEST_IMAGE = 2000
"""A field with more rounds or arms than this is drawn from every second, third, … of them."""


def draw_play(env: Environment, traces: Sequence[Trace]) -> "Figure":
    """Return a figure with one panel to a policy, one with the regret of all, and one to each that learned scales."""
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


class Axis:
    """Even coordinates as they are, since an image has even steps; otherwise positions 0, 1, 2, …."""

    def __init__(self, values: Floats, name: str, name_of_positions: str) -> None:
        steps = np.diff(values)
        even = len(values) > 1 and steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-3)
        self.values = values if even else np.arange(len(values), dtype=np.float64)
        self.label = name if even else name_of_positions
        half = (self.values[1] - self.values[0]) / 2 if len(values) > 1 else 0.5
        self.edges = (float(self.values[0] - half), float(self.values[-1] + half))


def arm_axis(env: Environment) -> Axis:
    """Return the axis of the arms: their coordinate where they have one."""
    if env.arms.dimension == 1:
        return Axis(env.arms.points[:, 0].astype(np.float64), "arm", "position of the arm")
    return Axis(np.zeros(len(env.arms)), "arm", "position of the arm")


def draw_choices(
    panel: "Axes", env: Environment, trace: Trace, time: Axis, arm: Axis, limits: tuple[float, float]
) -> "AxesImage":
    """Draw the mean field of an environment, and on it the arms that were chosen."""
    every_round, every_arm = (-(-n // LARGEST_IMAGE) for n in env.mean.shape)
    image = draw_field(panel, env.mean[::every_round, ::every_arm], time, arm, limits)
    look = look_of(trace.policy)
    x, y = time.values, arm.values[trace.arms]
    size = float(np.clip(2500 / len(x), 0.5, 9.0))
    start = trace.warmup
    panel.scatter(x[:start], y[:start], s=size, color="#555555", linewidths=0, clip_on=False)
    panel.scatter(x[start:], y[start:], s=2.2 * size, color=look.colour, linewidths=0, clip_on=False)
    if start:
        panel.axvline(x[start], color="#222222", linewidth=0.8, linestyle=(0, (4, 2)))
    panel.set_xlim(*time.edges)
    panel.set_ylim(*arm.edges)
    panel.set_title(look.label, color=look.colour)
    panel.set_title(f"regret per round {trace.regret_per_round:.3f}", loc="right", fontweight="normal", color="#222222")
    return image


def draw_field(panel: "Axes", values: Floats, time: Axis, arm: Axis, limits: tuple[float, float]) -> "AxesImage":
    """Draw a field, one row to a round, with time to the right and arms upwards."""
    return panel.imshow(
        values.T,
        origin="lower",
        aspect="auto",
        extent=(*time.edges, *arm.edges),
        cmap=paper_map(),
        vmin=limits[0],
        vmax=limits[1],
        interpolation="antialiased",
    )


def _draw_regret(panel: "Axes", traces: Sequence[Trace], time: Axis) -> None:
    for trace in sorted(traces, key=lambda trace: -trace.regret_per_round):
        look = look_of(trace.policy)
        total = np.cumsum(trace.regret[trace.warmup :])
        panel.plot(time.values[trace.warmup :], total, color=look.colour, linestyle=look.dashes, label=look.label)
    panel.set_title("Cumulative regret after the warm-up" if traces[0].warmup else "Cumulative regret")
    panel.set_xlabel(time.label)
    panel.set_xlim(*time.edges)
    panel.set_ylim(bottom=0)
    panel.grid(True)
    panel.set_axisbelow(True)
    panel.legend(loc="upper left", handlelength=3.2)


def _draw_scales(panel: "Axes", trace: Trace, time: Axis) -> None:
    """Draw what a policy held its scales to be, choice by choice; where its family is smooth, the ground is tinted."""
    look = look_of(trace.policy)
    scales = trace.scales or ()
    when = time.values[trace.warmup :]
    curves = {
        "$l_x$, distance": ("length_scale", "-"),
        "$l_t$, time": ("time_scale", (0, (5, 2))),
        "noise, reward": ("noise", (0, (1, 1.5))),
        r"$\gamma$, reward": ("gamma", (0, (6, 1.5, 1, 1.5))),
    }
    for label, (name, dashes) in curves.items():
        values = [np.nan if each is None else getattr(each, name) for each in scales]
        panel.step(when, values, where="mid", color=look.colour, linestyle=dashes, label=label)
    smooth = [each is not None and each.family == "smooth" for each in scales]
    panel.fill_between(
        when, 0, 1, where=smooth, step="mid", transform=panel.get_xaxis_transform(), color="#000000", alpha=0.06, lw=0
    )
    panel.set_yscale("log")
    low, high = panel.get_ylim()
    panel.set_ylim(low, high * (high / low) ** 0.4)  # room for the legend
    panel.set_title("Scales learned", color=look.colour)
    panel.set_title("grey: smooth, white: rough", loc="right", fontweight="normal", color="#222222")
    panel.set_xlabel(time.label)
    panel.set_xlim(*time.edges)
    panel.grid(True)
    panel.set_axisbelow(True)
    panel.legend(loc="upper left", handlelength=3.2)


def paper_map() -> Any:
    """From white to a mid grey-blue: dark enough to read the field, light enough for the dots."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("field", ["#FFFFFF", "#DCE3EA", "#A6B5C5", "#677B91", "#34455A"])
