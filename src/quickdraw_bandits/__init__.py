"""Bandits for rewards that drift and choices that are extremely many.

>>> import quickdraw_bandits as qd
>>> policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 1000), seed=0)
>>> arm = policy.select(time=0.0)
>>> policy.update(time=0.0, arm=arm, reward=0.7)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from quickdraw_bandits import exploration, policies, theory
from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.policies import AdaptiveQuickDraw, QuickDraw
from quickdraw_bandits.policies.adaptive.explanation import Explanation
from quickdraw_bandits.policies.adaptive.scales import Scales
from quickdraw_bandits.policies.clock_warning import ClockWarning
from quickdraw_bandits.policies.decision import Decision
from quickdraw_bandits.policies.mixed import Mixed
from quickdraw_bandits.policies.scale_warning import ScaleWarning

if TYPE_CHECKING:
    from quickdraw_bandits import datasets, environments, evaluation, plots
    from quickdraw_bandits.evaluation import Trace, simulate, tune
    from quickdraw_bandits.saving import load, save
    from quickdraw_bandits.warming import warm_up

__version__ = "0.1.0"  # the one place: the build reads it from here

__all__ = [
    "AdaptiveQuickDraw",
    "Arms",
    "Box",
    "ClockWarning",
    "Decision",
    "Explanation",
    "Mixed",
    "QuickDraw",
    "ScaleWarning",
    "Scales",
    "Trace",
    "datasets",
    "environments",
    "evaluation",
    "exploration",
    "load",
    "plots",
    "policies",
    "save",
    "simulate",
    "theory",
    "tune",
    "warm_up",
]

if not TYPE_CHECKING:  # which would take every name for one that is there
    _LATER = {"Trace": "evaluation", "simulate": "evaluation", "tune": "evaluation"}
    _LATER |= {"load": "saving", "save": "saving", "warm_up": "warming"}

    def __getattr__(name: str) -> object:
        """Import what choosing does not need, half of the package, when it is first asked for."""
        if name in _LATER:
            return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
        if name in ("datasets", "environments", "evaluation", "plots"):
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
