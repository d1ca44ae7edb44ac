"""What policies chose, and their regret."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace
from quickdraw_bandits.plots.direct_labels import label_ends
from quickdraw_bandits.plots.fields import Axis, arm_axis, draw_choices, draw_dots, name_dates, name_warmup, time_axis
from quickdraw_bandits.plots.panels import Panels, figure_of, panel_of, panels_of
from quickdraw_bandits.plots.style import HIGHLIGHT, drawing, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def trace(trace: Trace, env: Environment | None = None, axes: "Sequence[Axes] | Panels | None" = None) -> Panels:
    """Draw one game: the arms that were chosen, and below them the cumulative regret.

    Parameters
    ----------
    trace
        What ``simulate`` returned.
    env
        The environment of the game. If given, choices are drawn on its mean rewards, otherwise on white.
    axes
        Two matplotlib axes to draw on. The default None makes a new figure.

    Returns
    -------
    An array of the two axes.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x: 1 - x * x, n_arms=50, n_rounds=200)
    >>> played = qd.simulate(qd.AdaptiveQuickDraw(env.arms, seed=0), env)
    >>> above, below = qd.plots.trace(played, env)
    >>> above.get_title("left"), below.get_xlabel()
    ('Adaptive Quick-Draw', 'time')
    """
    checked_traces(trace, env)
    with drawing():
        panels = panels_of(axes, 2, 1, (6.4, 5.4))
        choices(trace, env, panels[0])
        regret(trace, panels[1])
        panels[0].set_xlabel("")
        return panels


def choices(trace: Trace, env: Environment | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw the arms that were chosen, on the mean rewards of the environment if it is given.

    Parameters
    ----------
    trace, env
        As for ``trace``.
    ax
        The matplotlib axes to draw on. The default None makes a new figure.
    """
    checked_traces(trace, env)
    with drawing():
        panel = panel_of(ax, (6.4, 3.4))
        time = time_axis(trace.times, trace.dates)
        if env is None:
            arm = Axis(np.arange(trace.arms.max() + 1.0), "position of the arm", "position of the arm")
            draw_dots(panel, trace, time, arm)
        else:
            arm = arm_axis(env.arms)
            image = draw_choices(panel, env, trace, time, arm, (float(env.mean.min()), float(env.mean.max())))
            if ax is None:
                figure_of(panel).colorbar(image, ax=panel, label="mean reward", pad=0.015, aspect=30)
        name_warmup(panel, trace, time)
        panel.set_xlabel(time.label)
        panel.set_ylabel(arm.label)
        return panel


def regret(traces: Trace | Sequence[Trace], ax: "Axes | None" = None) -> "Axes":
    """Draw the cumulative regret after the warm-up, one line per trace, with the name of the policy at its end.

    Parameters
    ----------
    traces
        One trace, or several on the same environment.
    ax
        As for ``choices``.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x: 1 - x * x, n_arms=50, n_rounds=200)
    >>> played = [qd.simulate(each(env.arms, seed=0), env) for each in (qd.policies.Random, qd.QuickDraw)]
    >>> len(qd.plots.regret(played).lines)
    2
    """
    traces = checked_traces(traces)
    with drawing():
        panel = panel_of(ax, (6.4, 3.4))
        time = time_axis(traces[0].times, traces[0].dates)
        ends = []
        for each in sorted(traces, key=lambda trace: -trace.regret_per_round):
            style = style_of(each.policy)
            total = np.cumsum(each.regret[each.warmup :])
            width, order = (2.6, 3) if each.policy == HIGHLIGHT else (1.4, 2)
            panel.plot(
                time.values[each.warmup :], total, color=style.colour, linestyle=style.dashes, linewidth=width,
                label=style.label, zorder=order,
            )  # fmt: skip
            ends.append((float(total[-1]), style.label, style.colour, each.policy == HIGHLIGHT))
        panel.set_title("Cumulative regret after the warm-up" if traces[0].warmup else "Cumulative regret")
        panel.set_xlabel(time.label)
        panel.set_ylabel("sum of regret")
        if traces[0].dates:
            name_dates(panel)
        panel.set_xlim(*time.edges)
        panel.set_ylim(bottom=0)
        panel.grid(True, axis="y")
        panel.set_axisbelow(True)
        if len(ends) > 1:
            label_ends(panel, ends)
        return panel


def checked_traces(traces: Trace | Sequence[Trace], env: Environment | None = None) -> list[Trace]:
    """Return one trace or several in a list; ValueError unless all are traces, and of the given environment."""
    several = list(traces) if isinstance(traces, Iterable) else [traces]
    if not several:
        raise ValueError("traces must be at least one Trace, got none")
    for trace in several:
        if not isinstance(trace, Trace):
            raise ValueError(f"trace must be a Trace, as simulate returns it, got {type(trace).__name__}")
        if env is not None and (not isinstance(env, Environment) or env.n_rounds != len(trace.arms)):
            raise ValueError(f"env must be the environment of the trace, of {len(trace.arms)} rounds, got {env!r}")
    return several
