"""Playing policies on environments and on logs, and measuring the result."""

from quickdraw_bandits.evaluation.off_policy import (
    Estimate,
    Played,
    WeakEvidenceWarning,
    direct_method,
    doubly_robust,
    ips,
    play_log,
    play_logs,
    replay,
    self_normalised_doubly_robust,
    self_normalised_ips,
)
from quickdraw_bandits.evaluation.simulate import simulate
from quickdraw_bandits.evaluation.trace import Trace
from quickdraw_bandits.evaluation.tune import TuningResult, tune

__all__ = [
    "Estimate",
    "Played",
    "Trace",
    "TuningResult",
    "WeakEvidenceWarning",
    "direct_method",
    "doubly_robust",
    "ips",
    "play_log",
    "play_logs",
    "replay",
    "self_normalised_doubly_robust",
    "self_normalised_ips",
    "simulate",
    "tune",
]
