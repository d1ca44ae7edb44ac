"""Playing policies on environments, and what came of it."""

from quickdraw_bandits.evaluation.simulate import simulate
from quickdraw_bandits.evaluation.trace import Trace
from quickdraw_bandits.evaluation.tune import TuningResult, tune

__all__ = ["Trace", "TuningResult", "simulate", "tune"]
