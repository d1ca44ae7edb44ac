"""Values over arms and time as images, with the chosen arms on them."""

from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace
from quickdraw_bandits.plots.style import INK, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.image import AxesImage

LARGEST_IMAGE = 2000
"""Of a field with more rounds or arms, only every second, third, … is drawn."""

COLOURS = 100
"""Number of colours of a field: steps that nobody sees, and pictures of half the size."""


class Axis:
    """The coordinates of an image axis: the values where they are evenly spaced, otherwise positions 0, 1, 2, …."""

    def __init__(self, values: Floats, name: str, name_of_positions: str) -> None:
        steps = np.diff(values)
        even = len(values) > 1 and steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-3)
        self.values = values if even else np.arange(len(values), dtype=np.float64)
        self.label = name if even else name_of_positions
        half = (self.values[1] - self.values[0]) / 2 if len(values) > 1 else 0.5
        self.edges = (float(self.values[0] - half), float(self.values[-1] + half))


def arm_axis(arms: Arms) -> Axis:
    """Return the axis of the arms: their coordinate if they lie on a line, otherwise their position."""
    if arms.metric == "euclidean" and arms.dimension == 1:
        return Axis(arms.points[:, 0].astype(np.float64), "arm", "position of the arm")
    return Axis(np.zeros(len(arms)), "arm", "position of the arm")


def draw_choices(
    panel: "Axes", env: Environment, trace: Trace, time: Axis, arm: Axis, limits: tuple[float, float]
) -> "AxesImage":
    """Draw the mean reward of an environment and the arms that were chosen."""
    every_round, every_arm = (-(-n // LARGEST_IMAGE) for n in env.mean.shape)
    image = draw_field(panel, env.mean[::every_round, ::every_arm], time, arm, limits)
    draw_dots(panel, trace, time, arm)
    return image


def draw_dots(panel: "Axes", trace: Trace, time: Axis, arm: Axis) -> None:
    """Draw the arms that were chosen: those of the warm-up small and grey, the others in the policy's colour."""
    style = style_of(trace.policy)
    x, y = time.values, arm.values[trace.arms]
    size = float(np.clip(2500 / len(x), 0.5, 9.0))
    start = trace.warmup
    panel.scatter(x[:start], y[:start], s=size, color="#555555", linewidths=0, clip_on=False)
    panel.scatter(x[start:], y[start:], s=2.2 * size, color=style.colour, linewidths=0, clip_on=False)
    if start:
        panel.axvline(x[start], color=INK, linewidth=0.8, linestyle=(0, (4, 2)))
    panel.set_xlim(*time.edges)
    panel.set_ylim(*arm.edges)
    panel.set_title(style.label, color=style.colour)
    panel.set_title(f"regret {trace.regret_per_round:.3f}", loc="right", fontweight="normal", color=INK)


def name_warmup(panel: "Axes", trace: Trace, time: Axis) -> None:
    """Write "warm-up" along the line where it ends."""
    if trace.warmup:
        panel.annotate(
            "warm-up",
            (time.values[trace.warmup], 0.0),
            (-3, 4),
            xycoords=panel.get_xaxis_transform(),
            textcoords="offset points",
            rotation=90,
            ha="right",
            fontsize="small",
            color=INK,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8},
        )


def draw_field(
    panel: "Axes",
    values: Floats,
    time: Axis,
    arm: Axis,
    limits: tuple[float, float],
    colours: "Colormap | None" = None,
) -> "AxesImage":
    """Draw values with one row per round and one column per arm: time to the right, arms upwards."""
    return panel.imshow(
        values.T,
        origin="lower",
        aspect="auto",
        extent=(*time.edges, *arm.edges),
        cmap=paper_map() if colours is None else colours,
        vmin=limits[0],
        vmax=limits[1],
        interpolation="antialiased",
    )


def paper_map() -> "Colormap":
    """Return white to grey-blue: dark enough to read the field, light enough for the dots."""
    return _map("field", ["#FFFFFF", "#DCE3EA", "#A6B5C5", "#677B91", "#34455A"])


def doubt_map() -> "Colormap":
    """Return white to ochre, for standard deviations."""
    return _map("doubt", ["#FFFFFF", "#F3E9D2", "#DFC48C", "#B98F3E", "#7A5A1E"])


def _map(name: str, colours: list[str]) -> "Colormap":
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(name, colours, N=COLOURS)
