"""Several policies on one environment."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace
from quickdraw_bandits.plots.fields import arm_axis, draw_choices, name_warmup, time_axis
from quickdraw_bandits.plots.learned_scales import scales
from quickdraw_bandits.plots.panels import Panels, figure_of, panels_of
from quickdraw_bandits.plots.style import drawing
from quickdraw_bandits.plots.traces import checked_traces, choices, regret

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COLUMNS = 3
WIDTH, HEIGHT = 3.3, 2.5
"""Size of a panel, in inches."""


def compare(
    traces: Trace | Sequence[Trace], env: Environment | None = None, axes: "Sequence[Axes] | Panels | None" = None
) -> Panels:
    """Draw several games on one environment: the choices of each policy, the regret of all, and learned scales.

    Parameters
    ----------
    traces
        What ``simulate`` returned for each policy, in the order of the panels; or for one policy.
    env
        The environment. If given, choices are drawn on its mean rewards, otherwise on white.
    axes
        Matplotlib axes to draw on: one per trace, one for the regret, and one per trace of a policy that learns scales.
        The default None makes a new figure.

    Returns
    -------
    An array of these axes.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x: 1 - x * x, n_arms=50, n_rounds=200)
    >>> played = [qd.simulate(each(env.arms, seed=0), env) for each in (qd.AdaptiveQuickDraw, qd.policies.Random)]
    >>> [panel.get_title("left") for panel in qd.plots.compare(played, env)]
    ['Adaptive Quick-Draw', 'Random', 'Cumulative regret after the warm-up', 'Scales it learned']
    """
    traces = checked_traces(traces, env)
    learners = [trace for trace in traces if trace.scales is not None]
    with drawing():
        if axes is None:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=comparison_size(len(traces), env))
            panels = comparison_panels(figure, len(traces), len(learners))
        else:
            panels = panels_of(axes, len(traces) + 1 + len(learners), 1, (0, 0))
        draw_comparison(panels, traces, env, with_bar=axes is None)
        return panels


def draw_comparison(panels: Panels, traces: Sequence[Trace], env: Environment | None, with_bar: bool) -> None:
    """Draw on axes that were given or made by ``comparison_panels``, with or without a colour bar."""
    of_choices, of_regret, of_scales = np.split(panels, [len(traces), len(traces) + 1])
    _draw_choices(of_choices, traces, env, with_bar)
    regret(traces, of_regret[0])
    for panel, trace in zip(of_scales, [trace for trace in traces if trace.scales is not None], strict=True):
        scales(trace, panel)


def comparison_size(n_traces: int, env: Environment | None) -> tuple[float, float]:
    """Return the width and height of the figure, in inches."""
    columns = _columns(n_traces)
    for_labels = 0.0 if env is None or isinstance(env.arms.labels, range) else 0.8
    return WIDTH * max(columns, 2) + 0.6 + for_labels, HEIGHT * (-(-n_traces // columns) + 1.15)


def comparison_panels(figure: "Figure", n_traces: int, n_learners: int) -> Panels:
    """Return the axes of a figure: choices in a grid, and below them one row of regret and learned scales."""
    figure.set_layout_engine("constrained")
    columns = _columns(n_traces)
    rows = -(-n_traces // columns)
    parts = figure.add_gridspec(2, 1, height_ratios=(rows, 1.15))
    grid = parts[0].subgridspec(rows, columns)
    last = parts[1].subgridspec(1, 1 + n_learners, width_ratios=[1.7] + [1] * n_learners)
    of_choices = [figure.add_subplot(grid[divmod(number, columns)]) for number in range(n_traces)]
    others = [figure.add_subplot(last[0, number]) for number in range(1 + n_learners)]
    return np.array([*of_choices, *others], dtype=object)


def _columns(n_traces: int) -> int:
    return 2 if n_traces == 4 else min(MOST_COLUMNS, n_traces)


def _draw_choices(panels: Panels, traces: Sequence[Trace], env: Environment | None, with_bar: bool) -> None:
    """Draw the choices of each policy, with labels at the edges of the grid only."""
    if env is None:
        for panel, trace in zip(panels, traces, strict=True):
            choices(trace, None, panel)
        return
    columns = _columns(len(traces))
    time, arm = time_axis(env.times, env.dates), arm_axis(env.arms)
    limits = (float(env.mean.min()), float(env.mean.max()))
    for number, (panel, trace) in enumerate(zip(panels, traces, strict=True)):
        image = draw_choices(panel, env, trace, time, arm, limits)
        if number == 0:
            name_warmup(panel, trace, time)
        if number % columns == 0:
            panel.set_ylabel(arm.label)
        else:
            panel.tick_params(labelleft=False)
        if number + columns < len(traces):
            panel.tick_params(labelbottom=False)
        else:
            panel.set_xlabel(time.label)
    if with_bar:
        figure_of(panels[0]).colorbar(image, ax=list(panels), label="mean reward", fraction=0.03, pad=0.015, aspect=35)
