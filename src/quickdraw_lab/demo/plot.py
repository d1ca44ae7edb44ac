"""The picture of one game: what the adaptive policy chose, what it believed, and the regret of all."""

from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.plots import regret
from quickdraw_bandits.plots.fields import Axis, arm_axis, draw_choices, draw_field, name_warmup
from quickdraw_bandits.plots.style import INK, drawing, style_of
from quickdraw_lab.demo.chapters import Chapter

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_story(chapter: Chapter, narrow: bool = False) -> "Figure":
    """Return a figure of three panels; ``narrow`` puts them below each other, for the width of a phone."""
    env, first = chapter.env, chapter.traces[0]
    time, arm = Axis(env.times, "time", "round"), arm_axis(env.arms)
    limits = (float(env.mean.min()), float(env.mean.max()))
    colour = style_of(first.policy).colour
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4.4, 8.4) if narrow else (9.2, 6.3), layout="constrained")
        ratios = (2.1, 1) if narrow else (1.08, 1)
        above, below = np.array(figure.subfigures(2, 1, height_ratios=ratios), dtype=object)
        chose, believed = above.subplots(2 if narrow else 1, 1 if narrow else 2, sharex=True, sharey=True)
        image = draw_choices(chose, env, first, time, arm, limits)
        chose.set_title("What Adaptive Quick-Draw chose", color=colour)
        chose.set_title("", loc="right")
        chose.set_ylabel(chapter.setting.arms)
        name_warmup(chose, first, time)
        start = Axis(env.times[chapter.rounds], "time", "round")
        draw_field(believed, chapter.believed, start, arm, limits)
        believed.axvspan(time.edges[0], start.edges[0], color="#F2F2F2", linewidth=0)
        believed.text(
            (time.edges[0] + start.edges[0]) / 2, sum(arm.edges) / 2, "warm-up", rotation=90, ha="center", va="center",
            fontsize="small", color=INK,
        )  # fmt: skip
        believed.set_title("What it believed at the time", color=colour)
        for panel in (believed,) if narrow else (chose, believed):
            panel.set_xlabel(chapter.setting.time)
        if narrow:
            believed.set_ylabel(chapter.setting.arms)
            bar = {"location": "bottom", "aspect": 40, "pad": 0.02}
        else:
            bar = {"fraction": 0.03, "pad": 0.015}
        above.colorbar(image, ax=[chose, believed], label="mean reward: true, estimated", **bar)
        panel = regret(chapter.traces, below.subplots())
        panel.set_xlabel(chapter.setting.time)
        return figure


def draw_others(chapter: Chapter, narrow: bool = False) -> "Figure":
    """Return a figure of the choices of all other policies, in three columns, or in two for the width of a phone."""
    others = chapter.traces[1:]
    env = chapter.env
    time, arm = Axis(env.times, "time", "round"), arm_axis(env.arms)
    limits = (float(env.mean.min()), float(env.mean.max()))
    columns = 2 if narrow else 3
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4.4, 5.4) if narrow else (9.2, 4.6), layout="constrained")
        panels = figure.subplots(6 // columns, columns, sharex=True, sharey=True).ravel()
        panels[-1].remove()
        for number, (panel, trace) in enumerate(zip(panels[:-1], others, strict=True)):
            draw_choices(panel, env, trace, time, arm, limits)
            if narrow:  # two titles have no room side by side
                style = style_of(trace.policy)
                panel.set_title("", loc="right")
                panel.set_title(f"{style.label}: {trace.regret_per_round:.3f}", color=style.colour)
            if number + columns >= len(others):
                panel.set_xlabel("time")
                panel.tick_params(labelbottom=True)
            if number % columns == 0:
                panel.set_ylabel(chapter.setting.arms)
        return figure
