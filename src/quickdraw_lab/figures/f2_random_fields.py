"""F2: random fields."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quickdraw_bandits.environments import RandomField
from quickdraw_bandits.plots.fields import Axis, arm_axis, draw_field
from quickdraw_bandits.plots.style import drawing
from quickdraw_lab.figures.figure import SimulatedFigure
from quickdraw_lab.files import write_csv
from quickdraw_lab.pictures import save_both
from quickdraw_lab.testbed import FieldSetting, TestBed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIELD, POWERS, NOISE = 0, (1.0, 3.0), 0.1

LARGEST_TABLE = 50
"""The table has at most about this many rounds and arms, evenly spaced; the picture shows all of them."""

DPI = 120
"""Lower resolution than other figures: noise does not compress."""


def make_fields(figure_id: str, test_bed: TestBed, out: Path) -> list[str]:
    """Write the mean and the noisy rewards of one field at two powers, and draw them."""
    field = test_bed.environment(FIELD, FieldSetting())
    environments = [field.vary(power=power, noise=NOISE) for power in POWERS]
    every_round, every_arm = (max(1, n // LARGEST_TABLE) for n in field.mean.shape)
    write_csv(
        out / f"{figure_id}.csv",
        (
            {
                "alpha": env.power,
                "time": float(env.times[round]),
                "arm": float(env.arms.points[arm, 0]),
                "mean": float(env.mean[round, arm]),
                "noisy": float(env.rewards[round, arm]),
            }
            for env in environments
            for round in range(0, env.n_rounds, every_round)
            for arm in range(0, len(env.arms), every_arm)
        ),
    )
    pictures = save_both(draw_fields(environments), out, figure_id, DPI)
    return [f"{figure_id}.csv", *pictures]


def draw_fields(environments: Sequence[RandomField]) -> "Figure":
    """Return a figure with one row per environment: mean rewards on the left, noisy rewards on the right."""
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.2, 3.2 * len(environments)), layout="constrained")
        panels = figure.subplots(len(environments), 2, squeeze=False, sharex=True, sharey=True)
        for row, env in zip(panels, environments, strict=True):
            time, arm = Axis(env.times, "time", "round"), arm_axis(env.arms)
            titles = (
                rf"mean $\mu(x, t)$, $\alpha = {env.power:g}$",
                rf"noisy $y(x, t)$, $\sigma_{{\mathrm{{noise}}}} = {env.noise:g}$",
            )
            for panel, values, title in zip(row, (env.mean, env.rewards), titles, strict=True):
                image = draw_field(panel, values, time, arm, (0.0, 1.0))
                panel.set_title(title, fontweight="normal")
            row[0].set_ylabel(arm.label)
        for panel in panels[-1]:
            panel.set_xlabel(time.label)
        figure.colorbar(image, ax=panels, label="reward", extend="both", fraction=0.03, pad=0.015, aspect=40)
        return figure


FIGURES = {
    "F2": SimulatedFigure(
        title="random fields",
        caption="Mean (left) and noisy rewards (right) of one field, raised to two powers.",
        example=make_fields,
    ),
}
