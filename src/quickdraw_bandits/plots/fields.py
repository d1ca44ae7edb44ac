"""Values over arms and time as images, with the chosen arms on them."""

from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace
from quickdraw_bandits.plots.style import INK, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.image import AxesImage

LARGEST_IMAGE = 1500
"""Of a field with more rounds or arms, only every second, third, … is drawn. Uneven axes have this many pixels."""

MOST_LABELS = 12
LONGEST_LABEL = 14
"""Labels at the ticks of an axis of arms, and their characters."""

DAY = 86_400.0

COLOURS = 100
"""Number of colours of a field: steps that nobody sees, and pictures of half the size."""


class Axis:
    """The coordinates of an image axis: the values if they increase, otherwise positions 0, 1, 2, ….

    Every value has a cell, which ends halfway to the next one. ``pixels`` says which value each pixel shows.
    """

    def __init__(self, values: Floats, name: str, name_of_positions: str) -> None:
        steps = np.diff(values)
        own = bool((steps > 0).all())
        self.values = values if own else np.arange(len(values), dtype=np.float64)
        self.label = name if own else name_of_positions
        steps = np.diff(self.values) if len(values) > 1 else np.ones(1)
        self._even = bool(np.allclose(steps, steps[0], rtol=1e-3))
        self.edges = (float(self.values[0] - steps[0] / 2), float(self.values[-1] + steps[-1] / 2))

    def pixels(self) -> Integers:
        """Return the number of the value that each of the evenly spaced pixels shows."""
        count = len(self.values)
        if self._even:
            return np.arange(0, count, -(-count // LARGEST_IMAGE))
        low, high = self.edges
        centres = low + (high - low) * (np.arange(LARGEST_IMAGE) + 0.5) / LARGEST_IMAGE
        return np.searchsorted((self.values[1:] + self.values[:-1]) / 2, centres).astype(np.int64)


def time_axis(times: Floats, dates: bool = False) -> Axis:
    """Return the axis of rounds: their times, in days as Matplotlib counts them if they are dates."""
    return Axis(times / DAY if dates else times, "time", "round")


def name_dates(panel: "Axes") -> None:
    """Write dates at the ticks of an axis of times."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator()  # type: ignore[no-untyped-call]
    panel.xaxis.set_major_locator(locator)
    panel.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]


def arm_axis(arms: Arms) -> Axis:
    """Return the axis of the arms: their coordinate if they lie on a line, otherwise their position."""
    by_position = "position of the arm" if isinstance(arms.labels, range) else "arm"
    if arms.metric == "euclidean" and arms.dimension == 1:
        return Axis(arms.points[:, 0].astype(np.float64), "arm", by_position)
    return Axis(np.zeros(len(arms)), "arm", by_position)


def name_arms(panel: "Axes", arms: Arms, axis: Axis) -> None:
    """Write labels at the ticks of an axis of arms, if arms have labels; of many arms, at some that are far apart."""
    if isinstance(arms.labels, range):
        return
    some = arms_far_apart(axis.values)
    panel.set_yticks(axis.values[some], [shortened(str(arms.labels[k])) for k in some])


def arms_far_apart(values: Floats) -> list[int]:
    """Return positions of at most ``MOST_LABELS`` arms whose increasing values are far enough apart to be labelled.

    Examples
    --------
    >>> arms_far_apart(np.array([0.0, 0.1, 5.0, 10.0])), len(arms_far_apart(np.arange(1000.0)))
    ([0, 2, 3], 12)
    """
    far = (values[-1] - values[0]) / MOST_LABELS
    some = [0]
    for target in np.linspace(values[0], values[-1], MOST_LABELS)[1:]:
        nearest = int(np.abs(values - target).argmin())
        if values[nearest] - values[some[-1]] >= 0.75 * far and nearest != some[-1]:
            some.append(nearest)
    return some


def shortened(label: str) -> str:
    """Return a label that does not take the place of the picture."""
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"


def draw_choices(
    panel: "Axes", env: Environment, trace: Trace, time: Axis, arm: Axis, limits: tuple[float, float]
) -> "AxesImage":
    """Draw the mean reward of an environment and the arms that were chosen."""
    image = draw_field(panel, env.mean, time, arm, limits)
    draw_dots(panel, trace, time, arm)
    name_arms(panel, env.arms, arm)
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
    if trace.dates:
        name_dates(panel)
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
        values[np.ix_(time.pixels(), arm.pixels())].T,
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


def deviation_map() -> "Colormap":
    """Return white to ochre, for standard deviations."""
    return _map("deviation", ["#FFFFFF", "#F3E9D2", "#DFC48C", "#B98F3E", "#7A5A1E"])


def _map(name: str, colours: list[str]) -> "Colormap":
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(name, colours, N=COLOURS)
