"""Names at the ends of lines, instead of a legend."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.checks import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS_BETWEEN = 12.0
"""Distance of two labels, in points."""


def label_ends(panel: "Axes", ends: Sequence[tuple[float, str, str, bool]]) -> None:
    """Write names to the right of the axes, each as high as its line ends, moved apart where they would overlap.

    Parameters
    ----------
    panel
        The axes; their limits must be final.
    ends
        Height of the end, name, colour, and whether the name is bold.
    """
    low, high = panel.get_ylim()
    window = panel.get_window_extent()
    figure = panel.get_figure(root=True)
    assert figure is not None
    between = POINTS_BETWEEN * (high - low) / (window.height * 72 / figure.dpi)
    heights = spread(np.array([height for height, *_ in ends]), between, low, high)
    beside = panel.get_yaxis_transform()  # x in axes, y in data
    for (height, name, colour, bold), place in zip(ends, heights.tolist(), strict=True):
        panel.annotate(
            "", (1.0, height), (1.03, place), xycoords=beside, textcoords=beside, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip
        panel.annotate(
            name, (1.035, place), xycoords=beside, annotation_clip=False, va="center", ha="left", color=colour,
            fontweight="bold" if bold else "normal",
        )  # fmt: skip


def spread(heights: Floats, between: float, low: float, high: float) -> Floats:
    """Return heights in the same order, moved as little as needed so that two are at least ``between`` apart.

    Groups that overlap are spread around their mean, as in isotonic regression. If all fit, they stay within the
    limits.

    Examples
    --------
    >>> spread(np.array([1.0, 1.0, 5.0]), 1.0, 0.0, 10.0)
    array([0.5, 1.5, 5. ])
    """
    order = np.argsort(heights, kind="stable")
    offsets = between * np.arange(len(heights))
    groups: list[tuple[float, int]] = []  # mean and size; heights less their offsets must not fall
    for value in heights[order] - offsets:
        mean, size = float(value), 1
        while groups and groups[-1][0] > mean:
            other, count = groups.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        groups.append((mean, size))
    means = np.concatenate([np.full(size, mean) for mean, size in groups])
    moved = np.empty(len(heights))
    moved[order] = np.maximum(np.minimum(means, high - offsets[-1]), low) + offsets
    return moved
