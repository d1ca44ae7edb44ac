"""Bandits for rewards that drift and choices that are extremely many.

>>> import quickdraw_bandits as qd
>>> policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 1000), seed=0)
>>> arm = policy.select(time=0.0)
>>> policy.update(time=0.0, arm=arm, reward=0.7)
"""

from quickdraw_bandits import datasets, environments, evaluation, exploration, policies, theory
from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.evaluation import Trace, simulate, tune
from quickdraw_bandits.policies import AdaptiveQuickDraw, Explanation, QuickDraw, Scales
from quickdraw_bandits.policies.scale_warning import ScaleWarning

__version__ = "0.1.0"

__all__ = [
    "AdaptiveQuickDraw",
    "Arms",
    "Box",
    "Explanation",
    "QuickDraw",
    "ScaleWarning",
    "Scales",
    "Trace",
    "datasets",
    "environments",
    "evaluation",
    "exploration",
    "policies",
    "simulate",
    "theory",
    "tune",
]
