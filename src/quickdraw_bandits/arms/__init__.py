"""Where arms live: sets of points and the distances between them."""

from quickdraw_bandits.arms.arms import Arms
from quickdraw_bandits.arms.metrics import METRICS, Metric

__all__ = ["METRICS", "Arms", "Metric"]
