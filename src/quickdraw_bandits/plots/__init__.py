"""Pictures of traces and policies. Needs Matplotlib (the extra ``plots``), which is imported when something is drawn.

Every function draws on the axes it is given, or on a new figure of ``matplotlib.pyplot``, and returns the axes.
"""

from quickdraw_bandits.plots.beliefs import belief
from quickdraw_bandits.plots.comparison import compare
from quickdraw_bandits.plots.learned_scales import scales
from quickdraw_bandits.plots.traces import choices, regret, trace

__all__ = ["belief", "choices", "compare", "regret", "scales", "trace"]
