"""Arms: sets of points, boxes, and the distances between them."""

from quickdraw_bandits.arms.arms import Arms
from quickdraw_bandits.arms.box import Box
from quickdraw_bandits.arms.metrics import METRICS, Metric

__all__ = ["METRICS", "Arms", "Box", "Metric"]
