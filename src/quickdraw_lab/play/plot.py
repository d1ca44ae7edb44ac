"""The figure of ``quickdraw play``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace
from quickdraw_bandits.plots.comparison import comparison_panels, comparison_size, draw_comparison
from quickdraw_bandits.plots.style import drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_play(env: Environment, traces: Sequence[Trace]) -> "Figure":
    """Return the figure of ``quickdraw_bandits.plots.compare``, without the state of pyplot."""
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=comparison_size(len(traces), env))
        learners = sum(trace.scales is not None for trace in traces)
        draw_comparison(comparison_panels(figure, len(traces), learners), traces, env, with_bar=True)
        return figure
