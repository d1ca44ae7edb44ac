"""F3 and F13: the arms that policies choose, on one field and over many."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace, simulate
from quickdraw_bandits.plots.fields import Axis, arm_axis, draw_choices
from quickdraw_bandits.plots.style import drawing, style_of
from quickdraw_bandits.policies import QuickDraw, Restless, SlidingEpsilonGreedy, SlidingGPUCB
from quickdraw_lab.figures.figure import SimulatedFigure
from quickdraw_lab.figures.sweep import Sweep
from quickdraw_lab.files import write_csv
from quickdraw_lab.pictures import save_both
from quickdraw_lab.play.traces import round_rows
from quickdraw_lab.players.built_in import PAPER
from quickdraw_lab.testbed import FieldSetting, TestBed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIELD = 0
"""The number of the field that is shown."""

FOUR = (SlidingGPUCB, SlidingEpsilonGreedy, Restless, QuickDraw)
"""The panels of F3, in the order of the paper."""

SMALL_SCALE = 0.1
"""l_x and l_t of F13."""


def make_choices(figure_id: str, test_bed: TestBed, out: Path) -> list[str]:
    """Play on one field of the base setting, write every round and draw the choices."""
    env = test_bed.environment(FIELD, FieldSetting())
    if figure_id == "F3":
        players = [policy(env.arms, seed=env.seed) for policy in FOUR]
        titles: list[str | None] = [None] * len(players)
    else:
        players = [QuickDraw(env.arms, length_scale=SMALL_SCALE, time_scale=SMALL_SCALE, seed=env.seed)]
        titles = [f"$l_x = l_t = {SMALL_SCALE:g}$"]
    traces: list[Trace] = [simulate(player, env, test_bed.warmup, env.seed) for player in players]
    write_csv(out / f"{figure_id}.csv", round_rows(traces))
    return [f"{figure_id}.csv", *save_both(draw_panels(env, traces, titles), out, figure_id)]


def draw_panels(env: Environment, traces: Sequence[Trace], notes: Sequence[str | None]) -> "Figure":
    """Return a figure with one panel per trace, two in a row. A note follows the name of the policy."""
    with drawing():
        from matplotlib.figure import Figure

        columns = min(2, len(traces))
        rows = -(-len(traces) // columns)
        figure = Figure(figsize=(4.4 * columns + 0.8, 3.3 * rows), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        time, arm = Axis(env.times, "time", "round"), arm_axis(env.arms)
        limits = (float(env.mean.min()), float(env.mean.max()))
        for panel, trace, note in zip(panels.flat, traces, notes, strict=True):
            image = draw_choices(panel, env, trace, time, arm, limits)
            if note:
                panel.set_title(f"{panel.get_title(loc='left')}, {note}", color=style_of(trace.policy).colour)
        for panel in panels[-1]:
            panel.set_xlabel(time.label)
        for panel in panels[:, 0]:
            panel.set_ylabel(arm.label)
        figure.colorbar(image, ax=panels, label="mean reward", fraction=0.03, pad=0.015, aspect=40)
        return figure


FIGURES = {
    "F3": SimulatedFigure(
        title="what four policies choose",
        caption="Dots are chosen arms, drawn on the mean reward; small grey dots are the random warm-up.",
        example=make_choices,
        sweep=Sweep("sigma_noise", (0.0,), policies=(*PAPER, "DiscountedUCB", "SlidingUCB")),
        behaviour=True,
    ),
    "F13": SimulatedFigure(
        title="what Quick-Draw chooses with small scales",
        caption="As F3, for Quick-Draw with l_x = l_t = 0.1.",
        example=make_choices,
        sweep=Sweep("l_x_and_l_t", (SMALL_SCALE, 1.0), of_policy=("length_scale", "time_scale")),
        behaviour=True,
    ),
}
