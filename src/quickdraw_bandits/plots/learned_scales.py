"""The scales that a policy learned while it played."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.evaluation import Trace
from quickdraw_bandits.plots.fields import name_dates, time_axis
from quickdraw_bandits.plots.panels import panel_of
from quickdraw_bandits.plots.style import INK, drawing, style_of
from quickdraw_bandits.plots.traces import checked_traces
from quickdraw_bandits.policies.adaptive.correlation import FAMILIES
from quickdraw_bandits.policies.adaptive.scales import Scales

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOGARITHMIC = {"length_scale": "length scale", "time_scale": "time scale", "noise": "noise"}
"""Attributes of ``Scales`` that are drawn on a logarithmic axis, and their names."""
PEAK = "#1f5fbf"
BETWEEN, HEAD = 0.6, 0.08
"""Space between two strips, in heights of one, and above the first, a part of all."""


def scales(trace: Trace, ax: "Axes | None" = None) -> "Axes":
    """Draw the family and the scales that a policy used for each choice, in strips below each other.

    These are the family, the length scale, the time scale and the noise; and the share of the arms' own levels and the
    velocity, where they were ever other than 0. Length and velocity are in the units of the arms' distance, by default
    the largest one; times are in their own unit (seconds for datetimes), the noise in that of the rewards.

    The background is blue where the policy followed a single peak.

    Parameters
    ----------
    trace
        The trace of a policy that learns scales, as ``AdaptiveQuickDraw`` does.
    ax
        The matplotlib axes to draw on; strips are axes within it. The default None makes a new figure.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x: 1 - x * x, n_arms=50, n_rounds=200)
    >>> played = qd.simulate(qd.AdaptiveQuickDraw(env.arms, seed=0), env)
    >>> [strip.get_label() for strip in qd.plots.scales(played).child_axes]
    ['family', 'length scale', 'time scale', 'noise']
    """
    checked_traces(trace)
    if trace.scales is None:
        raise ValueError(f"trace must be that of a policy that learns scales, got one of {trace.policy}")
    with drawing():
        panel = panel_of(ax, (6.4, 5.0))
        style, time = style_of(trace.policy), time_axis(trace.times, trace.dates)
        when = time.values[trace.warmup :]
        peak = [each is not None and each.peak_width is not None for each in trace.scales]
        panel.set_title("Scales it learned", color=style.colour)
        panel.set_axis_off()
        curves = _curves(trace.scales)
        strips = _strips(panel, list(curves))
        for (name, values), strip in zip(curves.items(), strips, strict=True):
            if name in LOGARITHMIC.values():
                strip.set_yscale("log")
            strip.step(when, values, where="mid", color=style.colour, linewidth=1.6)
            strip.fill_between(
                when, 0, 1, where=peak, step="mid", transform=strip.get_xaxis_transform(), color=PEAK, alpha=0.1,
                linewidth=0,
            )  # fmt: skip
            strip.set_xlim(*time.edges)
            _name(strip, name)
        strips[0].set_yticks(range(len(FAMILIES)), FAMILIES)
        strips[0].set_ylim(-0.5, len(FAMILIES) - 0.5)
        if any(peak):
            panel.text(
                1, 1 - HEAD, "blue: follows a single peak", transform=panel.transAxes, ha="right", va="bottom",
                fontsize="x-small", color=PEAK,
            )  # fmt: skip
        strips[-1].tick_params(labelbottom=True)
        strips[-1].set_xlabel(time.label)
        if trace.dates:
            name_dates(strips[-1])
        return panel


def _curves(learned: Sequence[Scales | None]) -> dict[str, Floats]:
    """Return what is drawn, by name; NaN where nothing was known, and 0 on a logarithmic axis."""
    known = [each for each in learned if each is not None]

    def curve(attribute: str) -> Floats:
        return np.array([_number(getattr(each, attribute, np.nan)) for each in learned])

    families = [np.nan if each is None else float(FAMILIES.index(each.family)) for each in learned]
    found = {"family": np.array(families)}
    for attribute, name in LOGARITHMIC.items():
        values = curve(attribute)
        found[name] = np.where(values > 0, values, np.nan)
    if any(each.own_level for each in known):
        found["share of own levels"] = curve("own_level")
    if any(any(each.velocity) for each in known):
        along = max(len(each.velocity) for each in known)
        speeds = [[np.nan] * along if each is None else each.velocity for each in learned]
        # Along a line the velocity has a sign; otherwise its size is drawn.
        found["velocity"] = np.array(speeds)[:, 0] if along == 1 else np.linalg.norm(speeds, axis=1)
    return found


def _strips(panel: "Axes", names: Sequence[str]) -> "list[Axes]":
    """Return axes below each other; the first, with the names of the families, is twice as high."""
    heights = np.array([2.0] + [1.0] * (len(names) - 1))
    unit = (1.0 - HEAD) / (heights.sum() + BETWEEN * (len(names) - 1))
    tops = 1.0 - HEAD - unit * np.concatenate([[0.0], np.cumsum(heights + BETWEEN)[:-1]])
    strips = []
    for name, top, height in zip(names, tops.tolist(), (unit * heights).tolist(), strict=True):
        strip = panel.inset_axes((0.0, top - height, 1.0, height), label=name)
        strip.tick_params(labelbottom=False, labelsize="x-small")
        strip.grid(True, axis="y")
        strip.set_axisbelow(True)
        strips.append(strip)
    return strips


def _name(strip: "Axes", name: str) -> None:
    """Write the name above the left end of a strip, and give it two or three ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    strip.text(0.01, 1.0, name, transform=strip.transAxes, va="bottom", fontsize="x-small", color=INK)
    if strip.get_yscale() == "log":
        low, high = strip.get_ylim()
        middle = np.sqrt(low * high)
        if high < 10 * low:  # one power of ten at least lies within
            strip.set_ylim(middle / 5, middle * 5)
        strip.yaxis.set_major_locator(LogLocator(numticks=3))
        strip.yaxis.set_minor_locator(NullLocator())
        strip.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        strip.yaxis.set_major_locator(MaxNLocator(2))


def _number(value: object) -> float:
    """Return a scale as a number."""
    return value.total_seconds() if isinstance(value, timedelta) else float(value)  # type: ignore[arg-type]
