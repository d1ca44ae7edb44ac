"""What a policy believes about its arms, now and at other times."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.plots.fields import (
    MOST_LABELS,
    Axis,
    arm_axis,
    deviation_map,
    draw_field,
    name_arms,
    name_dates,
    paper_map,
    shortened,
)
from quickdraw_bandits.plots.panels import Panels, figure_of, panels_of
from quickdraw_bandits.plots.style import drawing, style_of
from quickdraw_bandits.policies import Policy
from quickdraw_bandits.times import Time, kind_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

ArmT = TypeVar("ArmT")

MOST_ARMS = 1000
"""Of more arms, only every second, third, … is drawn: a picture has no more pixels."""
MOST_MAPS = 8
"""How many times can be drawn as maps."""


def belief(
    policy: Policy[ArmT], times: "Sequence[Time] | Floats", axes: "Sequence[Axes] | Panels | None" = None
) -> Panels:
    """Draw the mean and the standard deviation that a policy estimates at every arm, at some times.

    Arms on a line make two heat maps over time and arms, with what the policy observed in that span as dots. Arms in
    the plane make one pair of maps per time, with what was observed since the time before as dots. Other arms make heat
    maps by their position. The estimate at a past time is that of today, from all observations that the policy holds.

    Parameters
    ----------
    policy
        A policy with an estimate at every arm: ``QuickDraw``, ``AdaptiveQuickDraw`` or one on Gaussian processes.
    times
        Increasing times, in the kind that the policy was given: numbers, or datetimes. At most 8 for arms in the plane.
    axes
        Matplotlib axes to draw on: two, or for arms in the plane twice as many as times, all means before all
        deviations. The default None makes a new figure.

    Returns
    -------
    An array of these axes.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.AdaptiveQuickDraw(qd.Arms.grid(5, 50, 100), seed=0)
    >>> policy.update([0.0, 1.0, 2.0], [10, 80, 40], [0.3, 0.2, 0.7])
    >>> [panel.get_title("left") for panel in qd.plots.belief(policy, [0.0, 1.0, 2.0, 3.0])]
    ['Estimated mean', 'Standard deviation']
    """
    if not hasattr(times, "__len__"):
        raise ValueError(f"times must be a sequence of times, got {times!r}; for one time, write [time]")
    found = _ask(policy, list(times))
    in_plane = found.arms.metric == "euclidean" and found.arms.dimension == 2
    count = len(found.clock)
    if in_plane and count > MOST_MAPS:
        raise ValueError(f"times must be at most {MOST_MAPS} for arms in the plane, which make a map each, got {count}")
    with drawing():
        if in_plane:
            panels = panels_of(axes, 2, count, (2.5 * count + 1.2, 5.0))
            _draw_maps(panels, found)
        else:
            panels = panels_of(axes, 2, 1, (6.4, 5.4))
            _draw_heat_maps(panels, found)
        return panels


@dataclass(frozen=True)
class _Belief:
    """What was asked: times (as numbers of matplotlib, if they are dates), arms, estimates, and observations."""

    policy: str
    arms: Arms
    shown: Integers
    clock: Floats
    dates: bool
    mean: Floats
    deviation: Floats
    seen_at: Floats
    seen: Integers


def _ask(policy: Policy[ArmT], times: "list[Time]") -> _Belief:
    arms = getattr(policy, "arms", None)
    if not isinstance(arms, Arms):
        raise ValueError(f"policy must choose among an Arms set, got {policy!r}")
    if not times:
        raise ValueError("times must have at least one time, got none")
    shown = np.arange(0, len(arms), -(-len(arms) // MOST_ARMS))
    estimates = [policy.estimate(time, arms=shown) for time in times]
    mean, deviation = (np.array([each[part] for each in estimates]) for part in (0, 1))
    if not np.isfinite(mean).any():
        raise ValueError("policy must have observations, got one that has none; call policy.update first")
    dates = kind_of(times[0]) == "datetimes"
    seen_at, seen, _ = policy.observations
    clock = _numbers(times, dates)
    if (np.diff(clock) <= 0).any():
        raise ValueError("times must increase, got some that do not")
    name = type(policy).__name__
    return _Belief(
        name, arms, shown, clock, dates, mean, deviation, _numbers(seen_at.tolist(), dates), np.asarray(seen, np.int64)
    )


def _numbers(times: "list[Time]", dates: bool) -> Floats:
    """Return times as matplotlib draws them."""
    if not dates:
        return np.array(times, dtype=np.float64)
    from matplotlib.dates import date2num

    return np.array([date2num(each) for each in times])  # type: ignore[no-untyped-call]


def _draw_heat_maps(panels: Panels, found: _Belief) -> None:
    time, every_arm = Axis(found.clock, "time", "time"), arm_axis(found.arms)
    arm = Axis(every_arm.values[found.shown], every_arm.label, every_arm.label)
    colour = style_of(found.policy).colour
    at = found.seen_at
    inside = (at >= time.edges[0]) & (at <= time.edges[1])
    for panel, (title, values, colours) in zip(panels, _parts(found), strict=True):
        image = draw_field(panel, values, time, arm, _limits(values), colours)
        panel.scatter(at[inside], every_arm.values[found.seen[inside]], s=5, color=colour, linewidths=0)
        panel.set_xlim(*time.edges)
        panel.set_ylim(*arm.edges)
        panel.set_title(title)
        name_arms(panel, found.arms, every_arm)
        panel.set_ylabel(arm.label)
        figure_of(panel).colorbar(image, ax=panel, label="reward", pad=0.015, aspect=25)
        if found.dates:
            name_dates(panel)
    panels[-1].set_xlabel(time.label)
    panels[0].set_title("dots: observed", loc="right", fontweight="normal", color=colour)


def _draw_maps(panels: Panels, found: _Belief) -> None:
    """Draw one map per time, the means above the deviations."""
    x, y = found.arms.points[found.shown].astype(np.float64).T
    count, colour = len(found.clock), style_of(found.policy).colour
    size = float(np.clip(12_000 / len(x), 4.0, 160.0))
    for row, (title, values, colours) in enumerate(_parts(found)):
        low, high = _limits(values)
        of_row = panels[row * count : (row + 1) * count]
        for number, panel in enumerate(of_row):
            image = panel.scatter(
                x,
                y,
                c=values[number],
                s=size,
                marker="s",
                cmap=colours,
                vmin=low,
                vmax=high,
                edgecolors="#C9CED4",
                linewidths=0.3,
            )
            since = found.clock[number - 1] if number else -np.inf
            new = found.seen[(found.seen_at > since) & (found.seen_at <= found.clock[number])]
            panel.scatter(*found.arms.points[new].T, s=9, color=colour, edgecolors="white", linewidths=0.4)
            if len(x) <= MOST_LABELS and not isinstance(found.arms.labels, range):
                for place, label in zip(found.arms.points, found.arms.labels, strict=True):
                    panel.annotate(shortened(str(label)), place, (4, 4), textcoords="offset points", fontsize="small")
            panel.set_aspect("equal")
            panel.tick_params(labelleft=number == 0, labelbottom=row == 1)
            if row == 0:
                panel.set_title(f"time {_shown(found, number)}", fontweight="normal")
        of_row[0].set_ylabel(f"{title.lower()}\nsecond coordinate")
        figure_of(of_row[0]).colorbar(image, ax=list(of_row), label="reward", pad=0.02, aspect=20)
    for panel in panels[count:]:
        panel.set_xlabel("first coordinate")


def _parts(found: _Belief) -> "list[tuple[str, Floats, Colormap]]":
    return [
        ("Estimated mean", found.mean, paper_map()),
        ("Standard deviation", found.deviation, deviation_map()),
    ]


def _limits(values: Floats) -> tuple[float, float]:
    """Return the range of what is known; where nothing varies, a range around it."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _shown(found: _Belief, number: int) -> str:
    if not found.dates:
        return f"{found.clock[number]:g}"
    from matplotlib.dates import num2date

    return f"{num2date(found.clock[number]):%Y-%m-%d %H:%M}"  # type: ignore[no-untyped-call]
