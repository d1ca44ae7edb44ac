"""The pictures of F3 and F13: chosen arms as dots on the mean field."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace
from quickdraw_lab.plots.play import Axis, arm_axis, draw_choices
from quickdraw_lab.plots.style import drawing, look_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_panels(env: Environment, traces: Sequence[Trace], notes: Sequence[str | None]) -> "Figure":
    """Return a figure with a panel for each trace, two to a row; a note stands beside the policy's name."""
    with drawing():
        from matplotlib.figure import Figure

        columns = min(2, len(traces))
        rows = -(-len(traces) // columns)
        figure = Figure(figsize=(4.4 * columns + 0.8, 3.3 * rows), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        time, arm = Axis(env.times, "time", "round"), arm_axis(env)
        limits = (float(env.mean.min()), float(env.mean.max()))
        for panel, trace, note in zip(panels.flat, traces, notes, strict=True):
            image = draw_choices(panel, env, trace, time, arm, limits)
            if note:
                panel.set_title(f"{panel.get_title(loc='left')}, {note}", color=look_of(trace.policy).colour)
        for panel in panels[-1]:
            panel.set_xlabel(time.label)
        for panel in panels[:, 0]:
            panel.set_ylabel(arm.label)
        figure.colorbar(image, ax=panels, label="mean reward", fraction=0.03, pad=0.015, aspect=40)
        return figure
