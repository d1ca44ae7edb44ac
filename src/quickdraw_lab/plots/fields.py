"""The picture of F2: mean and noisy field at several powers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quickdraw_bandits.environments import RandomField
from quickdraw_lab.plots.play import Axis, arm_axis, draw_field
from quickdraw_lab.plots.style import drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_fields(environments: Sequence[RandomField]) -> "Figure":
    """Return a figure with a row for each environment: its mean to the left, what it pays to the right."""
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.2, 3.2 * len(environments)), layout="constrained")
        panels = figure.subplots(len(environments), 2, squeeze=False, sharex=True, sharey=True)
        for row, env in zip(panels, environments, strict=True):
            time, arm = Axis(env.times, "time", "round"), arm_axis(env)
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
