"""Policies for arms that do not fit one process: each part of the arms is held by a Ray actor."""

from quickdraw_bandits.distributed.adaptive import ShardedAdaptiveQuickDraw
from quickdraw_bandits.distributed.deployment import Deployment
from quickdraw_bandits.distributed.fleet import ShardWarning
from quickdraw_bandits.distributed.quick_draw import ShardedQuickDraw

__all__ = ["Deployment", "ShardWarning", "ShardedAdaptiveQuickDraw", "ShardedQuickDraw"]
