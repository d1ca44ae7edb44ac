"""The scales that a policy learned while it played."""

from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.evaluation import Trace
from quickdraw_bandits.plots.fields import name_dates, time_axis
from quickdraw_bandits.plots.panels import panel_of
from quickdraw_bandits.plots.style import INK, drawing, style_of
from quickdraw_bandits.plots.traces import checked_traces

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVES: dict[str, tuple[str, str | tuple[float, tuple[float, ...]]]] = {
    "length_scale": ("length scale", "solid"),
    "time_scale": ("time scale", (0, (5, 2))),
    "noise": ("noise", (0, (1, 1.5))),
}
"""Attribute of ``Scales``: name and dashes."""


def scales(trace: Trace, ax: "Axes | None" = None) -> "Axes":
    """Draw the length scale, time scale and noise that a policy used for each choice, on a logarithmic axis.

    Each is in its own unit: that of the arms' coordinates, of the times (seconds for datetimes) and of the rewards.

    The background is grey where the policy took rewards for smooth, blue where it followed a single peak, and white
    where it took rewards for any other family.

    Parameters
    ----------
    trace
        The trace of a policy that learns scales, as ``AdaptiveQuickDraw`` does.
    ax
        The matplotlib axes to draw on. The default None makes a new figure.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x: 1 - x * x, n_arms=50, n_rounds=200)
    >>> played = qd.simulate(qd.AdaptiveQuickDraw(env.arms, seed=0), env)
    >>> qd.plots.scales(played).get_yscale()
    'log'
    """
    checked_traces(trace)
    if trace.scales is None:
        raise ValueError(f"trace must be that of a policy that learns scales, got one of {trace.policy}")
    with drawing():
        panel = panel_of(ax, (6.4, 3.4))
        style, time = style_of(trace.policy), time_axis(trace.times, trace.dates)
        when = time.values[trace.warmup :]
        panel.set_yscale("log")
        for name, (label, dashes) in CURVES.items():
            values = np.array([_number(getattr(each, name, np.nan)) for each in trace.scales])
            panel.step(when, values, where="mid", color=style.colour, linestyle=dashes, linewidth=1.6, label=label)
            _name_line(panel, when, values, label)
        peak = [each is not None and each.peak_width is not None for each in trace.scales]
        smooth = [each is not None and each.peak_width is None and each.family == "smooth" for each in trace.scales]
        shown = []
        for where, colour, text in ((smooth, "#000000", "grey: smooth"), (peak, "#1f5fbf", "blue: follows a peak")):
            panel.fill_between(
                when, 0, 1, where=where, step="mid", transform=panel.get_xaxis_transform(), color=colour, alpha=0.06,
                linewidth=0,
            )  # fmt: skip
            shown += [text] if any(where) else []
        panel.text(0.02, 0.02, ", ".join(shown), transform=panel.transAxes, fontsize="small", color=INK)
        low, high = panel.get_ylim()
        panel.set_ylim(low, high * (high / low) ** 0.15)  # room for the topmost name
        panel.set_title("Scales it learned", color=style.colour)
        panel.set_xlabel(time.label)
        if trace.dates:
            name_dates(panel)
        panel.set_ylabel("each in its own unit")
        panel.set_xlim(*time.edges)
        panel.grid(True, axis="y")
        panel.set_axisbelow(True)
        return panel


def _number(value: object) -> float:
    """Return a scale as a number, NaN for 0, which a logarithmic axis does not have."""
    seconds = value.total_seconds() if isinstance(value, timedelta) else float(value)  # type: ignore[arg-type]
    return seconds or np.nan


def _name_line(panel: "Axes", when: Floats, values: Floats, text: str) -> None:
    """Write the name of a line above its end."""
    known = np.flatnonzero(np.isfinite(values))
    if len(known):
        last = known[-1]
        panel.annotate(
            text, (when[last], values[last]), (-2, 4), textcoords="offset points", ha="right", fontsize="small",
            color=INK,
        )  # fmt: skip
